import type * as Syntax from '../../syntax/nodes.ts';
import { column, select } from '../../tree/build.ts';
import { someNode } from '../../tree/map.ts';
import type { Expression, Grouping, Member, Select } from '../../tree/nodes.ts';
import { describeType } from '../../types.ts';
import type { Context, ResolvedFrom, ResolvedQuery } from '../context.ts';
import { requireBool } from '../expressions/comparison.ts';
import { sortKeys } from '../expressions/sort-keys.ts';
import { withWindows } from '../functions/windows.ts';
import type { Scope } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';
import { afterGrouping } from './after-grouping.ts';
import { aggregatesRows, isGroupable, positionOf, resolveGrouping } from './grouping.ts';
import { having } from './having.ts';
import { resolveLimit } from './limit.ts';
import { outputColumn, resolveOrderBy, sameOutput } from './ordering.ts';
import { nameOutputs, type Output } from './outputs.ts';
import { rowValue, selectList } from './select-list.ts';

/** The clauses after a query that apply to its rows. */
export interface OrderAndLimit {
  readonly orderBy: readonly Syntax.OrderByItem[];
  readonly limit: Syntax.Limit | undefined;
}

const noFrom: ResolvedFrom = { from: undefined, ranges: [], merged: [] };
const unknownFrom: ResolvedFrom = {
  ...noFrom,
  ranges: [{ name: undefined, columns: [], acceptsAnyColumn: true }],
};

/** Resolves the clauses in the order in which they define the names that later clauses use. */
export function resolveSelect(
  node: Syntax.Select,
  after: OrderAndLimit,
  scope: Scope,
  context: Context,
): ResolvedQuery {
  if (node.modifier)
    throw new Unsupported(node.modifier, `SELECT WITH ${node.modifier.name.name} is not supported`);
  const { from: item } = node;
  const from = item ? context.attempt(() => context.from(item, scope), unknownFrom) : noFrom;
  const names = { ...scope, ranges: from.ranges, merged: from.merged };
  const inner = withWindows(node.windows, names, context);

  const where = conditions(node.where, 'WHERE', inner, context);
  const selected = selectList(node.items, inner, context);
  const value = rowValue(node.as, selected);
  const outputs = value ? [value] : selected;
  const outputScope = { ...inner, aliases: aliasesOf(selected) };
  const groupBy = groupingOf(node.groupBy, outputs, inner, context);
  const grouped = groupBy ? afterGrouping(groupBy, outputs) : (value: Expression) => value;
  const groups = conditions(node.having, 'HAVING', outputScope, context).map(grouped);
  const qualify = conditions(node.qualify, 'QUALIFY', outputScope, context).map(grouped);
  if (node.distinct) requireDistinguishable(node, outputs);
  refuseMisplacedAggregates(node, [...outputs.map(({ value: output }) => output), ...groups]);

  const { members, columns } = nameOutputs(
    outputs.map((output) =>
      isPositionIn(groupBy, outputs, output) ? output : { ...output, value: grouped(output.value) },
    ),
  );
  const clauses = {
    columns: members,
    distinct: node.distinct,
    ...(from.from && { from: from.from }),
    where,
    ...(groupBy && { groupBy }),
    qualify,
  };
  const orderBy = node.distinct
    ? []
    : resolveOrderBy(after.orderBy, outputs, outputScope, context).map((key) => ({
        ...key,
        value: grouped(key.value),
      }));
  const values = [...members, ...orderBy].map(({ value }) => value);
  const filtered = { ...clauses, ...having(groups, [...values, ...qualify]) };
  const query = node.distinct
    ? distinctQuery(select(filtered), outputs, after, outputScope, context)
    : select({ ...filtered, orderBy, ...resolveLimit(after.limit, context) });
  // Aggregation and DISTINCT may make a value of no rows, or of a grouping set without the column.
  const shown = groupBy ? columns.map(({ required: _, ...rest }) => rest) : columns;
  return {
    query,
    columns: shown,
    isValue: value !== undefined,
    ...(hasUnknownStar(node.items, from) && { acceptsAnyColumn: true }),
  };
}

