import type { DuckDBConnection } from '@duckdb/node-api';
import { VARCHAR } from '@duckdb/node-api';
import type { Field, TableSchema } from '../../../../catalog/tables/table-schema.ts';
import { columnType, quoteText } from '../../store/column-type.ts';
import { type FoundValue, foundColumns } from '../../store/stored-value.ts';
import type { DataFile } from '../scan/data-files.ts';
import { globText } from './glob-text.ts';

const fileColumn = 'querygate file';

/** Rows as DuckDB finds them: what may stand in a FROM clause as `r`, what it has, and how a row's file is told. */
export interface SourceRelation {
  readonly source: string;
  readonly columns: ReadonlyMap<string, FoundValue>;
  /** SQL of the file's number. */
  readonly fileNumber: string;
}

/** Lines of a file, by themselves in a scratch file whose name is `scratchName` of the file's number. */
export interface LinesFile {
  readonly number: number;
  readonly path: string;
}

export const scratchName = (number: number): string => String(number).padStart(10, '0');

/** The rows of files of lines; all are of one table and one partition. */
export function linesRelation(
  connection: DuckDBConnection,
  table: TableSchema,
  partition: DataFile['partition'],
  files: readonly LinesFile[],
): Promise<SourceRelation> {
  const isOne = files.length === 1;
  const source = readJsonSql(
    table,
    files.map(({ path }) => path),
    isOne ? '' : `, filename = ${quoteText(fileColumn)}`,
  );
  const file = isOne ? String(files[0]?.number) : `CAST(right(r."${fileColumn}", 10) AS INTEGER)`;
  return buildRelation(connection, source, partition, file);
}

/** SQL that reads files of lines as rows of a table. */
export function readJsonSql({ fields }: TableSchema, paths: readonly string[], more = ''): string {
  const columns = fields.map(
    (field) => `${quoteText(field.name)}: ${quoteText(columnType(withTextTypes(field)))}`,
  );
  return `read_json([${paths.map(globText).join(', ')}], columns = {${columns.join(', ')}},
    format = 'newline_delimited', compression = 'uncompressed', hive_partitioning = false${more})`;
}

/** The rows of a Parquet file, without those of some numbers (from 1). */
export function parquetRelation(
  connection: DuckDBConnection,
  { path, partition }: Pick<DataFile, 'path' | 'partition'>,
  number: number,
  without: readonly number[] = [],
): Promise<SourceRelation> {
  const rows = `read_parquet(${globText(path)}, hive_partitioning = false`;
  const source =
    without.length === 0
      ? `${rows})`
      : `(SELECT * FROM ${rows}, file_row_number = true) WHERE file_row_number + 1 NOT IN (${without.join(', ')}))`;
  return buildRelation(connection, source, partition, String(number));
}

async function buildRelation(
  connection: DuckDBConnection,
  source: string,
  partition: DataFile['partition'],
  file: string,
): Promise<SourceRelation> {
  const found = await foundColumns(connection, source);
  for (const [key, value] of Object.entries(partition)) found.set(key, partitionValue(value));
  return { source, columns: found, fileNumber: file };
}

/** What a folder's name says of a column. */
export const partitionValue = (value: string | null): FoundValue => ({
  sql: value === null ? 'NULL' : quoteText(value),
  type: VARCHAR,
});

/** Values that JSON has no word for are read as text and converted by `storedValue`. */
export function withTextTypes(field: Field): Field {
  if (field.fields) return { ...field, fields: field.fields.map(withTextTypes) };
  return field.type === 'TIMESTAMP' || field.type === 'BYTES' ? { ...field, type: 'STRING' } : field;
}
