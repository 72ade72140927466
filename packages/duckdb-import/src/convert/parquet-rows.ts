import { quoteText, type StoredColumn } from '@querygate/bigquery-sql/tree';
import { isScalar, quote } from '@querygate/bigquery-sql/types';
import type { TableInStore } from '../store/table-in-store.ts';

/** SELECT of the rows of a table as Parquet has them, without a condition. */
export function parquetRows({ columns, relation }: TableInStore): string {
  const list = columns.map((column) => `${parquetValue(column, column.name)} AS ${quote(column.name)}`);
  return `SELECT ${list.join(', ')} FROM ${relation}`;
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
  if (!isScalar(type, 'BIGNUMERIC')) return quote(path);
  // Parquet has no numbers of so many digits: they become texts, and the file is imported.
  const units = `CAST(${quote(path)} AS VARCHAR)`;
  const digits = `lpad(ltrim(${units}, '-'), 39, '0')`;
  return `CASE WHEN starts_with(${units}, '-') THEN '-' ELSE '' END || left(${digits}, -38) || '.' || right(${digits}, 38)`;
}
