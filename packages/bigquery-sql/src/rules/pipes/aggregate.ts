import type * as Syntax from '../../syntax/nodes.ts';
import type { Context } from '../context.ts';
import { sortKeys } from '../expressions/sort-order.ts';
import { afterGrouping, computedFirst } from '../queries/after-grouping.ts';
import { requireGrouped } from '../queries/grouped-columns.ts';
import { resolveGrouping } from '../queries/grouping.ts';
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
  const keyOutputs = keys.map((key) => resolveItem(key, scope, context));
  const values = node.items.map((item) => resolveItem(item, scope, context));
  const outputs: readonly Output[] = [...keyOutputs, ...values];
  const written = [...keys.map(({ expression, order }) => ({ expression, order })), ...node.items];
  const orderBy = written.flatMap(({ expression, order }, at) => {
    const isOrdered = order.direction !== undefined || order.nulls !== undefined;
    const isKey = at < keys.length;
    const value = outputs[at]?.value;
    if (!value || !(isOrdered || (node.ordered && isKey))) return [];
    return sortKeys([sortItem(expression, order)], scope, context, () => ({ key: value, value }));
  });
  const grouping =
    groupBy && resolveGrouping(groupBy, { outputs, haveColumns: true, keys: keyOutputs }, scope, context);
  requireGrouped(
    values.flatMap(({ uses = [] }) => uses),
    keyOutputs,
    context,
  );
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

const sortItem = (expression: Syntax.Expression, order: Syntax.SortOrder): Syntax.OrderByItem => ({
  kind: 'OrderByItem',
  start: expression.start,
  end: expression.end,
  expression,
  collation: undefined,
  order,
});
