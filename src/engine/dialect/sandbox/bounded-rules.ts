import type { Rules } from '../rules/context.ts';
import { expandedSize } from '../rules/expanded-size.ts';
import { type Place, Unsupported } from '../rules/unsupported.ts';
import type { Type } from '../types.ts';

/** About how many tokens an expression may have with its macros expanded, as DuckDB plans it. */
export const maxExpandedSize = 20_000;

/** Columns of one subquery. */
const maxColumns = 400;

/** Scalars of one type: structs of structs grow exponentially. */
const maxTypeSize = 2_000;

/**
 * Rules that refuse what grows too large. A short text can name one subquery, alias or row repeatedly, and that again: each
 * step is checked before the next one multiplies it.
 */
export const boundedRules = ({ expression, query, from }: Rules): Rules => ({
  expression(node, scope, context) {
    const resolved = expression(node, scope, context);
    if (expandedSize(resolved) > maxExpandedSize)
      throw new Unsupported(node, 'this expression becomes too large; compute parts of it in a common table');
    requireSmall(node, resolved.type);
    return resolved;
  },
  query(node, scope, context) {
    const resolved = query(node, scope, context);
    const { columns } = resolved;
    if (columns.length > maxColumns)
      throw new Unsupported(node, `this query has ${columns.length} columns; the limit is ${maxColumns}`);
    for (const { type } of columns) requireSmall(node, type);
    if (expandedSize(resolved.query) > maxExpandedSize)
      throw new Unsupported(node, 'this query becomes too large; ask for less at once');
    return resolved;
  },
  from,
});

function requireSmall(place: Place, type: Type): void {
  if (sizeOf(type) > maxTypeSize)
    throw new Unsupported(place, 'this value has too many fields; select fewer');
}

/** Parts of a type are shared: each is measured once. */
const sizes = new WeakMap<Type, number>();

function sizeOf(type: Type): number {
  const known = sizes.get(type);
  if (known !== undefined) return known;
  const size = measure(type);
  sizes.set(type, size);
  return size;
}

function measure(type: Type): number {
  switch (type.kind) {
    case 'array':
    case 'range':
      return 1 + sizeOf(type.element);
    case 'struct':
      return type.fields.reduce((sum, field) => sum + sizeOf(field.type), 1);
    default:
      return 1;
  }
}
