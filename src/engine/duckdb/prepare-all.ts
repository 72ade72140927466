import type { DuckDBConnection } from '@duckdb/node-api';
import type { Catalog, SavedQuery } from '../../catalog/saved-query.ts';
import { type Problem, StartError } from '../../errors.ts';
import { type PreparedQuery, prepareQuery } from './prepare-query.ts';
import { tablesRead } from './tables-read.ts';

/** A query that is known to run, and what it needs. */
export interface Runnable {
  readonly prepared: PreparedQuery;
  /** The tables whose data the query needs. */
  readonly tables: readonly string[];
}

/**
 * Prepares every query of the catalog.
 *
 * @param connection to a database that has the dialect's macros and the catalog's tables
 * @throws StartError with the problems of all queries
 */
export async function prepareAll(
  connection: DuckDBConnection,
  { queries, tables }: Catalog,
): Promise<ReadonlyMap<SavedQuery, Runnable>> {
  const runnable = new Map<SavedQuery, Runnable>();
  const problems: Problem[] = [];
  for (const query of queries) {
    try {
      const prepared = await prepareQuery(connection, query, tables);
      runnable.set(query, { prepared, tables: await tablesRead(connection, prepared) });
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new StartError('Saved queries cannot run on DuckDB', problems);
  return runnable;
}
