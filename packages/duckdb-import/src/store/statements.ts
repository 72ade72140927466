import type { DuckDBConnection } from '@duckdb/node-api';
import { globText } from '@querygate/bigquery-sql/command';

/** The rows of a statement. */
export const readRows = async (connection: DuckDBConnection, sql: string) =>
  (await connection.runAndReadAll(sql)).getRowsJS();

/** Runs statements one after the other. */
export async function runAll(connection: DuckDBConnection, statements: readonly string[]): Promise<void> {
  for (const sql of statements) await connection.run(sql);
}

/**
 * Does work in a transaction of a connection.
 *
 * @param commit runs what ends the transaction
 */
export async function inTransaction<T>(
  connection: DuckDBConnection,
  work: () => Promise<T>,
  commit: (run: () => Promise<unknown>, result: T) => Promise<unknown> = (run) => run(),
): Promise<void> {
  await connection.run('BEGIN');
  try {
    const result = await work();
    await commit(() => connection.run('COMMIT'), result);
  } catch (error) {
    // A COMMIT that failed has already ended the transaction.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** SQL that reads Parquet files as one table. */
export const parquetSql = (paths: readonly string[], moreOptions = '') =>
  `read_parquet([${paths.map(globText).join(', ')}], hive_partitioning = false${moreOptions})`;
