import type * as Syntax from '../../syntax/nodes.ts';
import { column, select } from '../../tree/build.ts';
import { isEqual } from '../../tree/equal.ts';
import { mapParts, type Mapper, mapperWith } from '../../tree/map.ts';
import type { Expression, Member, Select, SortKey } from '../../tree/nodes.ts';
import { typedNulls } from '../../types.ts';
import { convert } from '../coercion.ts';
import type { Context } from '../context.ts';
import { sortKeys } from '../expressions/sort-order.ts';
import type { ColumnUse, Scope } from '../scope.ts';
import { fieldValues } from '../struct-value.ts';
import { Unsupported } from '../unsupported.ts';
import { someAggregate } from './after-grouping.ts';
import { isColumn, isReadable, isSameExpression } from './grouped-columns.ts';
import { namedOutput, positionOf } from './grouping.ts';
import { resolveLimit } from './limit.ts';
import { aliasesOf, type Output } from './outputs.ts';

/**
 * The keys of ORDER BY after a select list. Output columns are referred to by position, which no column of FROM can
 * hide.
 *
 * @param keys those of GROUP BY: an item that is one of them may read columns that are not grouped
 * @param named what has positions and names: the select list, also if SELECT AS STRUCT makes one column of it
 */
export function resolveOrderBy(
  items: readonly Syntax.OrderByItem[],
  outputs: readonly Output[],
  scope: Scope,
  context: Context,
  keys: readonly Output[] = [],
  named: readonly Output[] = outputs,
): readonly SortKey[] {
  const keyOf = (output: Output) =>
    outputs.includes(output)
      ? positionOf(outputs, output)
      : convert(output.value, typedNulls(output.value.type));
  return sortKeys(items, scope, context, (node) => {
    const output = namedOutput(node, named, 'ORDER BY');
    if (output) return { key: keyOf(output), value: output.value };
    const uses: ColumnUse[] = [];
    const value = context.expression(node, { ...scope, uses });
    const key = keys.find((one) => isSameExpression(one, { name: '', value, node }));
    if (key === undefined) scope.uses?.push(...uses);
    return { key: key && outputs.includes(key) ? keyOf(key) : value, value };
  });
}

/**
 * With DISTINCT, rows are ordered by columns of the result, which a query around it reads.
 *
 * @param selected the select list
 * @param isStruct true if SELECT AS STRUCT makes one column of it
 */
export function distinctQuery(
  inner: Select,
  selected: readonly Output[],
  isStruct: boolean,
  after: Pick<Syntax.Query, 'orderBy' | 'limit'>,
  scope: Scope,
  context: Context,
): Select {
  const limits = resolveLimit(after.limit, context);
  if (after.orderBy.length === 0) return { ...inner, ...limits };
  const alias = context.fresh('distinct');
  const members = inner.columns.map(
    ({ name, value }): Member => ({ name, value: column(alias, name, value.type) }),
  );
  const results = resultsOf(
    selected,
    isStruct ? members.flatMap(({ value }) => fieldValues(value)) : members,
  );
  const orderBy = sortKeys(after.orderBy, scope, context, (node) => {
    const value =
      namedOutput(node, results, 'ORDER BY')?.value ?? resultOf(node, selected, results, scope, context);
    return { key: value, value };
  });
  return select({ columns: members, from: { kind: 'derived', alias, query: inner }, orderBy, ...limits });
}

/** The select list as a query around it reads it. */
const resultsOf = (selected: readonly Output[], values: readonly Member[]): readonly Output[] =>
  selected.map((output, at) => ({ ...output, value: values[at]?.value ?? output.value }));

/** An expression of columns of the select list. */
function resultOf(
  node: Syntax.Expression,
  selected: readonly Output[],
  results: readonly Output[],
  scope: Scope,
  context: Context,
): Expression {
  const uses: ColumnUse[] = [];
  const value = context.expression(node, { ...scope, aliases: aliasesOf(results), uses });
  const hidden = uses.find((use) => !isReadable(use, selected));
  if (hidden)
    throw new Unsupported(
      hidden.place,
      `with SELECT DISTINCT, ORDER BY takes columns of the select list only, and ${hidden.name} is not one of them`,
    );
  if (someAggregate(value))
    throw new Unsupported(
      node,
      'with SELECT DISTINCT, ORDER BY takes no aggregate or window function: give it a name in the select list',
    );
  const toResult = (part: Expression): Expression => {
    const at = selected.findIndex((output) => isColumn(output) && isEqual(output.value, part));
    return results[at]?.value ?? mapParts(part, mapper);
  };
  const mapper: Mapper = mapperWith({
    expression: toResult,
  });
  return toResult(value);
}
