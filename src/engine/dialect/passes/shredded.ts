import type { Field } from '../../../catalog/tables/table-schema.ts';
import { type Column, columnsOf, quote, type Type } from '../types.ts';

/**
 * A column of a relation. A record that no row has twice may be shredded: its fields are columns of their own, named by
 * their path (`a.b.c`), and the column of its own name tells whether the row has it
 * (NULL where the record around it is absent).
 */
export interface StoredColumn extends Column {
  /** The fields of a shredded record. */
  readonly fields?: readonly StoredColumn[];
  /** True where it is never NULL. */
  readonly required?: boolean;
  /** True where it is a record that is told already. */
  readonly rendered?: boolean;
}

/** Where the columns of one shredded record stand. */
export interface ShreddedRecord {
  /** The relation's name, as SQL. */
  readonly owner: string;
  readonly path: string;
  readonly fields: readonly StoredColumn[];
  /** The table that it is stored in, where it is read as it is stored. */
  readonly table: string | undefined;
}

/** A column of a table, by its path. */
export interface Origin {
  readonly table: string;
  readonly path: string;
}

/**
 * How the columns of a table are stored.
 *
 * @param isShredded whether a record is shredded, by its path; what is below a list is stored with it
 */
export function layoutColumns(
  fields: readonly Field[],
  isShredded: (path: string, field: Field) => boolean,
  above = '',
): readonly StoredColumn[] {
  return columnsOf(fields).map((column, index) => {
    const field = fields[index];
    const path = `${above}${column.name}`;
    const stored = { ...column, required: field?.mode === 'REQUIRED' };
    if (!field?.fields || !isShredded(path, field)) return stored;
    return { ...stored, fields: layoutColumns(field.fields, isShredded, `${path}.`) };
  });
}

interface ColumnSql {
  readonly text: string;
  readonly type: Type;
  readonly shredded?: ShreddedRecord;
  readonly required?: boolean;
  readonly origin?: Origin;
}

/** The text of a column, with the place of its fields where it is shredded. */
export function columnSql(
  owner: string,
  path: string,
  { type, fields, required }: StoredColumn,
  table?: string,
): ColumnSql {
  const there = `${owner}.${quote(path)}`;
  const known = { type, ...(required && { required }) };
  if (!fields) return { text: there, ...known, ...(table !== undefined && { origin: { table, path } }) };
  const shredded = { owner, path, fields, table };
  if (type.kind !== 'array') return { text: assembleRecord(shredded), shredded, ...known };
  const one = `CASE WHEN ${there} THEN [${structText(shredded)}] WHEN NOT ${there} THEN [] END`;
  return { text: one, shredded, ...known };
}

/** Whether the record is there, as a condition. */
export const isPresent = ({ owner, path }: ShreddedRecord): string => `${owner}.${quote(path)}`;

/** A field of a shredded record; NULL where the record is not there. */
export function fieldOfShredded(
  { owner, path, fields, table }: ShreddedRecord,
  name: string,
): ColumnSql | undefined {
  const part = fields.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (!part) return undefined;
  // Of an absent record every field is NULL, whatever is declared.
  const { required: _, ...sql } = columnSql(owner, `${path}.${part.name}`, part, table);
  return sql;
}

/** The record as one STRUCT; NULL where it is not there. */
export const assembleRecord = (shredded: ShreddedRecord): string =>
  `CASE WHEN ${isPresent(shredded)} THEN ${structText(shredded)} END`;

function structText({ owner, path, fields }: ShreddedRecord): string {
  const members = fields.map(
    (part) => `${quote(part.name)} := ${columnSql(owner, `${path}.${part.name}`, part).text}`,
  );
  return `struct_pack(${members.join(', ')})`;
}

/** The columns below the record's own, for a select list that hands the record on under a name. */
export function forwardColumns({ owner, path, fields }: ShreddedRecord, name: string): readonly string[] {
  return fields.flatMap((part) => {
    const from = `${path}.${part.name}`;
    const to = `${name}.${part.name}`;
    const below = part.fields
      ? forwardColumns({ owner, path: from, fields: part.fields, table: undefined }, to)
      : [];
    return [`${owner}.${quote(from)} AS ${quote(to)}`, ...below];
  });
}
