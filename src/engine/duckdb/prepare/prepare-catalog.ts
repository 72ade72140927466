import type { DuckDBConnection } from '@duckdb/node-api';
import type { SavedQuery } from '../../../catalog/saved-query.ts';
import { type Problem, StartError } from '../../../errors.ts';
import { calledMacros } from '../../dialect/called-macros.ts';
import { type Compiled, compile } from '../../dialect/compile.ts';
import { equalityColumns } from '../../dialect/equality-columns.ts';
import { macroDefinitions } from '../../dialect/macros/macros.ts';
import type { Origin, StoredTable } from '../../dialect/stored-table.ts';
import { type PreparedQuery, prepareQuery } from './prepare-query.ts';
import { buildColumnCheck, compiledTypes, plannedTypes, type ResultTypes } from './result-types.ts';

/** A query that can run. */
export interface Runnable {
  readonly compiled: Compiled;
  /** Made when first used. */
  readonly prepared: PreparedQuery;
  /** The tables whose data the query needs. */
  readonly tables: readonly string[];
  /** The columns that the query compares with a parameter for equality. */
  readonly equalityColumns: readonly Origin[];
}

interface PrepareOptions {
  readonly queries: readonly SavedQuery[];
  /** The tables that queries may read, as the database has them. */
  readonly tables: readonly StoredTable[];
  /** False if the database already has the macros that the queries call. */
  readonly defineMacros: boolean;
  /** Whether DuckDB plans every query now; by default only those with columns whose types are not known otherwise. */
  readonly planAll?: boolean;
}

/**
 * Compiles every query, compares its columns with the header, and defines the macros that they call.
 *
 * @param connection to a database that has the tables
 * @throws StartError with the problems of all queries
 */
export async function prepareCatalog(
  connection: DuckDBConnection,
  { queries, tables, defineMacros, planAll = false }: PrepareOptions,
): Promise<ReadonlyMap<SavedQuery, Runnable>> {
  const problems: Problem[] = [];
  const compiled = new Map<SavedQuery, Compiled>();
  for (const query of queries) {
    await collectProblems(problems, query, () =>
      compiled.set(query, compile(query, tables, { checkColumns: buildColumnCheck(query) })),
    );
  }
  if (defineMacros) {
    const called = [...compiled.values()].flatMap(({ query }) => calledMacros(query));
    await connection.run(macroDefinitions(called));
  }

  const runnable = new Map<SavedQuery, Runnable>();
  for (const [query, tree] of compiled) {
    await collectProblems(problems, query, async () => {
      const known = planAll ? undefined : compiledTypes(query, tree);
      const types = known ?? (await plannedTypes(connection, query, tree));
      runnable.set(query, buildRunnable(query, tree, types));
    });
  }
  if (problems.length > 0) throw new StartError('Saved queries cannot run on DuckDB', problems);
  return runnable;
}

function buildRunnable(query: SavedQuery, compiled: Compiled, types: ResultTypes): Runnable {
  let prepared: PreparedQuery | undefined;
  return {
    compiled,
    get prepared() {
      prepared ??= prepareQuery(query, compiled, types);
      return prepared;
    },
    tables: compiled.tables,
    equalityColumns: equalityColumns(compiled.query),
  };
}

/** Adds the problems of a query, also one that no rule foresees: no query hides the problems of the others. */
async function collectProblems(
  problems: Problem[],
  { source: { file, line } }: SavedQuery,
  work: () => unknown,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof StartError) problems.push(...error.problems);
    else
      problems.push({ file, line, message: `cannot be compiled, which is an error of Querygate: ${error}` });
  }
}
