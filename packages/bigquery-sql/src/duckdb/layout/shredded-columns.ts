import { DuckDBTypeId } from '@duckdb/node-api';
import type { Field, TableSchema } from '../../table-schema.ts';
import { quoteText } from '../../tree/quote-text.ts';
import { layoutColumns, type StoredColumn } from '../../tree/stored-table.ts';
import { quote } from '../../types.ts';
import { columnType } from './column-type.ts';
import { withPairs } from './map-pairs.ts';
import type { SourceValue } from './scalar-value.ts';
import { storedValue } from './stored-value.ts';

/** A physical column: the value of a field that is not shredded, or the presence of a shredded record. */
export interface ShreddedColumn {
  /** The path of the field, as in `metadata.request.url`. */
  readonly name: string;
  readonly type: string;
  /** SQL of the value, from the columns of a source of rows. */
  value(row: ReadonlyMap<string, SourceValue>): string;
}

const repeatedRecord = 'repeated record: ';

/** SQL that fails: a row has several elements of a record that is stored shredded. */
export const repeatedRecordError = (path: string): string =>
  `error(${quoteText(`${repeatedRecord}${path}`)})`;

/** The path of the record if a statement failed with `repeatedRecordError`; undefined for any other error. */
export function parseRepeatedRecord(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : '';
  // Only at the beginning: other errors may quote a value of the data.
  const prefix = `Invalid Input Error: ${repeatedRecord}`;
  return message.startsWith(prefix) ? message.slice(prefix.length).split('\n', 1)[0]?.trim() : undefined;
}

/**
 * How a table is stored: a record that occurs at most once in each row is shredded into columns of its own, so that a
 * query reads only the fields that it names. Records that have several elements in some row stay lists, with everything
 * below them.
 *
 * @param repeatedPaths paths of the REPEATED records that have several elements, as found in the data
 */
export const storedColumns = (
  { fields }: TableSchema,
  repeatedPaths: ReadonlySet<string>,
): readonly StoredColumn[] => layoutColumns(fields, (path) => !repeatedPaths.has(path));

/** The physical columns of a table, in their order. */
export const shreddedColumns = (
  { fields }: TableSchema,
  columns: readonly StoredColumn[],
): readonly ShreddedColumn[] =>
  columns.flatMap((column, index) => {
    const field = fields[index];
    const find: Find = (row) => row.get(column.name.toLowerCase());
    return field ? physicalColumns(field, column, column.name, find) : [];
  });

/** Finds the value of one field in a source of rows; undefined if the source does not have it. */
type Find = (row: ReadonlyMap<string, SourceValue>) => SourceValue | undefined;

function physicalColumns(
  field: Field,
  column: StoredColumn,
  path: string,
  findValue: Find,
): readonly ShreddedColumn[] {
  const find: Find = (row) => {
    const value = findValue(row);
    return value && withPairs(field, value);
  };
  if (!column.fields) {
    const value = (row: ReadonlyMap<string, SourceValue>) => storedValue(field, find(row));
    return [{ name: path, type: columnType(field), value }];
  }
  const record: Find = (row) => recordOf(find(row));
  const presence: ShreddedColumn = {
    name: path,
    type: 'BOOLEAN',
    value: (row) => presenceSql(path, find(row)),
  };
  const nested = column.fields.flatMap((part, index) => {
    const inner = field.fields?.[index];
    if (!inner) return [];
    const [own, ...rest] = physicalColumns(inner, part, `${path}.${part.name}`, (row) =>
      entryOf(record(row), part.name),
    );
    return own ? [inner.mode === 'NULLABLE' ? own : onlyIfPresent(own, record), ...rest] : [];
  });
  return [presence, ...nested];
}

/** A field of an absent record is NULL, also if it is required or repeated: it is neither missing nor []. */
const onlyIfPresent = (column: ShreddedColumn, record: Find): ShreddedColumn => ({
  ...column,
  value: (row) => `CASE WHEN ${record(row)?.sql ?? 'NULL'} IS NOT NULL THEN ${column.value(row)} END`,
});

function presenceSql(path: string, value: SourceValue | undefined): string {
  const record = recordOf(value);
  if (!value || !record) return 'false';
  const presence = `${record.sql} IS NOT NULL`;
  if (record.type.typeId !== DuckDBTypeId.STRUCT && record.type.typeId !== DuckDBTypeId.SQLNULL)
    return `CASE WHEN ${presence} THEN error(${quoteText(`${path}: is not a RECORD`)}) ELSE false END`;
  if (value.type.typeId !== DuckDBTypeId.LIST || value.isChecked) return presence;
  return `CASE WHEN len(${value.sql}) > 1 THEN ${repeatedRecordError(path)} ELSE ${presence} END`;
}

function recordOf(value: SourceValue | undefined): SourceValue | undefined {
  if (value?.type.typeId !== DuckDBTypeId.LIST) return value;
  return { ...value, sql: `(${value.sql})[1]`, type: value.type.valueType };
}

function entryOf(record: SourceValue | undefined, name: string): SourceValue | undefined {
  if (record?.type.typeId !== DuckDBTypeId.STRUCT) return undefined;
  const { entryNames, entryTypes } = record.type;
  const index = entryNames.findIndex((entry) => entry.toLowerCase() === name.toLowerCase());
  const [entry, type] = [entryNames[index], entryTypes[index]];
  return entry === undefined || type === undefined
    ? undefined
    : { ...record, sql: `${record.sql}.${quote(entry)}`, type };
}
