import type { DuckDBConnection } from '@duckdb/node-api';
import { describeSource, reservedName, shreddedColumns } from '@querygate/bigquery-sql/duckdb';
import { quoteText, type StoredColumn } from '@querygate/bigquery-sql/tree';
import { isScalar, quote, type Type } from '@querygate/bigquery-sql/types';
import { parquetSql } from '../store/statements.ts';
import type { TableInStore } from '../store/table-in-store.ts';

/** SELECT of the rows of a table as Parquet has them, without a condition. */
export function parquetRows({ columns, relation }: TableInStore): string {
  const list = columns.map((column) => `${parquetValue(column, column.name)} AS ${quote(column.name)}`);
  return `SELECT ${list.join(', ')} FROM ${relation}`;
}

/** SELECT of the stored values of a table, from the store, or from a file as queries read it. */
export async function storedRows(
  connection: DuckDBConnection,
  table: TableInStore,
  file?: string,
): Promise<string> {
  const from = file === undefined ? table.relation : parquetSql([file]);
  const sources = file === undefined ? undefined : await describeSource(connection, from);
  const list = shreddedColumns(table, table.columns).map(({ name, type, value }) =>
    sources ? `CAST(${value(sources)} AS ${type}) AS ${quote(name)}` : quote(name),
  );
  return `SELECT ${list.join(', ')} FROM ${from} AS r`;
}

/** COPY of rows to a file. */
export const writeParquetSql = (rows: string, file: string): string =>
  `COPY (${rows}) TO ${quoteText(file)} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`;

/** A stored value as Parquet has it: a shredded record is a STRUCT, of which queries read only the fields that they name. */
function parquetValue({ fields, type }: StoredColumn, path: string): string {
  if (fields) {
    const members = fields.map(
      (part) => `${quote(part.name)} := ${parquetValue(part, `${path}.${part.name}`)}`,
    );
    return `CASE WHEN ${quote(path)} THEN struct_pack(${members.join(', ')}) END`;
  }
  return hasBignumeric(type) ? textsIn(quote(path), type) : quote(path);
}

function hasBignumeric(type: Type): boolean {
  if (type.kind === 'array') return hasBignumeric(type.element);
  if (type.kind === 'struct') return type.fields.some((field) => hasBignumeric(field.type));
  return isScalar(type, 'BIGNUMERIC');
}

/** Parquet has no numbers of so many digits: they become texts, and the file is imported. @param depth of lists */
function textsIn(value: string, type: Type, depth = 0): string {
  if (type.kind === 'array') {
    const each = quote(reservedName(`element ${depth}`));
    return `list_transform(${value}, lambda ${each}: ${textsIn(each, type.element, depth + 1)})`;
  }
  if (type.kind === 'struct') {
    const members = type.fields.map(
      (field) => `${quote(field.name)} := ${textsIn(`(${value}).${quote(field.name)}`, field.type, depth)}`,
    );
    return `CASE WHEN ${value} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`;
  }
  if (!isScalar(type, 'BIGNUMERIC')) return value;
  const units = `CAST(${value} AS VARCHAR)`;
  const digits = `ltrim(${units}, '-')`;
  const padded = `repeat('0', 39 - length(${digits})) || ${digits}`;
  return `CASE WHEN starts_with(${units}, '-') THEN '-' ELSE '' END || left(${padded}, -38) || '.' || right(${padded}, 38)`;
}
