import type { DuckDBConnection } from '@duckdb/node-api';
import { globText } from '@querygate/bigquery-sql/command';
import { errorInTry, type ErrorSql, storedValue } from '@querygate/bigquery-sql/duckdb';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { parquetRelation } from '../read/read-parquet.ts';
import type { DataFile } from '../scan/data-files.ts';
import type { Reject } from '../store/manifest.ts';
import { describeReason, generalReason } from './describe-problem.ts';

interface RejectParquetOptions {
  readonly connection: DuckDBConnection;
  readonly table: TableSchema;
  readonly file: DataFile;
  /** How many rejects get a reason of their own. */
  readonly maxReasons: number;
}

/**
 * Finds the rows of a Parquet file whose values cannot be converted to the declared types.
 *
 * @throws Error if the file cannot be read, or if a column's type can never be converted
 */
export async function rejectParquetRows(options: RejectParquetOptions): Promise<readonly Reject[]> {
  const { connection, file, table } = options;
  const { columns } = await parquetRelation(connection, file, 0);
  const valuesBy = (refuse?: ErrorSql) =>
    table.fields.map((field) => storedValue(field, columns.get(field.name.toLowerCase()), refuse)).join(', ');
  const source = `read_parquet(${globText(file.path)}, hive_partitioning = false, file_row_number = true) AS r`;
  const result = await connection.runAndReadAll(
    `SELECT r.file_row_number FROM ${source} WHERE TRY(hash(${valuesBy(errorInTry('r.file_row_number'))})) IS NULL ORDER BY ALL`,
  );
  const rejects: Reject[] = [];
  for (const [row] of result.getRowsJS()) {
    const line = Number(row) + 1;
    let reason = generalReason;
    if (rejects.length < options.maxReasons) {
      const error = await connection
        .run(`SELECT hash(${valuesBy()}) FROM ${source} WHERE r.file_row_number = ${row}`)
        .then(
          () => undefined,
          (cause: unknown) => cause,
        );
      if (error !== undefined) reason = describeReason(error, file);
    }
    rejects.push({ line, isRow: true, reason });
  }
  return rejects;
}
