import type { Field } from '../../table-schema.ts';
import { quoteText } from '../../tree/quote-text.ts';
import type { StoredTable } from '../../tree/stored-table.ts';
import {
  columnsOf,
  describeType,
  duckdbType,
  quote,
  sameName,
  type Type,
  withoutCollation,
} from '../../types.ts';

/** The schema of the views that describe tables. */
export const informationSchema = 'INFORMATION_SCHEMA';

/** The name of a view in it, as a table has it. */
export const viewName = (view: string): string => `${informationSchema}.${view}`;

/** True for the name of a view in it: no other table has a dot in its name. */
export const isViewName = (name: string): boolean => name.startsWith(`${informationSchema}.`);

/** A table as the views describe it. */
export interface DescribedTable {
  readonly name: string;
  /** Its project and its data set; empty for a table, whose data set is that of the path which names a view. */
  readonly path?: readonly string[];
  readonly kind: 'BASE TABLE' | 'VIEW';
  readonly columns: readonly DescribedColumn[];
}

interface DescribedColumn {
  readonly name: string;
  readonly type: Type;
  readonly isNullable: boolean;
  /** As it is declared. */
  readonly field?: Field | undefined;
}

/** A column of a view, with its values as SQL: one for all rows, or one for each; NULL by default. */
type ViewColumn<Row> = readonly [
  name: string,
  type: Field['type'] | 'ARRAY<STRING>',
  value?: string | ((row: Row) => string),
];

interface OfTable {
  readonly table: Pick<DescribedTable, 'name' | 'path'>;
}

const ofTable: readonly ViewColumn<OfTable>[] = [
  ['table_catalog', 'STRING', ({ table: { path = [] } }) => quoteText(path.at(-2) ?? '')],
  ['table_schema', 'STRING', ({ table: { path = [] } }) => quoteText(path.at(-1) ?? '')],
  ['table_name', 'STRING', ({ table }) => quoteText(table.name)],
];

/** @see https://cloud.google.com/bigquery/docs/information-schema-tables */
const tablesView: readonly ViewColumn<{ readonly table: DescribedTable }>[] = [
  ...ofTable,
  ['table_type', 'STRING', ({ table }) => quoteText(table.kind)],
  ['managed_table_type', 'STRING'],
  ['is_insertable_into', 'STRING', "'NO'"],
  ['is_fine_grained_mutations_enabled', 'STRING', "'NO'"],
  ['is_typed', 'STRING', "'NO'"],
  ['is_change_history_enabled', 'STRING', "'NO'"],
  ['creation_time', 'TIMESTAMP'],
  ['base_table_catalog', 'STRING'],
  ['base_table_schema', 'STRING'],
  ['base_table_name', 'STRING'],
  ['snapshot_time_ms', 'TIMESTAMP'],
  ['replica_source_catalog', 'STRING'],
  ['replica_source_schema', 'STRING'],
  ['replica_source_name', 'STRING'],
  ['replication_status', 'STRING'],
  ['replication_error', 'STRING'],
  ['ddl', 'STRING'],
  ['default_collation_name', 'STRING'],
  ['sync_status', 'JSON'],
  ['upsert_stream_apply_watermark', 'TIMESTAMP'],
];

/** @see https://cloud.google.com/bigquery/docs/information-schema-columns */
const columnsView: readonly ViewColumn<{
  readonly table: DescribedTable;
  readonly column: DescribedColumn;
  readonly position: number;
}>[] = [
  ...ofTable,
  ['column_name', 'STRING', ({ column }) => quoteText(column.name)],
  ['ordinal_position', 'INT64', ({ position }) => String(position)],
  ['is_nullable', 'STRING', ({ column }) => (column.isNullable ? "'YES'" : "'NO'")],
  [
    'data_type',
    'STRING',
    ({ column: { type, field } }) => quoteText(dataType(withoutCollation(type), field)),
  ],
  ['is_generated', 'STRING', "'NEVER'"],
  ['generation_expression', 'STRING'],
  ['is_stored', 'STRING'],
  ['is_hidden', 'STRING', "'NO'"],
  ['is_updatable', 'STRING'],
  ['is_system_defined', 'STRING', "'NO'"],
  ['is_partitioning_column', 'STRING', "'NO'"],
  ['clustering_ordinal_position', 'INT64'],
  ['collation_name', 'STRING'],
  ['column_default', 'STRING'],
  ['rounding_mode', 'STRING'],
  ['policy_tags', 'ARRAY<STRING>', '[]'],
];

