import type { Field } from '../../../catalog/tables/table-schema.ts';
import { type Column, columnsOf, quote, type Type } from '../types.ts';

/**
 * A column of a relation. A record that no row has twice may be spread: its fields are columns of their own, named by
 * their path (`a.b.c`), and the column of its own name tells whether the row has it
 * (NULL where the record around it is absent).
 */
export interface StoredColumn extends Column {
  /** The fields of a spread record. */
  readonly parts?: readonly StoredColumn[];
  /** True where it is never NULL. */
  readonly required?: boolean;
  /** True where it is a record that is told already. */
  readonly told?: boolean;
}

/** Where the columns of one spread record stand. */
export interface Spread {
  /** The relation's name, as SQL. */
  readonly owner: string;
  readonly path: string;
  readonly parts: readonly StoredColumn[];
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
 * @param isSpread whether a record is spread, by its path; what is below a list is stored with it
 */
export function spreadColumns(
  fields: readonly Field[],
  isSpread: (path: string, field: Field) => boolean,
  above = '',
): readonly StoredColumn[] {
  return columnsOf(fields).map((column, index) => {
    const field = fields[index];
    const path = `${above}${column.name}`;
    const stored = { ...column, required: field?.mode === 'REQUIRED' };
    if (!field?.fields || !isSpread(path, field)) return stored;
    return { ...stored, parts: spreadColumns(field.fields, isSpread, `${path}.`) };
  });
}

interface ColumnSql {
  readonly text: string;
  readonly type: Type;
  readonly spread?: Spread;
  readonly required?: boolean;
  readonly origin?: Origin;
}

/** The text of a column, with the place of its parts where it is spread. */
export function columnSql(
  owner: string,
  path: string,
  { type, parts, required }: StoredColumn,
  table?: string,
): ColumnSql {
  const there = `${owner}.${quote(path)}`;
  const known = { type, ...(required && { required }) };
  if (!parts) return { text: there, ...known, ...(table !== undefined && { origin: { table, path } }) };
  const spread = { owner, path, parts, table };
  if (type.kind !== 'array') return { text: gathered(spread), spread, ...known };
  const one = `CASE WHEN ${there} THEN [${packed(spread)}] WHEN NOT ${there} THEN [] END`;
  return { text: one, spread, ...known };
}

/** Whether the record is there, as a condition. */
export const isThere = ({ owner, path }: Spread): string => `${owner}.${quote(path)}`;

/** A field of a spread record; NULL where the record is not there. */
export function partSql({ owner, path, parts, table }: Spread, name: string): ColumnSql | undefined {
  const part = parts.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (!part) return undefined;
  // Of an absent record every field is NULL, whatever is declared.
  const { required: _, ...sql } = columnSql(owner, `${path}.${part.name}`, part, table);
  return sql;
}

/** The record as one STRUCT; NULL where it is not there. */
export const gathered = (spread: Spread): string => `CASE WHEN ${isThere(spread)} THEN ${packed(spread)} END`;

function packed({ owner, path, parts }: Spread): string {
  const fields = parts.map(
    (part) => `${quote(part.name)} := ${columnSql(owner, `${path}.${part.name}`, part).text}`,
  );
  return `struct_pack(${fields.join(', ')})`;
}

/** The columns below the record's own, for a select list that hands the record on under a name. */
export function handedOn({ owner, path, parts }: Spread, name: string): readonly string[] {
  return parts.flatMap((part) => {
    const from = `${path}.${part.name}`;
    const to = `${name}.${part.name}`;
    const below = part.parts ? handedOn({ owner, path: from, parts: part.parts, table: undefined }, to) : [];
    return [`${owner}.${quote(from)} AS ${quote(to)}`, ...below];
  });
}
