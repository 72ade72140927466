import type * as Syntax from '../../syntax/nodes.ts';
import { isEqual } from '../../tree/equal.ts';
import { isVolatile } from '../../tree/volatile.ts';
import { type Context, hasFailed } from '../context.ts';
import { sortKeys } from '../expressions/sort-order.ts';
import { afterGrouping, computedFirst } from '../queries/after-grouping.ts';
import { isReadable, requireGrouped } from '../queries/grouped-columns.ts';
import { aggregatesRows, resolveGrouping } from '../queries/grouping.ts';
import type { Output } from '../queries/outputs.ts';
import { resolveItem } from '../queries/select-list.ts';
import type { Scope } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';
import { type Rows, rowsOf, toQuery } from './pipe-rows.ts';

/** `|> AGGREGATE items GROUP BY items`: the grouping columns come first. */
export function aggregate(node: Syntax.PipeAggregate, rows: Rows, scope: Scope, context: Context): Rows {
  const { groupBy } = node;
  if (groupBy?.all) throw new Unsupported(groupBy, 'AGGREGATE takes no GROUP BY ALL');
  const keys = (groupBy?.items ?? []).flatMap((item) => groupedExpressions(item));
  const position = keys.find(({ expression }) => expression.kind === 'IntegerLiteral');
  if (position) throw new Unsupported(position, 'GROUP BY of AGGREGATE takes no position of a column');
  const keyOutputs = resolveKeys(keys, node, scope, context);
  const values = node.items.map((item) => resolveValue(item, keyOutputs, scope, context));
  const outputs: readonly Output[] = [...new Set(keyOutputs), ...values];
  const written = [...keys, ...node.items];
  const orderBy = [...keyOutputs, ...values].flatMap(({ value }, at) => {
    const [item, isKey] = [written[at], at < keys.length];
    const isOrdered = item?.order.direction !== undefined || item?.order.nulls !== undefined;
    if (!item || !(isOrdered || (node.ordered && isKey))) return [];
    return sortKeys([sortItem(item)], scope, context, () => ({ key: value, value }));
  });
  const grouping =
    groupBy && resolveGrouping(groupBy, { outputs, haveColumns: true, keys: keyOutputs }, scope, context);
  const { groupBy: own, outputs: grouped, read } = afterGrouping(grouping?.grouping, outputs, keyOutputs);
  const query = toQuery(
    {
      from: rows.from,
      ranges: [],
      columns: grouped.map((output) => ({ ...output, value: read(output.value) })),
    },
    {
      orderBy: orderBy.map((key) => ({ ...key, value: read(key.value) })),
      ...(own && { groupBy: own }),
    },
  );
  // A key is NULL in the rows of a set without it.
  const columns =
    own && !own.sets ? query.columns : query.columns.map(({ required: _, ...column }) => column);
  return rowsOf({ ...query, columns, query: computedFirst(query.query, context.fresh) }, context);
}

/** The columns of the items of GROUP BY: of several sets, equal ones are one column, which has a name. */
function resolveKeys(
  keys: readonly Syntax.GroupingExpression[],
  { groupBy, ordered }: Syntax.PipeAggregate,
  scope: Scope,
  context: Context,
): readonly Output[] {
  const outputs = keys.map((key) => resolveItem(key, scope, context));
  const sets = groupBy?.items.find(({ kind }) => kind !== 'GroupingExpression');
  if (!sets) return outputs;
  if (ordered) throw new Unsupported(sets, 'GROUP AND ORDER BY takes expressions only: use |> ORDER BY');
  const unnamed = keys[outputs.findIndex(({ isAnonymous }) => isAnonymous)];
  if (unnamed)
    throw new Unsupported(unnamed, 'a key of several sets needs a name: compute it in |> EXTEND before');
  return outputs.map(
    (output) => outputs.find(({ value }) => !isVolatile(value) && isEqual(value, output.value)) ?? output,
  );
}

/** An item of AGGREGATE, which aggregates all that it reads, keys too. */
function resolveValue(
  item: Syntax.PipeAggregateItem,
  keys: readonly Output[],
  scope: Scope,
  context: Context,
): Output {
  const refused = { window: 'AGGREGATE takes no window function: compute it in |> EXTEND after it' };
  const output = resolveItem(item, { ...scope, refused }, context);
  requireGrouped(output.uses ?? [], keys, context);
  const isAggregated = aggregatesRows(output.value) && !output.uses?.some((use) => isReadable(use, keys));
  if (!isAggregated && !hasFailed(output.value))
    throw new Unsupported(
      item,
      'AGGREGATE takes aggregate functions and what is computed of them: compute with keys in |> EXTEND after it',
    );
  return output;
}

/** The expressions of GROUP BY, each of which is a column of the result. */
function groupedExpressions(item: Syntax.GroupingItem): readonly Syntax.GroupingExpression[] {
  const plain = (expression: Syntax.Expression): Syntax.GroupingExpression => ({
    kind: 'GroupingExpression',
    start: expression.start,
    end: expression.end,
    expression,
    alias: undefined,
    order: { direction: undefined, nulls: undefined },
  });
  switch (item.kind) {
    case 'GroupingExpression':
      return [item];
    case 'GroupingList':
      return item.expressions.map(plain);
    case 'Rollup':
    case 'Cube':
      return item.items.flatMap(groupedExpressions);
    case 'GroupingSets':
      return item.sets.flatMap(groupedExpressions);
  }
}

const sortItem = ({
  expression,
  order,
}: Pick<Syntax.PipeAggregateItem, 'expression' | 'order'>): Syntax.OrderByItem => ({
  kind: 'OrderByItem',
  start: expression.start,
  end: expression.end,
  expression,
  collation: undefined,
  order,
});
