import type { DuckDBConnection } from '@duckdb/node-api';
import type { SavedQuery } from '../../../catalog/saved-query.ts';
import { type Problem, StartError } from '../../../errors.ts';
import { macroDefinitions, macrosIn } from '../../dialect/macros/macros.ts';
import type { Origin } from '../../dialect/passes/shredded.ts';
import { type Rewritten, rewrite, type StoredTable } from '../../dialect/rewrite.ts';
import { type PreparedQuery, prepareQuery } from './prepare-query.ts';
import { tablesRead } from './tables-read.ts';

/** A query that is known to run, and what it needs. */
export interface Runnable {
  readonly prepared: PreparedQuery;
  /** The tables whose data the query needs. */
  readonly tables: readonly string[];
  /** The columns by which the query finds its rows. */
  readonly equalityColumns: readonly Origin[];
}

export interface PrepareOptions {
  readonly queries: readonly SavedQuery[];
  /** What they may read, in the form that the database has. */
  readonly tables: readonly StoredTable[];
  /** False where the database knows the functions already that the queries call. */
  readonly defineMacros: boolean;
}

/**
 * Prepares every query, and makes the functions known that they call.
 *
 * @param connection to a database that has the tables
 * @throws StartError with the problems of all queries
 */
export async function prepareCatalog(
  connection: DuckDBConnection,
  { queries, tables, defineMacros }: PrepareOptions,
): Promise<ReadonlyMap<SavedQuery, Runnable>> {
  const problems: Problem[] = [];
  const rewritten = new Map<SavedQuery, Rewritten>();
  for (const query of queries) {
    await collecting(problems, () => rewritten.set(query, rewrite(query, tables)));
  }
  if (defineMacros) {
    const called = [...rewritten.values()].flatMap(({ sql, custom: quick }) => [
      ...macrosIn(sql),
      ...quick.constants.flatMap((constant) => macrosIn(constant.sql)),
    ]);
    await connection.run(macroDefinitions(called));
  }

  const runnable = new Map<SavedQuery, Runnable>();
  for (const [query, text] of rewritten) {
    await collecting(problems, async () => {
      const prepared = await prepareQuery(connection, query, text, tables);
      const read = await tablesRead(connection, prepared.generic, tables);
      runnable.set(query, { prepared, tables: read, equalityColumns: text.equalityColumns });
    });
  }
  if (problems.length > 0) throw new StartError('Saved queries cannot run on DuckDB', problems);
  return runnable;
}

async function collecting(problems: Problem[], work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    problems.push(...error.problems);
  }
}
