import { type ShreddedColumn, shreddedColumns, type SourceValue } from '@querygate/bigquery-sql/duckdb';
import { fileColumn } from '@querygate/bigquery-sql/table-schema';
import type { Origin } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import type { TableInStore } from './table-in-store.ts';

/** The stored columns by which a table may be sorted, the best first. */
export type SortColumns = (table: string) => Iterable<Origin>;

/** A stored column, and the SQL of its value. */
interface Value {
  readonly name: string;
  readonly sql: string;
}

/** The values of a row of a source, which the statement calls `r`, with the number of its file. */
export function valuesOf(
  table: TableInStore,
  sourceColumns: ReadonlyMap<string, SourceValue>,
  file: string,
): readonly Value[] {
  const columns: readonly ShreddedColumn[] = shreddedColumns(table, table.columns);
  return [
    ...columns.map(({ name, value }) => ({ name, sql: value(sourceColumns) })),
    { name: fileColumn, sql: file },
  ];
}

/** SELECT of values from a source. */
export const rowsOf = (values: readonly Value[], source: string) =>
  `SELECT ${values.map((value) => `${value.sql} AS ${quote(value.name)}`).join(', ')} FROM ${source}`;

/**
 * SELECT of values from a source in the order in which they are stored. Rows of one day lie together, within a day those
 * with one value of the sort column, in the order of time, so that a query for a time window reads few row groups.
 */
export function sortedRows(
  { name, time }: TableInStore,
  sortColumns: SortColumns,
  values: readonly Value[],
  source: string,
): string {
  const rows = rowsOf(values, source);
  if (time === undefined) return rows;
  const by = Iterator.from(sortColumns(name)).find(({ path }) => values.some((value) => value.name === path));
  const keys = [`date_trunc('day', ${quote(time)})`, ...(by ? [quote(by.path)] : []), quote(time)];
  return `SELECT * FROM (${rows}) ORDER BY ${keys.join(', ')}`;
}
