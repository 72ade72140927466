import type { RecordField, SavedQuery } from '../catalog/model/saved-query.ts';
import { columnTypes } from '../catalog/model/saved-query.ts';
import { columnOrigin, type FieldOrigin } from '@querygate/bigquery-sql/analysis';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { type Compiled, compileTree } from '@querygate/bigquery-sql/tree';
import type { ResultColumn } from '../catalog/model/header-types.ts';
import { resultColumnOf } from './result-column-of.ts';

/** What the files say of a column of a result, or of a field in it. */
export interface KnownColumn extends ResultColumn {
  /** The mode of the table's field that it is; undefined if it is computed. */
  readonly mode?: Field['mode'] | undefined;
  readonly description?: string | undefined;
  readonly fields?: readonly KnownColumn[] | undefined;
}

/**
 * The columns that a query returns as the compiler and the files of tables know them, on any engine.
 *
 * @returns undefined if the SQL cannot be compiled: an engine that needs it says why
 */
export function knownColumns(
  query: SavedQuery,
  tables: readonly TableSchema[],
): readonly KnownColumn[] | undefined {
  const known = remembered.get(query);
  if (known?.tables === tables) return known.columns;
  const columns = findColumns(query, tables);
  remember(query, tables, columns);
  return columns;
}

/** Of the last tables with which a query was compiled. */
const remembered = new WeakMap<
  SavedQuery,
  { readonly tables: readonly TableSchema[]; readonly columns: readonly KnownColumn[] | undefined }
>();

/** For a query with the same SQL as one whose columns were found. */
export function remember(
  query: SavedQuery,
  tables: readonly TableSchema[],
  columns: readonly KnownColumn[] | undefined,
): void {
  remembered.set(query, { tables, columns });
}

function findColumns(query: SavedQuery, tables: readonly TableSchema[]): readonly KnownColumn[] | undefined {
  let compiled: Compiled;
  try {
    compiled = compileTree(query, tables, { hasOpenTables: true });
  } catch {
    return undefined;
  }
  return compiled.columns.map(({ name, type }, at) => {
    if (type.kind === 'unknown' || type.kind === 'null') return { name, type: undefined, repeated: false };
    const column = resultColumnOf(name, type);
    if (column.fields === undefined) return column;
    return withOrigin(column, fieldOf(columnOrigin(compiled.query, at), tables));
  });
}

function fieldOf(origin: FieldOrigin | undefined, tables: readonly TableSchema[]): Field | undefined {
  if (origin === undefined) return undefined;
  const { table, path } = origin;
  return path.reduce<{ readonly fields?: readonly Field[] } | undefined>(
    (parent, name) => fieldNamed(parent?.fields, name),
    tables.find(({ name }) => name === table),
  ) as Field | undefined;
}

const fieldNamed = (fields: readonly Field[] | undefined, name: string): Field | undefined =>
  fields?.find((field) => field.name.toLowerCase() === name.toLowerCase());

function withOrigin({ fields, ...column }: ResultColumn, origin: Field | undefined): KnownColumn {
  return {
    ...column,
    ...(origin && { mode: origin.mode, description: origin.description }),
    ...(fields && {
      fields: fields.map((field) => withOrigin(field, fieldNamed(origin?.fields, field.name))),
    }),
  };
}

/** A field as a saved query has it. A type that no header can declare becomes `json`, which any value fits. */
export function toRecordField({ name, type, repeated, mode, description, fields }: KnownColumn): RecordField {
  const declarable = columnTypes.find((one) => one === type) ?? 'json';
  // NULL is [] in a result. A float may be NaN, which is null in JSON.
  const required = repeated || (mode === 'REQUIRED' && declarable !== 'float');
  return {
    name,
    type: declarable,
    repeated,
    required,
    ...(description !== undefined && { description }),
    ...(declarable === 'record' && fields && { fields: fields.map(toRecordField) }),
  };
}
