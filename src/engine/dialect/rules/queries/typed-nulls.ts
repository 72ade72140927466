import { arrayOf, scalar, structOf, type Type } from '../../types.ts';
import type { Context, ResolvedQuery } from '../context.ts';
import { withColumns } from './set-operations.ts';

/** The type that a value has for the readers of a query: a NULL that nothing gives a type is INT64. */
export function typedNulls(type: Type): Type {
  switch (type.kind) {
    case 'null':
      return scalar('INT64');
    case 'array':
      return arrayOf(typedNulls(type.element));
    case 'struct':
      return structOf(type.fields.map((field) => ({ ...field, type: typedNulls(field.type) })));
    default:
      return type;
  }
}

/** A query whose columns all have a type. */
export function withTypedNulls(resolved: ResolvedQuery, context: Context): ResolvedQuery {
  if (!resolved.columns.some(({ type }) => hasNull(type))) return resolved;
  const columns = resolved.columns.map((column) => ({ ...column, type: typedNulls(column.type) }));
  return { ...resolved, columns, query: withColumns(resolved, resolved.columns, columns, context) };
}

function hasNull(type: Type): boolean {
  if (type.kind === 'array') return hasNull(type.element);
  if (type.kind === 'struct') return type.fields.some((field) => hasNull(field.type));
  return type.kind === 'null';
}
