import type * as Syntax from '../../syntax/nodes.ts';
import { call } from '../../tree/build.ts';
import type { Expression, SortKey } from '../../tree/nodes.ts';
import { describeType, isScalar, scalar, type Type } from '../../types.ts';
import type { Context } from '../context.ts';
import type { Scope } from '../scope.ts';
import { type Place, Unsupported } from '../unsupported.ts';

/**
 * The keys of ORDER BY.
 *
 * @param resolve resolves one item: as an expression, or as the position of a column of the select list
 */
export const sortKeys = (
  items: readonly Syntax.OrderByItem[],
  scope: Scope,
  context: Context,
  resolve: (node: Syntax.Expression) => Expression = (node) => context.expression(node, scope),
): readonly SortKey[] =>
  items.flatMap((item) => {
    refuseCollation(item);
    const { direction, nulls = direction === 'DESC' ? 'LAST' : 'FIRST' } = item.order;
    const value = resolve(item.expression);
    requireOrderable(item.expression, value.type);
    const key = { value, descending: direction === 'DESC', nulls };
    return isScalar(value.type, 'FLOAT64') && value.kind !== 'position' ? withNaNFirst(key) : [key];
  });

/** NaN is the smallest number in BigQuery, and the greatest in DuckDB. */
const withNaNFirst = (key: SortKey): readonly SortKey[] => [
  { ...key, value: call('isnan', [key.value], scalar('BOOL')), descending: !key.descending },
  key,
];

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
