import { sameName } from '@querygate/bigquery-sql/types';
import { columnOrigin, type FieldOrigin } from '@querygate/bigquery-sql/analysis';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import type { Compiled } from '@querygate/bigquery-sql/tree';
import type { ResultColumn } from '../catalog/model/header-types.ts';
import { resultColumnOf } from './result-column-of.ts';

/** A column of a result, or a field in it, as the files describe it. */
export interface KnownColumn extends ResultColumn {
  /** The mode of the table's field that it is; undefined if it is computed. */
  readonly mode?: Field['mode'] | undefined;
  readonly description?: string | undefined;
  readonly fields?: readonly KnownColumn[] | undefined;
}

/** The columns that a query returns as the compiler and the files of tables know them; undefined if it cannot be compiled. */
export function knownColumns(
  compile: () => Compiled,
  tables: readonly TableSchema[],
): readonly KnownColumn[] | undefined {
  let compiled: Compiled;
  try {
    compiled = compile();
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
  fields?.find((field) => sameName(field.name, name));

function withOrigin({ fields, ...column }: ResultColumn, origin: Field | undefined): KnownColumn {
  return {
    ...column,
    ...(origin && { mode: origin.mode, description: origin.description }),
    ...(fields && {
      fields: fields.map((field) => withOrigin(field, fieldNamed(origin?.fields, field.name))),
    }),
  };
}
