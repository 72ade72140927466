import { type DuckDBConnection, VARCHAR } from '@duckdb/node-api';
import { globText } from '@querygate/bigquery-sql/command';
import {
  columnType,
  describeSource,
  type ErrorSql,
  reservedName,
  type SourceValue,
  storedValue,
} from '@querygate/bigquery-sql/duckdb';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import type { DataFile } from '../scan/data-files.ts';
import type { SourceRelation } from '../store/import-tables.ts';
import { withoutValues } from '../store/files/placed-file.ts';
import { parquetSql } from '../store/statements.ts';
import { pathsWithoutValues, readParquetColumns } from './parquet-columns.ts';

const fileColumn = reservedName('file');

/** A scratch file with lines of one data file; its name is `scratchName` of the file's number. */
interface LinesFile {
  readonly number: number;
  readonly path: string;
}

export const scratchName = (number: number): string => String(number).padStart(10, '0');

/** The rows of scratch files, all of one table and one partition. */
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
  const fileNumber = isOne ? String(files[0]?.number) : `CAST(right(r.${quote(fileColumn)}, 10) AS INTEGER)`;
  return buildRelation(connection, source, partition, fileNumber);
}

/** SQL that reads scratch files as rows of a table. */
export function readJsonSql({ fields }: TableSchema, paths: readonly string[], moreOptions = ''): string {
  const columns = fields.map(
    (field) => `${quoteText(field.name)}: ${quoteText(columnType(withTextTypes(field)))}`,
  );
  return `read_json([${paths.map(globText).join(', ')}], columns = {${columns.join(', ')}},
    format = 'newline_delimited', records = true, compression = 'uncompressed', hive_partitioning = false${moreOptions})`;
}

/** The rows of a Parquet file, with the types of its values: a column without values has the type of NULL. @param excludedRows numbers of rows to leave out, from 1 */
export async function parquetRelation(
  connection: DuckDBConnection,
  { path, partition }: Pick<DataFile, 'path' | 'partition'>,
  number: number,
  excludedRows: readonly number[] = [],
): Promise<SourceRelation> {
  const all = parquetSql([path]);
  const found = await describeSource(connection, all);
  const source =
    excludedRows.length === 0
      ? all
      : `(SELECT * EXCLUDE ${rowNumber} FROM ${numberedRows(path, found)}
          WHERE ${rowNumber} + 1 NOT IN (${excludedRows.join(', ')}))`;
  const inFile = await readParquetColumns(connection, path);
  const empty = new Set(
    [...found].flatMap(([name, { type }], at) => pathsWithoutValues(type, inFile[at]?.part, name)),
  );
  const columns = new Map<string, SourceValue>(
    [...found].map(([name, { sql, type }]) => [
      name,
      { sql, type: withoutValues(type, name, empty), isRawJson: true },
    ]),
  );
  return { source, columns: withPartition(columns, partition), fileNumber: String(number) };
}

/** The column of `numberedRows` with the number of a row, from 0. */
export const rowNumber = quote(reservedName('row number'));

/** The rows of a Parquet file and their numbers. @param columns of the file, by name in lower case */
export function numberedRows(path: string, columns: ReadonlyMap<string, unknown>): string {
  // DuckDB has no option of that name then, and counts slower.
  return columns.has('file_row_number')
    ? `(SELECT *, row_number() OVER () - 1 AS ${rowNumber} FROM ${parquetSql([path])})`
    : `(SELECT * EXCLUDE file_row_number, file_row_number AS ${rowNumber} FROM ${parquetSql([path], ', file_row_number = true')})`;
}

/** The values that are stored of a row of a source, as SQL. @param refuse how a value that cannot be converted fails */
export const valuesSql = (
  { fields }: TableSchema,
  columns: SourceRelation['columns'],
  refuse?: ErrorSql,
): string =>
  fields.map((field) => storedValue(field, columns.get(field.name.toLowerCase()), refuse)).join(', ');

/** A source with its columns. @param fileNumber SQL for the number of a row's file */
async function buildRelation(
  connection: DuckDBConnection,
  source: string,
  partition: DataFile['partition'],
  fileNumber: string,
): Promise<SourceRelation> {
  return { source, columns: await describeColumns(connection, source, partition), fileNumber };
}

/** The columns of a source, and those that the names of folders (`date=2026-01-01`) give. */
export async function describeColumns(
  connection: DuckDBConnection,
  source: string,
  partition: DataFile['partition'],
): Promise<ReadonlyMap<string, SourceValue>> {
  return withPartition(await describeSource(connection, source), partition);
}

function withPartition(
  columns: Map<string, SourceValue>,
  partition: DataFile['partition'],
): ReadonlyMap<string, SourceValue> {
  for (const [key, value] of Object.entries(partition)) {
    columns.set(key, { sql: value === null ? 'NULL' : quoteText(value), type: VARCHAR });
  }
  return columns;
}

/** A field as it is read from JSON: as JSON or text, which `storedValue` converts, because DuckDB would round numbers. */
export function withTextTypes(field: Field): Field {
  if (field.fields) return { ...field, fields: field.fields.map(withTextTypes) };
  return { ...field, type: textTypes.has(field.type) ? 'STRING' : 'JSON' };
}

/** Types of which a number, `true` or a record never looks like a value: their text is enough. */
const textTypes: ReadonlySet<Field['type']> = new Set(['STRING', 'TIMESTAMP', 'DATE', 'TIME', 'DATETIME']);
