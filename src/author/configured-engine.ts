import { type Config, isQuack } from '../config.ts';
import type { EngineFactory } from '../engine-contract/engine-factory.ts';
import { type CheckedEngine, withFileChecks } from '../engines/checked-engine.ts';
import { userCacheFolder } from '../files/user-cache-folder.ts';
import { importEngine } from './import-engine.ts';

/** The engines by their names in the setting ENGINE, each with its options. Only the configured one is loaded. */
const named: Readonly<Record<string, (config: Config) => Promise<EngineFactory>>> = {
  duckdb: async (config) =>
    (await import('../exports/duckdb-engine.ts')).duckdb({
      ...config.duckdb,
      demoCacheDir: config.isDevelopment ? userCacheFolder() : undefined,
    }),
  quack: async (config) => (await import('../engines/quack/quack.ts')).quack(config.quack),
  bigquery: async (config) => (await import('../exports/bigquery-engine.ts')).bigquery(config.bigquery),
};

/** The configured engine. @throws StartError if it is a module that exports no engine */
export const loadEngine = async (config: Config): Promise<EngineFactory> =>
  named[isQuack(config.engine) ? 'quack' : config.engine]?.(config) ?? importEngine(config.engine);

/** The same, with the checks that need no engine. */
export const configuredEngine = async (config: Config): Promise<CheckedEngine> =>
  withFileChecks(await loadEngine(config));
