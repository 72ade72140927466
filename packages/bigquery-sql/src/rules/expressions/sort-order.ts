import type * as Syntax from '../../syntax/nodes.ts';
import { call } from '../../tree/build.ts';
import type { Expression, SortKey } from '../../tree/nodes.ts';
import { describeType, isScalar, scalar, type Type, withoutCollation } from '../../types.ts';
import { isCollated, sortKeyOf } from '../collation.ts';
import type { Context } from '../context.ts';
import type { Scope } from '../scope.ts';
import { type Place, Unsupported } from '../unsupported.ts';

/** A value that ORDER BY sorts by. */
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
    const { direction, nulls = direction === 'DESC' ? 'LAST' : 'FIRST' } = item.order;
    const { key: value, value: computed } = resolve(item.expression);
    requireOrderable(item.expression, value.type);
    const key = { value, descending: direction === 'DESC', nulls };
    if (isSortedWithoutCase(item, value.type))
      return [{ ...key, value: sortKeyOf(requireComputed(item, computed)) }];
    if (!isScalar(value.type, 'FLOAT64') || computed === undefined) return [key];
    // NaN is the smallest number in BigQuery, and the greatest in DuckDB.
    const nanFirst = call('isnan', [computed], scalar('BOOL'));
    return [{ ...key, value: nanFirst, descending: !key.descending }, key];
  });

/** A value that orders rows as another one does, also where DuckDB compares intervals by their parts. */
export const orderedKey = (value: Expression): Expression =>
  isScalar(value.type, 'INTERVAL') ? call('bq.interval_total', [value], scalar('INT64')) : value;

/** @throws Unsupported for types that have no order */
export function requireOrderable(place: Place, type: Type): void {
  if (type.kind === 'array' || type.kind === 'struct' || isScalar(type, 'JSON'))
    throw new Unsupported(place, `ORDER BY does not take ${describeType(type)}`);
}

/** True if the sort ignores case: the key's collation counts if it has one, else that of its value. */
function isSortedWithoutCase({ collation }: Syntax.OrderByItem, type: Type): boolean {
  if (collation === undefined) return isCollated(type);
  const name = collation.kind === 'StringLiteral' ? collation.value : undefined;
  if (name === '' || name === 'binary') return false;
  if (name !== 'und:ci')
    throw new Unsupported(collation, "COLLATE takes 'und:ci' or 'binary'; others are not supported");
  if (isScalar(withoutCollation(type), 'STRING') || type.kind === 'unknown') return true;
  throw new Unsupported(collation, `COLLATE does not take ${describeType(type)}`);
}

function requireComputed(item: Syntax.OrderByItem, value: Expression | undefined): Expression {
  if (value) return value;
  throw new Unsupported(
    item.expression,
    'COLLATE of a column by its position is not supported here: write its name',
  );
}
