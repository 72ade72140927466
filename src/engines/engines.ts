import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Catalog, SavedQuery } from '../catalog/model/saved-query.ts';
import type { Config } from '../config.ts';
import { type Problem, StartError } from '../errors.ts';
import type { ResultColumn } from '../catalog/model/header-types.ts';
import type {
  CatalogUpdates,
  CheckOptions,
  ColumnsOptions,
  Engine,
  EngineOptions,
  SqlOptions,
} from '../engine/engine.ts';
import { recordProblemsOf } from '../analysis/check-records.ts';
import { sandboxProblemsOf, tenantProblemsOf, uncheckedQueries } from '../analysis/tenant-filters.ts';

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

/**
 * Every engine by its configured name. Each refuses a query that may return rows of several tenants, or other fields of
 * records than its header declares.
 */
export const engines: Readonly<Record<Config['engine'], EngineEntry>> = {
  duckdb: withFileChecks(libraries.duckdb),
  bigquery: withFileChecks(libraries.bigquery),
};

/** With the checks that need no engine. */
function withFileChecks({ open, check, sqlOf, columnsOf, checksTenants = false }: EngineEntry): EngineEntry {
  const problemsOfQuery: ProblemsOfQuery = (query, tables) => [
    ...(checksTenants ? [] : tenantProblemsOf(query, tables)),
    ...sandboxProblemsOf(query, tables),
    ...recordProblemsOf(query, tables),
  ];
  const problemsIn = ({ queries, tables }: Catalog) =>
    queries.flatMap((query) => problemsOfQuery(query, tables));
  return {
    async open(options) {
      const problems = problemsIn(options.catalog);
      for (const text of uncheckedQueries(options.catalog)) options.listener.news(text);
      if (problems.length > 0) throw new StartError(title, problems);
      const engine = await open(options);
      return engine.updates === undefined
        ? engine
        : { ...engine, updates: updatesWithFileChecks(engine.updates, options, problemsOfQuery) };
    },
    async check(options) {
      const problems = problemsIn(options.catalog);
      const isNew = ({ line, message }: Problem) =>
        !problems.some((known) => known.line === line && known.message === message);
      const others = (await problemsOf(() => check(options))).filter(isNew);
      if (problems.length + others.length > 0) throw new StartError(title, [...problems, ...others]);
    },
    sqlOf,
    columnsOf,
  };
}

type ProblemsOfQuery = (query: SavedQuery, tables: Catalog['tables']) => readonly Problem[];

function updatesWithFileChecks(
  updates: CatalogUpdates,
  { catalog: first, listener }: EngineOptions,
  problemsOfQuery: ProblemsOfQuery,
): CatalogUpdates {
  /** The tables with which a query was checked. */
  const passed = new WeakMap<SavedQuery, Catalog['tables']>();
  for (const query of first.queries) passed.set(query, first.tables);
  let current = first;
  return {
    async check(catalog) {
      const found = new Map<SavedQuery, readonly Problem[]>();
      for (const query of catalog.queries) {
        if (passed.get(query) === catalog.tables) continue;
        await nextTurn();
        const problems = problemsOfQuery(query, catalog.tables);
        if (problems.length > 0) found.set(query, problems);
        else passed.set(query, catalog.tables);
      }
      // An engine gets no queries that must not run.
      const queries = catalog.queries.filter((query) => !found.has(query));
      const others = await updates.check(found.size === 0 ? catalog : { ...catalog, queries });
      return new Map([...found, ...others]);
    },
    async replace(catalog) {
      const known = new Set(current.queries);
      const added = { ...catalog, queries: catalog.queries.filter((query) => !known.has(query)) };
      const release = await updates.replace(catalog);
      for (const text of uncheckedQueries(added)) listener.news(text);
      current = catalog;
      return release;
    },
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
