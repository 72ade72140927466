import type { Catalog } from '../catalog/saved-query.ts';
import type { Config } from '../config.ts';
import { type Problem, StartError } from '../errors.ts';
import type { ResultColumn } from './check-columns.ts';
import type { CheckOptions, ColumnsOptions, Engine, EngineOptions, SqlOptions } from './engine.ts';
import { sandboxProblems, tenantProblems, uncheckedQueries } from './tenant-filters.ts';

interface EngineEntry {
  /** @throws StartError if a saved query cannot run on the engine */
  open(options: EngineOptions): Promise<Engine>;
  /** Checks every saved query without running it. @throws StartError with all problems */
  check(options: CheckOptions): Promise<void>;
  /** The SQL that the engine runs for a saved query. @throws StartError if the query cannot run on it */
  sqlOf(options: SqlOptions): Promise<string>;
  /** The columns that SQL without a header returns. @throws StartError if the SQL cannot run on the engine */
  columnsOf(options: ColumnsOptions): Promise<readonly ResultColumn[]>;
  /** True if `open` and `check` refuse a query that may return rows of several tenants themselves. */
  readonly checksTenants?: boolean;
}

/** Imported on use, so that only that engine's libraries are loaded. */
const libraries: Readonly<Record<Config['engine'], EngineEntry>> = {
  duckdb: {
    open: async (options) => (await import('./duckdb/open-duckdb.ts')).openDuckdb(options),
    check: async (options) => (await import('./duckdb/check-queries.ts')).checkQueries(options),
    sqlOf: async (options) => (await import('./duckdb/check-queries.ts')).generatedSql(options),
    columnsOf: async (options) => (await import('./duckdb/describe-columns.ts')).describeColumns(options),
    checksTenants: true,
  },
  bigquery: {
    open: async (options) => (await import('./bigquery/open-bigquery.ts')).openBigquery(options),
    check: async (options) => (await import('./bigquery/check-queries.ts')).checkQueries(options),
    sqlOf: async ({ query }) => query.sql,
    columnsOf: async (options) => (await import('./bigquery/describe-columns.ts')).describeColumns(options),
  },
};

/** Every engine by its configured name. Each refuses a query that may return rows of several tenants. */
export const engines: Readonly<Record<Config['engine'], EngineEntry>> = {
  duckdb: withTenantFilters(libraries.duckdb),
  bigquery: withTenantFilters(libraries.bigquery),
};

function withTenantFilters({
  open,
  check,
  sqlOf,
  columnsOf,
  checksTenants = false,
}: EngineEntry): EngineEntry {
  const problemsIn = (catalog: Catalog) => [
    ...(checksTenants ? [] : tenantProblems(catalog)),
    ...sandboxProblems(catalog),
  ];
  return {
    async open(options) {
      const problems = problemsIn(options.catalog);
      for (const text of uncheckedQueries(options.catalog)) options.listener.news(text);
      if (problems.length > 0) throw new StartError(title, problems);
      return open(options);
    },
    async check(options) {
      const problems = problemsIn(options.catalog);
      const others = await problemsOf(() => check(options));
      if (problems.length + others.length > 0) throw new StartError(title, [...problems, ...others]);
    },
    sqlOf,
    columnsOf,
  };
}

const title = 'Saved queries cannot be served';

async function problemsOf(work: () => Promise<void>): Promise<readonly Problem[]> {
  try {
    await work();
    return [];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return error.problems;
  }
}