/** @see https://cloud.google.com/bigquery/docs/information-schema-partitions */
const partitionsView: readonly ViewColumn<{ readonly table: StoredTable }>[] = [
  ...ofTable,
  ['partition_id', 'STRING'],
  ['total_rows', 'INT64', ({ table }) => `(SELECT count(*) FROM ${table.relation ?? quote(table.name)})`],
  ['total_logical_bytes', 'INT64'],
  ['last_modified_time', 'TIMESTAMP'],
  ['storage_tier', 'STRING'],
];

/** The views of tables that are described: TABLES and COLUMNS. They say nothing of rows. */
export function describingViews(tables: () => readonly DescribedTable[]): readonly StoredTable[] {
  return [
    view('TABLES', tablesView, () => tables().map((table) => ({ table }))),
    view('COLUMNS', columnsView, () =>
      tables().flatMap((table) => table.columns.map((column, at) => ({ table, column, position: at + 1 }))),
    ),
  ];
}

/** The view that counts the rows of stored tables, each of which is one partition. */
export const partitionsOf = (tables: readonly StoredTable[]): StoredTable =>
  view('PARTITIONS', partitionsView, () => tables.map((table) => ({ table })));

/** The views of stored tables, and of others that only TABLES and COLUMNS describe. */
export const storedViews = (
  tables: readonly StoredTable[],
  others: () => readonly DescribedTable[],
): readonly StoredTable[] => [
  ...describingViews(() => [...tables.map(describe), ...others()]),
  partitionsOf(tables),
];

function describe({ name, fields, columns = columnsOf(fields) }: StoredTable): DescribedTable {
  return {
    name,
    kind: 'BASE TABLE',
    columns: columns.map((column, at) => {
      const field = fields[at];
      const isNullable = column.type.kind !== 'array' && field?.mode !== 'REQUIRED';
      return { name: column.name, type: column.type, isNullable, field };
    }),
  };
}

/** A view is made of literals when a query reads it. */
function view<Row>(
  name: string,
  columns: readonly ViewColumn<Row>[],
  rows: () => readonly Row[],
): StoredTable {
  const fields = columns.map(
    ([column, type]): Field =>
      type === 'ARRAY<STRING>'
        ? { name: column, type: 'STRING', mode: 'REPEATED' }
        : { name: column, type, mode: 'NULLABLE' },
  );
  let relation: string | undefined;
  return {
    name: viewName(name),
    fields,
    get relation() {
      relation ??= relationOf(columns, fields, rows());
      return relation;
    },
  };
}

function relationOf<Row>(
  columns: readonly ViewColumn<Row>[],
  fields: readonly Field[],
  rows: readonly Row[],
): string {
  const ofRow = columns.flatMap(([name, , value]) => (typeof value === 'function' ? [{ name, value }] : []));
  const texts = rows.map((row) => `(${ofRow.map(({ value }) => value(row)).join(', ')})`);
  const values = texts.length > 0 ? texts : [`(${ofRow.map(() => 'NULL').join(', ')})`];
  const types = columnsOf(fields).map(({ type }) => duckdbType(type));
  const selected = columns.map(([name, , value], at) => {
    const text = typeof value === 'function' ? `r.${quote(name)}` : (value ?? 'NULL');
    return `CAST(${text} AS ${types[at]}) AS ${quote(name)}`;
  });
  const from = `(VALUES ${values.join(', ')}) AS r(${ofRow.map(({ name }) => quote(name)).join(', ')})`;
  return `(SELECT ${selected.join(', ')} FROM ${from}${texts.length > 0 ? '' : ' WHERE false'})`;
}

/** A type as BigQuery writes it, with the parameters that a field declares. */
function dataType(type: Type, field: Field | undefined): string {
  switch (type.kind) {
    case 'array':
      return `ARRAY<${dataType(type.element, field)}>`;
    case 'struct': {
      const fields = type.fields.map((one) => {
        const declared = field?.fields?.find(({ name }) => sameName(name, one.name));
        return `${one.name} ${dataType(one.type, declared)}`.trim();
      });
      return `STRUCT<${fields.join(', ')}>`;
    }
    default:
      return describeType(type) + (field?.parameters === undefined ? '' : `(${field.parameters})`);
  }
}
