import { type ShreddedColumn, type SourceValue, shreddedColumns } from '@querygate/bigquery-sql/duckdb';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import { quote } from '@querygate/bigquery-sql/types';
import { parquetSql } from '../statements.ts';
import type { TableInStore } from '../table-in-store.ts';
import type { PlacedFile } from './placed-file.ts';

/** The rows of a table that are read where they are. */
export interface RowsInPlace {
  readonly files: readonly PlacedFile[];
  /** True if there are imported rows, too. */
  readonly hasImported: boolean;
  /** The table in a lake that has all its rows. */
  readonly lake?: LakeRows;
  /** Reads the rows that it had at other times. */
  readonly past?: PastRows;
}

/** A table of a lake, at one snapshot. */
export interface LakeRows {
  /** A FROM item; statements call it `r`. */
  readonly from: string;
  /** Its columns, by name in lower case. */
  readonly sources: ReadonlyMap<string, SourceValue>;
  /** The snapshot at which its rows have changed last. */
  readonly version: number;
  /** Given if changes to the lake may make the snapshot unreadable: false if one has. */
  readonly isUnchanged?: () => Promise<boolean>;
}

/** Why a table has no rows. */
export interface NoRows {
  readonly problem: string;
}

/** The snapshots of a lake, and the rows of one of its tables at them. */
export interface PastRows {
  /** The snapshot that the lake had at a time, in microseconds since the epoch. */
  snapshotAt(micros: bigint): Promise<number | NoRows>;
  rowsAt(snapshot: number): Promise<LakeRows | NoRows>;
}

interface RowsOfTable extends RowsInPlace {
  /** Rows of files from before this time, in microseconds since the epoch, are left out. */
  readonly since: bigint | undefined;
  /** Of the stored columns, those that a statement names; without it, all. */
  readonly columns?: ReadonlySet<string>;
}

/** SELECT of the stored columns of a table, from files where they are, and from the store. */
export function filesRelation(table: TableInStore, rows: RowsOfTable): string {
  const { files, hasImported, lake } = rows;
  if (lake) return selectRows(table, lake.sources, lake.from, rows);
  const branches = [...Map.groupBy(files, ({ shape }) => shape).values()].map((ofShape) =>
    selectFiles(table, ofShape, rows),
  );
  const imported = `SELECT ${columnsOf(table, rows)
    .map(({ name }) => quote(name))
    .join(', ')} FROM ${table.rows}`;
  return [...branches, ...(hasImported || branches.length === 0 ? [imported] : [])].join(' UNION ALL ');
}

function columnsOf(table: TableInStore, { columns }: RowsOfTable): readonly ShreddedColumn[] {
  const all = shreddedColumns({ ...table, fields: table.fields.map(checkedField) }, table.columns);
  const named = columns ? all.filter(({ name }) => columns.has(name)) : all;
  // A statement that counts rows names no column.
  return named.length > 0 ? named : all.slice(0, 1);
}

/** The file has been examined: a field that is required has a value. */
const checkedField = (field: Field): Field => ({
  ...field,
  ...(field.mode === 'REQUIRED' && { mode: 'NULLABLE' }),
  ...(field.fields && { fields: field.fields.map(checkedField) }),
});

function selectFiles(table: TableInStore, files: readonly PlacedFile[], rows: RowsOfTable): string {
  const [first] = files;
  const sources = new Map<string, SourceValue>([
    ...(first?.sources ?? []),
    ...[...(first?.partitionSources ?? [])].map(([name, { type }], at) => {
      const values = files.map(({ partition }) => partition[at]?.[2] ?? 'NULL');
      // DuckDB counts the files of the list from 0.
      const sql = `CAST([${values.join(', ')}] AS ${type}[])[CAST(r.file_index AS BIGINT) + 1]`;
      return [name, { sql, type, isChecked: true }] as const;
    }),
  ]);
  const from = parquetSql(files.map(({ path }) => path));
  return selectRows(table, sources, `${from} AS r`, rows);
}

function selectRows(
  table: TableInStore,
  sources: ReadonlyMap<string, SourceValue>,
  from: string,
  rows: RowsOfTable,
): string {
  const { since } = rows;
  const list = columnsOf(table, rows).map(({ name, value }) => `${value(sources)} AS ${quote(name)}`);
  const [time] =
    table.time === undefined ? [] : columnsOf(table, { ...rows, columns: new Set([table.time]) });
  const condition =
    since === undefined || time === undefined
      ? ''
      : ` WHERE ${time.value(sources)} >= make_timestamptz(${since})`;
  return `SELECT ${list.join(', ')} FROM ${from}${condition}`;
}
