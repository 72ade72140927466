import type { Engine, EngineFactory, EngineHost, EngineLimits } from 'querygate';
import type { DuckdbOptions } from 'querygate/duckdb';

/** The folder of saved queries that the tools work on, and the engine that runs them. */
export interface Workspace {
  readonly queriesDir: string;
  readonly engine: EngineFactory & Required<Pick<EngineFactory, 'check'>>;
  readonly limits: EngineLimits;
  /** How data files are read, whatever the engine is. */
  readonly duckdb: DuckdbOptions;
  /** Opens the engine over its own data, which a gateway may use. @throws ProblemError */
  openEngine(host: EngineHost): Promise<Engine>;
}
