import type { Field } from '../../../catalog/tables/table-schema.ts';
import { type Column, columnsOf, quote, type Type } from '../types.ts';

/**
 * A column of a relation. A record that occurs at most once in every row may be shredded: its fields are columns of
 * their own, named by their path (`a.b.c`), and the column of its own name is a BOOLEAN: whether the row has the record
 * (NULL if the record around it is absent).
 */
export interface StoredColumn extends Column {
  /** The fields of a shredded record. */
  readonly fields?: readonly StoredColumn[];
  /** True if it is never NULL. */
  readonly required?: boolean;
  /** True for a record that the query has already rendered as text. */
  readonly rendered?: boolean;
}

/** Where the columns of one shredded record are found. */
export interface ShreddedRecord {
  /** The relation's name, as SQL. */
  readonly owner: string;
  readonly path: string;
  readonly fields: readonly StoredColumn[];
  /** The table that stores it, if it is read directly from there. */
  readonly table: string | undefined;
}

/** A stored column, by its path. */
export interface Origin {
  readonly table: string;
  readonly path: string;
}

/**
 * How the columns of a table are stored.
 *
 * @param isShredded whether a record is shredded, by its path; records inside a list are stored with the list
 */
export function layoutColumns(
  fields: readonly Field[],
  isShredded: (path: string, field: Field) => boolean,
  prefix = '',
): readonly StoredColumn[] {
  return columnsOf(fields).map((column, index) => {
    const field = fields[index];
    const path = `${prefix}${column.name}`;
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

/** The text of a column; for a shredded record with the location of its fields. */
export function columnSql(
  owner: string,
  path: string,
  { type, fields, required }: StoredColumn,
  table?: string,
): ColumnSql {
  const column = `${owner}.${quote(path)}`;
  const facts = { type, ...(required && { required }) };
  if (!fields) return { text: column, ...facts, ...(table !== undefined && { origin: { table, path } }) };
  const shredded = { owner, path, fields, table };
  if (type.kind !== 'array') return { text: assembleRecord(shredded), shredded, ...facts };
  const text = `CASE WHEN ${column} THEN [${structText(shredded)}] WHEN NOT ${column} THEN [] END`;
  return { text, shredded, ...facts };
}

/** The condition that the row has the record. */
export const isPresent = ({ owner, path }: ShreddedRecord): string => `${owner}.${quote(path)}`;

/** A field of a shredded record; NULL if the row does not have the record. */
export function fieldOfShredded(
  { owner, path, fields, table }: ShreddedRecord,
  name: string,
): ColumnSql | undefined {
  const part = fields.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (!part) return undefined;
  // Even a field declared as required is NULL if its record is absent.
  const { required: _, ...sql } = columnSql(owner, `${path}.${part.name}`, part, table);
  return sql;
}

/** The record as one STRUCT; NULL if the row does not have it. */
export const assembleRecord = (shredded: ShreddedRecord): string =>
  `CASE WHEN ${isPresent(shredded)} THEN ${structText(shredded)} END`;

function structText({ owner, path, fields }: ShreddedRecord): string {
  const members = fields.map(
    (part) => `${quote(part.name)} := ${columnSql(owner, `${path}.${part.name}`, part).text}`,
  );
  return `struct_pack(${members.join(', ')})`;
}

/** The field columns of a record, for a select list that outputs the record under a new name. */
export function forwardColumns({ owner, path, fields }: ShreddedRecord, name: string): readonly string[] {
  return fields.flatMap((part) => {
    const oldPath = `${path}.${part.name}`;
    const newPath = `${name}.${part.name}`;
    const inner = part.fields
      ? forwardColumns({ owner, path: oldPath, fields: part.fields, table: undefined }, newPath)
      : [];
    return [`${owner}.${quote(oldPath)} AS ${quote(newPath)}`, ...inner];
  });
}

/** Wraps a query so that its columns are those of BigQuery: shredded records become structs again. */
export function assemble<R extends ShreddedRelation>(relation: R, fresh: (prefix: string) => string): R {
  if (relation.columns.every(({ fields }) => !fields)) return relation;
  const name = quote(fresh('shredded'));
  const columns = relation.columns.map(({ fields: _, ...column }) => column);
  const values = relation.columns.map(
    (column) => `${columnSql(name, column.name, column).text} AS ${quote(column.name)}`,
  );
  return { ...relation, columns, text: `SELECT ${values.join(', ')} FROM (${relation.text}) AS ${name}` };
}

interface ShreddedRelation {
  readonly text: string;
  readonly columns: readonly StoredColumn[];
}
