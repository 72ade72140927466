import type {
  AnalyzedCatalog,
  Engine,
  EngineFactory,
  EngineHost,
  EngineLimits,
  QueryCheck,
  SavedQuery,
} from 'querygate';
import type { DuckdbOptions } from 'querygate/duckdb';
import type { Problem } from '@querygate/bigquery-sql/problem';

/** Forecasts what queries cost a month while they are warm. @param checks dry runs that are known already */
export type ForecastCosts = (
  catalog: AnalyzedCatalog,
  checks: readonly QueryCheck[],
) => Promise<
  readonly {
    readonly query: SavedQuery;
    /** undefined if the bytes of a run are not known. */
    readonly summary: string | undefined;
    readonly usdPerMonth: number | undefined;
    /** Set above the limit. */
    readonly problem: string | undefined;
  }[]
>;

/** The folder of saved queries that the tools work on, and the engine that runs them. */
export interface Workspace {
  readonly queriesDir: string;
  readonly engine: EngineFactory &
    Required<Pick<EngineFactory, 'check'>> & {
      /** The problems of saved queries that their files show, whatever the engine says. */
      checkFiles(catalog: AnalyzedCatalog): Promise<readonly Problem[]>;
    };
  readonly limits: EngineLimits;
  /** How data files are read, whatever the engine is. */
  readonly duckdb: DuckdbOptions;
  /** undefined if the engine reports no bytes. @throws ProblemError if an option is wrong */
  openForecast(flags: object): ForecastCosts | undefined;
  /** Opens the engine over its own data, which a gateway may use. @throws ProblemError */
  openEngine(host: EngineHost): Promise<Engine>;
}
