import type { DuckDBConnection } from '@duckdb/node-api';
import { globText } from '@querygate/bigquery-sql/command';
import type { DataFile } from '../scan/data-files.ts';
import { buildRelation, type SourceRelation } from './source-relation.ts';

/** The rows of a Parquet file. @param excludedRows numbers of rows to leave out, from 1 */
export function parquetRelation(
  connection: DuckDBConnection,
  { path, partition }: Pick<DataFile, 'path' | 'partition'>,
  number: number,
  excludedRows: readonly number[] = [],
): Promise<SourceRelation> {
  const rows = `read_parquet(${globText(path)}, hive_partitioning = false`;
  const source =
    excludedRows.length === 0
      ? `${rows})`
      : `(SELECT * FROM ${rows}, file_row_number = true) WHERE file_row_number + 1 NOT IN (${excludedRows.join(', ')}))`;
  return buildRelation(connection, source, partition, String(number));
}
