import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { type Problem, StartError } from '../../../errors.ts';
import { once } from '../../../memoize.ts';
import { equalityColumns } from '@querygate/bigquery-sql/analysis';
import { calledMacros, type FinishPlan } from '@querygate/bigquery-sql/duckdb';
import type { ExportedTable, Outline } from '@querygate/bigquery-sql/sandbox';
import {
  type Compiled,
  isViewName,
  type Origin,
  readStored,
  requireNow,
  type StoredTable,
} from '@querygate/bigquery-sql/tree';
import type { AnalyzedCatalog } from '../../../catalog-analysis/analyze-catalog.ts';
import type { QueryAnalysis } from '../../../catalog-analysis/analyze-query.ts';
import { queryProblems } from '../../../catalog-analysis/query-problems.ts';
import { buildPrepareCallerSql, type PrepareCallerSql } from './caller-sql.ts';
import { type PreparedQuery, prepareQuery } from './prepare-query.ts';
import { compiledTypes, plannedTypes, type ResultTypes } from './result-types.ts';

/** A query that can run. */
export interface Runnable {
  readonly analysis: QueryAnalysis;
  readonly compiled: Compiled;
  /** Made when first used. */
  readonly prepared: () => PreparedQuery;
  /** The tables whose data the query needs. */
  readonly tables: readonly string[];
  /** The same, as they are stored: with other ones, it has to be prepared again. */
  readonly storedTables: readonly StoredTable[];
  /** The columns that the query, or SQL of a caller over it, compares with a parameter for equality; found when first used. */
  readonly equalityColumns: () => readonly Origin[];
  /** Prepares callers' SQL over the query; undefined if it takes none. */
  readonly callerSql: PrepareCallerSql | undefined;
  /** The common tables for a process that runs callers' SQL without the tables; undefined if the query takes none. */
  readonly exported: () => Exported | undefined;
}

/** The common tables of a query, and what of them callers' SQL can name. */
interface Exported {
  readonly tables: readonly ExportedTable[];
  readonly outline: Outline;
}

interface PrepareOptions {
  readonly queries: readonly SavedQuery[];
  readonly analysisOf: AnalyzedCatalog['analysisOf'];
  /** The tables of the catalog, as the database has them. */
  readonly tables: readonly StoredTable[];
  /** Defines the macros that queries call. */
  readonly defineMacros: (names: readonly string[]) => Promise<void>;
  /**
   * True if DuckDB plans every query now; by default it plans only those with columns whose types are not known
   * otherwise.
   */
  readonly planAll?: boolean;
  /** The queries that were prepared before: used again if their tables are still stored as they were. */
  readonly known?: WeakMap<SavedQuery, Runnable>;
  /** True if the database can read the tables as they were at other times. */
  readonly hasSnapshots?: boolean;
  /** Rewrites the tree of each plan. */
  readonly finish?: FinishPlan | undefined;
  /** Given if other work of the process is to be done between two queries: it stops when the signal is aborted. */
  readonly inTurns?: AbortSignal;
}

export interface PreparedCatalog {
  readonly runnable: ReadonlyMap<SavedQuery, Runnable>;
  /** Of the queries that cannot run. */
  readonly problems: ReadonlyMap<SavedQuery, readonly Problem[]>;
}

/**
 * Takes the tree of every query, requires that it returns rows of one tenant, compares its columns with the header, and defines the
 * macros that they call.
 *
 * @param connection to a database that has the tables
 * @throws StartError with the problems of all queries
 */
export async function prepareCatalog(
  connection: DuckDBConnection,
  options: PrepareOptions,
): Promise<ReadonlyMap<SavedQuery, Runnable>> {
  const { runnable, problems } = await prepareQueries(connection, options);
  if (problems.size > 0)
    throw new StartError('Saved queries cannot be served from DuckDB', [...problems.values()].flat());
  return runnable;
}

