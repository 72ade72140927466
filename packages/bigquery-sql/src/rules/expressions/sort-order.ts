import type * as Syntax from '../../syntax/nodes.ts';
import { call } from '../../tree/build.ts';
import type { Expression, SortKey } from '../../tree/nodes.ts';
import { describeType, isScalar, scalar, type Type } from '../../types.ts';
import type { Context } from '../context.ts';
import type { Scope } from '../scope.ts';
import { type Place, Unsupported } from '../unsupported.ts';

/** What ORDER BY sorts by. */
export interface SortValue {
  /** An expression, or the position of a column of the select list. */
  readonly key: Expression;
  /** The value of a position; undefined if it can't be computed beside the position, as with DISTINCT. */
  readonly value?: Expression;
}

/**
 * The keys of ORDER BY.
 *
 * @param resolve resolves one item; by default as an expression
 */
export const sortKeys = (
  items: readonly Syntax.OrderByItem[],
  scope: Scope,
  context: Context,
  resolve: (node: Syntax.Expression) => SortValue = (node) => {
    const key = context.expression(node, scope);
    return { key, value: key };
  },
): readonly SortKey[] =>
  items.flatMap((item) => {
    refuseCollation(item);
    const { direction, nulls = direction === 'DESC' ? 'LAST' : 'FIRST' } = item.order;
    const { key: value, value: computed } = resolve(item.expression);
    requireOrderable(item.expression, value.type);
    const key = { value, descending: direction === 'DESC', nulls };
    if (!isScalar(value.type, 'FLOAT64') || computed === undefined) return [key];
    // NaN is the smallest number in BigQuery, and the greatest in DuckDB.
    const nanFirst = call('isnan', [computed], scalar('BOOL'));
    return [{ ...key, value: nanFirst, descending: !key.descending }, key];
  });

/** @throws Unsupported for types that have no order */
export function requireOrderable(place: Place, type: Type): void {
  if (type.kind === 'array' || type.kind === 'struct' || isScalar(type, 'JSON'))
    throw new Unsupported(place, `ORDER BY does not take ${describeType(type)}`);
}

function refuseCollation({ collation }: Syntax.OrderByItem): void {
  if (collation === undefined) return;
  const isBinary = collation.kind === 'StringLiteral' && ['', 'binary'].includes(collation.value);
  if (!isBinary) throw new Unsupported(collation, 'COLLATE is not supported, except for binary order');
}
