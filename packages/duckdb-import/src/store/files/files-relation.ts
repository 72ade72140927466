import { globText } from '@querygate/bigquery-sql/command';
import { type SourceValue, shreddedColumns } from '@querygate/bigquery-sql/duckdb';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import { quote } from '@querygate/bigquery-sql/types';
import type { TableInStore } from '../table-in-store.ts';
import type { PlacedFile } from './placed-file.ts';

/** The rows that a table has. */
interface RowsOfTable {
  readonly files: readonly PlacedFile[];
  /** True if there are imported rows, too. */
  readonly hasImported: boolean;
  /** Rows of files from before this time, in microseconds since the epoch, are left out. */
  readonly since: bigint | undefined;
}

/** SELECT of the stored columns of a table, from files where they are, and from the store. */
export function filesRelation(table: TableInStore, { files, hasImported, since }: RowsOfTable): string {
  const branches = [...Map.groupBy(files, ({ shape }) => shape).values()].map((ofShape) =>
    selectFiles(table, ofShape, since),
  );
  const imported = `SELECT ${columnsOf(table)
    .map(({ name }) => quote(name))
    .join(', ')} FROM ${table.rows}`;
  return [...branches, ...(hasImported || branches.length === 0 ? [imported] : [])].join(' UNION ALL ');
}

const columnsOf = (table: TableInStore) =>
  shreddedColumns({ ...table, fields: table.fields.map(checkedField) }, table.columns);

/** The file has been examined: a field that is required has a value. */
const checkedField = (field: Field): Field => ({
  ...field,
  ...(field.mode === 'REQUIRED' && { mode: 'NULLABLE' }),
  ...(field.fields && { fields: field.fields.map(checkedField) }),
});

function selectFiles(table: TableInStore, files: readonly PlacedFile[], since: bigint | undefined): string {
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
  const columns = columnsOf(table).map(({ name, value }) => ({ name, sql: value(sources) }));
  const list = columns.map(({ name, sql }) => `${sql} AS ${quote(name)}`);
  const paths = files.map(({ path }) => globText(path));
  const time = columns.find(({ name }) => name === table.time)?.sql;
  const condition =
    since === undefined || time === undefined ? '' : ` WHERE ${time} >= make_timestamptz(${since})`;
  return `SELECT ${list.join(', ')} FROM read_parquet([${paths.join(', ')}], hive_partitioning = false) AS r${condition}`;
}