/** As `prepareCatalog`, with the problems of queries that cannot run beside the others. */
export async function prepareQueries(
  connection: DuckDBConnection,
  {
    queries,
    analysisOf,
    tables,
    defineMacros,
    planAll = false,
    known,
    hasSnapshots = false,
    finish,
    inTurns,
  }: PrepareOptions,
): Promise<PreparedCatalog> {
  const problems = new Map<SavedQuery, readonly Problem[]>();
  const compiled = new Map<SavedQuery, Compiled>();
  const runnable = new Map<SavedQuery, Runnable>();
  for (const query of queries) {
    const before = known?.get(query);
    if (before !== undefined && isUpToDate(before, query, analysisOf(query), tables)) {
      runnable.set(query, before);
      continue;
    }
    if (inTurns !== undefined) await nextTurn();
    inTurns?.throwIfAborted();
    await collectProblems(problems, query, () => {
      const analysis = analysisOf(query);
      const tree = analysis.compiled();
      if (!hasSnapshots) requireNow(tree.query, query);
      compiled.set(query, { ...tree, query: readStored(tree.query, tables) });
      const unfiltered = analysis.tenantProblems();
      if (unfiltered.length > 0) problems.set(query, unfiltered);
    });
  }
  const called = [...compiled.values()].flatMap(({ query }) => calledMacros(query));
  await defineMacros(called);

  for (const [query, tree] of compiled) {
    if (inTurns !== undefined) await nextTurn();
    inTurns?.throwIfAborted();
    await collectProblems(problems, query, async () => {
      const types =
        (planAll ? undefined : compiledTypes(query, tree)) ?? (await plannedTypes(connection, query, tree));
      if (problems.has(query)) return;
      const prepared = buildRunnable(query, analysisOf(query), tree, { types, tables, finish });
      known?.set(query, prepared);
      runnable.set(query, prepared);
    });
  }
  return { runnable, problems };
}

function isUpToDate(
  { analysis, compiled, storedTables }: Runnable,
  query: SavedQuery,
  current: QueryAnalysis,
  tables: readonly StoredTable[],
): boolean {
  // The names and types of all tables are in the text of such a query.
  if (readsViews(compiled) && analysis !== current) return false;
  if (readsAny(query, compiled) && storedTables.length !== tables.length) return false;
  return storedTables.every((table) => tables.includes(table));
}

/** True if it reads every table whose name fits, or callers choose what they read of its common tables. */
const readsAny = ({ sql, querySandboxing }: SavedQuery, compiled: Compiled): boolean =>
  querySandboxing === 'enabled' || /\*\s*`/.test(sql) || readsViews(compiled);

const readsViews = ({ tables }: Compiled): boolean => tables.some(isViewName);

function buildRunnable(
  query: SavedQuery,
  analysis: QueryAnalysis,
  compiled: Compiled,
  { types, tables, finish }: Pick<PrepareOptions, 'tables' | 'finish'> & { readonly types: ResultTypes },
): Runnable {
  const sandbox = analysis.sandbox()?.over(tables);
  const isRead = ({ name }: StoredTable) => compiled.tables.includes(name);
  return {
    analysis,
    compiled,
    prepared: once(() => prepareQuery(query, compiled, types, finish)),
    tables: compiled.tables,
    storedTables: readsAny(query, compiled) ? tables : tables.filter(isRead),
    equalityColumns: once(() => {
      const trees = [compiled, ...(sandbox?.tables.map(sandbox.readAll) ?? [])];
      return trees.flatMap(({ query: tree }) => equalityColumns(tree));
    }),
    callerSql: sandbox && buildPrepareCallerSql(query, sandbox),
    exported: once(() => {
      const exported = sandbox?.exportTables();
      return sandbox && exported && { tables: exported, outline: sandbox.outline(exported) };
    }),
  };
}

/** The columns of a table that queries compare with a parameter for equality, in the order of the queries. */
export function* equalityColumnsOf(table: string, queries: Iterable<Runnable>): Iterable<Origin> {
  for (const query of queries) {
    if (!query.tables.includes(table)) continue;
    for (const column of query.equalityColumns()) if (column.table === table) yield column;
  }
}

/** Adds the problems of a query if the work on it fails. */
async function collectProblems(
  problems: Map<SavedQuery, readonly Problem[]>,
  query: SavedQuery,
  work: () => unknown,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    problems.set(query, [...(problems.get(query) ?? []), ...queryProblems(query, error)]);
  }
}
