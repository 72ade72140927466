import type { DuckDBConnection } from '@duckdb/node-api';
import type { SavedQuery } from '../../../catalog/saved-query.ts';
import { type Problem, StartError } from '../../../errors.ts';
import { calledMacros } from '../../dialect/called-macros.ts';
import { type Compiled, compile } from '../../dialect/compile.ts';
import { equalityColumns } from '../../dialect/equality-columns.ts';
import { macroDefinitions } from '../../dialect/macros/macros.ts';
import { openSandbox } from '../../dialect/sandbox/open-sandbox.ts';
import type { Origin, StoredTable } from '../../dialect/stored-table.ts';
import { queryProblems } from '../../query-problems.ts';
import { unfilteredProblems } from '../../tenant-filters.ts';
import { buildPrepareCallerSql, type PrepareCallerSql } from './caller-sql.ts';
import { type PreparedQuery, prepareQuery } from './prepare-query.ts';
import { compiledTypes, plannedTypes, type ResultTypes } from './result-types.ts';

/** A query that can run. */
export interface Runnable {
  readonly compiled: Compiled;
  /** Made when first used. */
  readonly prepared: PreparedQuery;
  /** The tables whose data the query needs. */
  readonly tables: readonly string[];
  /** The columns that the query, or SQL of a caller over it, compares with a parameter for equality; found when first used. */
  readonly equalityColumns: readonly Origin[];
  /** Prepares callers' SQL over the query; undefined if it takes none. */
  readonly callerSql: PrepareCallerSql | undefined;
}

interface PrepareOptions {
  readonly queries: readonly SavedQuery[];
  /** The tables that queries may read, as the database has them. */
  readonly tables: readonly StoredTable[];
  /** The macros that the database has; those that the queries call are added. */
  readonly definedMacros: Set<string>;
  /** Whether DuckDB plans every query now; by default only those with columns whose types are not known otherwise. */
  readonly planAll?: boolean;
}

/**
 * Compiles every query, checks that it returns rows of one tenant, compares its columns with the header, and defines the
 * macros that they call.
 *
 * @param connection to a database that has the tables
 * @throws StartError with the problems of all queries
 */
export async function prepareCatalog(
  connection: DuckDBConnection,
  { queries, tables, definedMacros, planAll = false }: PrepareOptions,
): Promise<ReadonlyMap<SavedQuery, Runnable>> {
  const problems: Problem[] = [];
  const compiled = new Map<SavedQuery, Compiled>();
  for (const query of queries) {
    await collectProblems(problems, query, () => {
      const tree = compile(query, tables);
      compiled.set(query, tree);
      problems.push(...unfilteredProblems(query, tree));
    });
  }
  const called = [...compiled.values()].flatMap(({ query }) => calledMacros(query));
  const definitions = macroDefinitions(called, definedMacros);
  if (definitions !== '') await connection.run(definitions);

  const runnable = new Map<SavedQuery, Runnable>();
  for (const [query, tree] of compiled) {
    await collectProblems(problems, query, async () => {
      const known = planAll ? undefined : compiledTypes(query, tree);
      const types = known ?? (await plannedTypes(connection, query, tree));
      runnable.set(query, buildRunnable(query, tree, types, tables));
    });
  }
  if (problems.length > 0) throw new StartError('Saved queries cannot be served from DuckDB', problems);
  return runnable;
}

function buildRunnable(
  query: SavedQuery,
  compiled: Compiled,
  types: ResultTypes,
  tables: readonly StoredTable[],
): Runnable {
  let prepared: PreparedQuery | undefined;
  let compared: readonly Origin[] | undefined;
  const sandbox = query.querySandboxing === 'enabled' ? openSandbox(query, tables) : undefined;
  return {
    compiled,
    get prepared() {
      prepared ??= prepareQuery(query, compiled, types);
      return prepared;
    },
    tables: compiled.tables,
    get equalityColumns() {
      const trees = [compiled, ...(sandbox?.tables.map(sandbox.readAll) ?? [])];
      compared ??= trees.flatMap(({ query: tree }) => equalityColumns(tree));
      return compared;
    },
    callerSql: sandbox && buildPrepareCallerSql(query, sandbox),
  };
}

/** The columns of a table that queries compare with a parameter for equality, in the order of the queries. */
export function* equalityColumnsOf(table: string, queries: Iterable<Runnable>): Iterable<Origin> {
  for (const query of queries) {
    if (!query.tables.includes(table)) continue;
    for (const column of query.equalityColumns) if (column.table === table) yield column;
  }
}

/** Adds the problems of a query if the work on it fails. */
async function collectProblems(problems: Problem[], query: SavedQuery, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    problems.push(...queryProblems(query, error));
  }
}
