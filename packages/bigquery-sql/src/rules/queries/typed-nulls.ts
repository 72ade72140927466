import { type Type, typedNulls } from '../../types.ts';
import type { Context, ResolvedQuery } from '../context.ts';
import { withColumns } from './set-operations.ts';

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