/** Whether `*` means columns that are not known because something before it is unsupported. */
const hasUnknownStar = (items: readonly Syntax.SelectItem[], { ranges }: ResolvedFrom): boolean =>
  ranges.some(({ acceptsAnyColumn }) => acceptsAnyColumn) &&
  items.some(({ kind }) => kind === 'Star' || kind === 'DotStar');

/** Whether GROUP BY names an output column by its position or alias. */
const isPositionIn = (groupBy: Grouping | undefined, outputs: readonly Output[], output: Output): boolean =>
  groupBy?.keys.some((key) => key.kind === 'position' && outputs[key.index - 1] === output) ?? false;

/** Aggregates need FROM; HAVING needs groups. */
function refuseMisplacedAggregates(node: Syntax.Select, values: readonly Expression[]): void {
  const isAggregated = values.some(aggregatesRows);
  if (!node.from && isAggregated)
    throw new Unsupported(node, 'SELECT without FROM cannot use aggregate functions');
  if (node.having && !node.groupBy && !isAggregated)
    throw new Unsupported(node.having, 'HAVING needs GROUP BY or an aggregate function');
}

/** With DISTINCT, rows are ordered by columns of the result, which a query around it reads. */
function distinctQuery(
  inner: Select,
  outputs: readonly Output[],
  after: OrderAndLimit,
  scope: Scope,
  context: Context,
): Select {
  const limits = resolveLimit(after.limit, context);
  if (after.orderBy.length === 0) return { ...inner, ...limits };
  const alias = context.fresh('distinct');
  const members = inner.columns.map(
    ({ name, value }): Member => ({ name, value: column(alias, name, value.type) }),
  );
  const keys = sortKeys(after.orderBy, scope, context, (node) => {
    const output = outputColumn(node, outputs) ?? sameOutput(node, outputs, scope, context);
    const value = members[outputs.indexOf(output)]?.value ?? output.value;
    return { key: value, value };
  });
  return select({
    columns: members,
    from: { kind: 'derived', alias, query: inner },
    orderBy: keys,
    ...limits,
  });
}

function groupingOf(
  node: Syntax.GroupBy | undefined,
  outputs: readonly Output[],
  scope: Scope,
  context: Context,
): Grouping | undefined {
  if (!node) return undefined;
  if (!node.all) return resolveGrouping(node, outputs, scope, context);
  const keys = outputs.filter(({ value }) => isGroupingKey(value));
  return {
    keys: keys.map((output) => positionOf(outputs, output)),
    ...(keys.length === 0 && { sets: [[]] }),
  };
}

/** GROUP BY ALL groups by what reads columns and contains no aggregate. */
const isGroupingKey = (value: Expression): boolean =>
  !someNode(value, ({ kind }) => kind === 'aggregate') && someNode(value, ({ kind }) => kind === 'column');

function conditions(
  node: Syntax.Expression | undefined,
  keyword: string,
  scope: Scope,
  context: Context,
): readonly Expression[] {
  if (!node) return [];
  const test = context.expression(node, scope);
  context.attempt(() => requireBool(node, test, keyword), undefined);
  return test.kind === 'operation' && test.operator === 'AND' ? test.operands : [test];
}

const aliasesOf = (outputs: readonly Output[]): ReadonlyMap<string, Expression> =>
  new Map(
    outputs.filter(({ isAnonymous }) => !isAnonymous).map(({ name, value }) => [name.toLowerCase(), value]),
  );

function requireDistinguishable(place: Syntax.Select, outputs: readonly Output[]): void {
  const wrong = outputs.find(({ value }) => !isGroupable(value.type));
  if (wrong) throw new Unsupported(place, `SELECT DISTINCT does not take ${describeType(wrong.value.type)}`);
}
