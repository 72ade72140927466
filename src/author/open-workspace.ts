import type { Config } from '../config.ts';
import { limitsOf } from '../engines/checked-engine.ts';
import { configuredEngine } from './configured-engine.ts';

/**
 * The engine and data that the tools for authors work on, by the settings.
 *
 * @throws StartError if the engine is a module that exports none
 */
export const openWorkspace = async (config: Config) => ({
  queriesDir: config.queriesDir,
  engine: await configuredEngine(config),
  limits: limitsOf(config),
  duckdb: config.duckdb,
});
