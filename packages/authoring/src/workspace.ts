import type { EngineFactory, EngineLimits } from 'querygate';
import type { DuckdbOptions } from 'querygate/duckdb';

/** The folder of saved queries that the tools work on, and the engine that runs them. */
export interface Workspace {
  readonly queriesDir: string;
  readonly engine: EngineFactory & Required<Pick<EngineFactory, 'check'>>;
  readonly limits: EngineLimits;
  /** How data files are read, whatever the engine is. */
  readonly duckdb: DuckdbOptions;
}
