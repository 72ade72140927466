import type { DuckDBConnection } from '@duckdb/node-api';
import type { TableSchema } from '../../../../catalog/tables/table-schema.ts';
import { type Refuse, refusalInTry, storedValue } from '../../store/stored-value.ts';
import type { Reject } from '../manifest.ts';
import { globText } from '../read/glob-text.ts';
import { rowsOfParquet } from '../read/source-relation.ts';
import type { DataFile } from '../scan/data-files.ts';
import { reasonOf } from './describe-problem.ts';

export interface SiftParquetOptions {
  readonly connection: DuckDBConnection;
  readonly table: TableSchema;
  readonly file: DataFile;
  /** How many errors are asked for. */
  readonly reasons: number;
}

/**
 * The rows of a Parquet file whose values cannot be of the declared types; by number, from 1.
 *
 * @throws Error where the file cannot be read, or where its columns can never be of the declared types
 */
export async function siftParquet(options: SiftParquetOptions): Promise<readonly Reject[]> {
  const { connection, file, table } = options;
  const { found } = await rowsOfParquet(connection, file, 0);
  const valuesBy = (refuse?: Refuse) =>
    table.fields.map((field) => storedValue(field, found.get(field.name.toLowerCase()), refuse)).join(', ');
  const source = `read_parquet(${globText(file.path)}, hive_partitioning = false, file_row_number = true) AS r`;
  const result = await connection.runAndReadAll(
    `SELECT r.file_row_number FROM ${source} WHERE TRY(hash(${valuesBy(refusalInTry('r.file_row_number'))})) IS NULL ORDER BY ALL`,
  );
  const rejects: Reject[] = [];
  for (const [row] of result.getRowsJS()) {
    const line = Number(row) + 1;
    let reason = 'is not as the table declares it';
    if (rejects.length < options.reasons) {
      const error = await connection
        .run(`SELECT hash(${valuesBy()}) FROM ${source} WHERE r.file_row_number = ${row}`)
        .then(
          () => undefined,
          (cause: unknown) => cause,
        );
      if (error !== undefined) reason = reasonOf(error, file);
    }
    rejects.push({ line, isRow: true, reason });
  }
  return rejects;
}
