import type { Config } from '../config.ts';
import type { CheckOptions, Engine, EngineOptions, SqlOptions } from './engine.ts';

interface EngineEntry {
  /** @throws StartError if a saved query cannot run on the engine */
  open(options: EngineOptions): Promise<Engine>;
  /** Checks every saved query without running it. @throws StartError with all problems */
  check(options: CheckOptions): Promise<void>;
  /** The SQL that the engine runs for a saved query. @throws StartError if the query cannot run on it */
  sqlOf(options: SqlOptions): Promise<string>;
}

/** Every engine by its configured name. Imported on use, so that only that engine's libraries are loaded. */
export const engines: Readonly<Record<Config['engine'], EngineEntry>> = {
  duckdb: {
    open: async (options) => (await import('./duckdb/open-duckdb.ts')).openDuckdb(options),
    check: async (options) => (await import('./duckdb/check-queries.ts')).checkQueries(options),
    sqlOf: async (options) => (await import('./duckdb/check-queries.ts')).generatedSql(options),
  },
  bigquery: {
    open: async (options) => (await import('./bigquery/open-bigquery.ts')).openBigquery(options),
    check: async (options) => (await import('./bigquery/check-queries.ts')).checkQueries(options),
    sqlOf: async ({ query }) => query.sql,
  },
};
