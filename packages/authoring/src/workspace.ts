import type { EngineFactory, EngineLimits } from 'querygate';
import type { DuckdbOptions } from 'querygate/duckdb';

/** What the tools work on: a folder of saved queries, and the engine on which they run. */
export interface Workspace {
  readonly queriesDir: string;
  readonly engine: EngineFactory & Required<Pick<EngineFactory, 'check'>>;
  readonly limits: EngineLimits;
  /** How data files are read, whatever the engine is. */
  readonly duckdb: DuckdbOptions;
}
