import { DuckDBTypeId } from '@duckdb/node-api';
import type { Field, TableSchema } from '../../../catalog/tables/table-schema.ts';
import { quoteText } from '../../dialect/expr/literals.ts';
import { layoutColumns, type StoredColumn } from '../../dialect/passes/shredded.ts';
import { quote } from '../../dialect/types.ts';
import { columnType } from './column-type.ts';
import { type FoundValue, storedValue } from './stored-value.ts';

/** A physical column: of a field that is stored whole, or of a shredded record, where it tells whether the record is there. */
export interface ShreddedColumn {
  /** The path of the field, as in `metadata.request.url`. */
  readonly name: string;
  readonly type: string;
  /** The value, from what a source of rows has. */
  value(found: ReadonlyMap<string, FoundValue>): string;
}

/** What DuckDB's error says where a record that is shredded has a second element, before the record's path. */
export const pluralRecord = 'plural record: ';

/**
 * How a table is stored: every record that is there at most once in a row is shredded over columns of its own, so that a
 * query reads the fields it names and nothing else. Records that have several elements somewhere stay lists, and what is
 * below them with them.
 *
 * @param plural paths of the REPEATED records that have several elements, as found in the data
 */
export const storedColumns = (
  { fields }: TableSchema,
  plural: ReadonlySet<string>,
): readonly StoredColumn[] => layoutColumns(fields, (path) => !plural.has(path));

/** The physical columns of a table, in their order. */
export const shreddedColumns = (
  { fields }: TableSchema,
  columns: readonly StoredColumn[],
): readonly ShreddedColumn[] =>
  columns.flatMap((column, index) => {
    const field = fields[index];
    const find: Find = (found) => found.get(column.name.toLowerCase());
    return field ? shredded(field, column, column.name, find) : [];
  });

/** What the rows of a source have at one place; undefined where they have nothing there. */
type Find = (found: ReadonlyMap<string, FoundValue>) => FoundValue | undefined;

function shredded(field: Field, column: StoredColumn, path: string, find: Find): readonly ShreddedColumn[] {
  if (!column.fields) {
    const value = (found: ReadonlyMap<string, FoundValue>) => storedValue(field, find(found));
    return [{ name: path, type: columnType(field), value }];
  }
  const record: Find = (found) => recordOf(find(found));
  const there: ShreddedColumn = { name: path, type: 'BOOLEAN', value: (found) => isThere(path, find(found)) };
  const below = column.fields.flatMap((part, index) => {
    const inner = field.fields?.[index];
    if (!inner) return [];
    const [own, ...rest] = shredded(inner, part, `${path}.${part.name}`, (found) =>
      entryOf(record(found), part.name),
    );
    return own ? [inner.mode === 'NULLABLE' ? own : onlyIfThere(own, record), ...rest] : [];
  });
  return [there, ...below];
}

/** A field of an absent record is NULL: neither missing where it is required, nor [] where it is repeated. */
const onlyIfThere = (column: ShreddedColumn, record: Find): ShreddedColumn => ({
  ...column,
  value: (found) => `CASE WHEN ${record(found)?.sql ?? 'NULL'} IS NOT NULL THEN ${column.value(found)} END`,
});

function isThere(path: string, found: FoundValue | undefined): string {
  const record = recordOf(found);
  if (!found || !record) return 'false';
  const there = `${record.sql} IS NOT NULL`;
  if (found.type.typeId !== DuckDBTypeId.LIST) return there;
  return `CASE WHEN len(${found.sql}) > 1 THEN error(${quoteText(`${pluralRecord}${path}`)}) ELSE ${there} END`;
}

function recordOf(found: FoundValue | undefined): FoundValue | undefined {
  if (found?.type.typeId !== DuckDBTypeId.LIST) return found;
  return { sql: `(${found.sql})[1]`, type: found.type.valueType };
}

function entryOf(record: FoundValue | undefined, name: string): FoundValue | undefined {
  if (record?.type.typeId !== DuckDBTypeId.STRUCT) return undefined;
  const { entryNames, entryTypes } = record.type;
  const index = entryNames.findIndex((entry) => entry.toLowerCase() === name.toLowerCase());
  const [entry, type] = [entryNames[index], entryTypes[index]];
  return entry === undefined || type === undefined
    ? undefined
    : { sql: `${record.sql}.${quote(entry)}`, type };
}
