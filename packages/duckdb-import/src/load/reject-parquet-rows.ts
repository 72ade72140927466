import type { DuckDBConnection } from '@duckdb/node-api';
import { errorInTry } from '@querygate/bigquery-sql/duckdb';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { describeReason, generalReason } from '../read/describe-problem.ts';
import { numberedRows, parquetRelation, rowNumber, valuesSql } from '../read/source-relation.ts';
import type { DataFile } from '../scan/data-files.ts';
import type { Reject } from '../store/manifest.ts';
import { isOutOfSpace } from '../store/disk-space.ts';
import { readRows } from '../store/statements.ts';

/**
 * Finds the rows of a Parquet file whose values cannot be converted to the declared types.
 *
 * @param maxReasons how many rejects get a reason of their own
 * @throws Error if the file cannot be read, or if a column's type can never be converted
 */
export async function rejectParquetRows(
  connection: DuckDBConnection,
  table: TableSchema,
  file: DataFile,
  maxReasons: number,
): Promise<readonly Reject[]> {
  const { columns } = await parquetRelation(connection, file, 0);
  const source = `${numberedRows(file.path, columns)} AS r`;
  const inTry = valuesSql(table, columns, errorInTry(`r.${rowNumber}`));
  const found = await readRows(
    connection,
    `SELECT r.${rowNumber} FROM ${source} WHERE TRY(hash(${inTry})) IS NULL ORDER BY ALL`,
  );
  const rejects: Reject[] = [];
  for (const [row] of found) {
    const read = `SELECT hash(${valuesSql(table, columns)}) FROM ${source} WHERE r.${rowNumber} = ${row}`;
    const hasReason = rejects.length < maxReasons;
    const error = hasReason ? await connection.run(read).then(noError, (cause: unknown) => cause) : undefined;
    if (isOutOfSpace(error)) throw error;
    const reason = error === undefined ? generalReason : describeReason(error, file);
    rejects.push({ line: Number(row) + 1, isRow: true, reason });
  }
  return rejects;
}

const noError = () => undefined;
