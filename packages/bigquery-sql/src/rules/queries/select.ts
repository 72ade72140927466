import type * as Syntax from '../../syntax/nodes.ts';
import { select } from '../../tree/build.ts';
import type { Expression, Grouping, SortKey } from '../../tree/nodes.ts';
import { type Context, hasFailed, type ResolvedFrom, type ResolvedQuery } from '../context.ts';
import { requireBool } from '../expressions/comparison.ts';
import { withWindows } from '../functions/windows.ts';
import { absentIn, type ColumnUse, type Scope } from '../scope.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import {
  afterGrouping,
  computedFirst,
  distinctRows,
  requireDistinguishable,
  someAggregate,
} from './after-grouping.ts';
import { isKey, requireGrouped } from './grouped-columns.ts';
import { aggregatesRows, resolveGrouping } from './grouping.ts';
import { resolveLimit } from './limit.ts';
import { distinctQuery, resolveOrderBy } from './ordering.ts';
import { aliasesOf, nameOutputs, type Output } from './outputs.ts';
import { hasStar, rowValue, selectList } from './select-list.ts';

/** The clauses after a query that apply to its rows. */
export interface OrderAndLimit {
  readonly orderBy: readonly Syntax.OrderByItem[];
  readonly limit: Syntax.Limit | undefined;
}

const noFrom: ResolvedFrom = { from: undefined, ranges: [] };
const unknownFrom: ResolvedFrom = {
  ...noFrom,
  ranges: [{ name: undefined, columns: [], acceptsAnyColumn: true }],
};

const inWhere = {
  aggregate: 'WHERE chooses rows before they are grouped: conditions on aggregate functions belong in HAVING',
  window: 'WHERE chooses rows before window functions are computed: conditions on them belong in QUALIFY',
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
  const names = { ...scope, ranges: from.ranges };
  const inner = withWindows(node.windows, names, context);

  const laterAliases = node.items.flatMap((one) => ('alias' in one && one.alias ? [one.alias.name] : []));
  const where = conditions(node.where, 'WHERE', { ...inner, laterAliases, refused: inWhere }, context);
  const selected = selectList(node.items, inner, context);
  const groupedOutputs = { outputs: selected, haveColumns: node.as === undefined };
  const grouping = node.groupBy && resolveGrouping(node.groupBy, groupedOutputs, inner, context);
  const {
    groupBy,
    outputs: read,
    read: grouped,
  } = afterGrouping(grouping?.grouping, selected, grouping?.keys);
  const value = rowValue(node.as, read);
  const outputs = value ? [value] : read;
  const isStruct = node.as?.mode === 'STRUCT';
  const named = isStruct ? read : outputs;
  const uses: ColumnUse[] = [];
  const hasDoubtfulAliases = selected.some(({ isDoubtful }) => isDoubtful);
  const outputScope = { ...inner, aliases: aliasesOf(read), hasDoubtfulAliases, uses };
  const groups = conditions(node.having, 'HAVING', outputScope, context).map(grouped);
  const qualify = conditions(node.qualify, 'QUALIFY', outputScope, context).map(grouped);
  if (node.qualify) requireWindow(node.qualify, [...selected.map((output) => output.value), ...qualify]);
  if (node.distinct) requireDistinguishable(node, outputs);
  const isAggregated = node.groupBy !== undefined || outputs.some((output) => aggregatesRows(output.value));

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
    having: groups,
    qualify,
  };
  const orderBy = node.distinct
    ? []
    : resolveOrderBy(after.orderBy, outputs, outputScope, context, grouping?.keys, named).map((key) => ({
        ...key,
        value: grouped(key.value),
      }));
  refuseMisplacedAggregates(node, isAggregated, groups, orderBy);
  if (!node.from) refuseWithoutFrom(node, outputs, after);
  const keys = grouping?.keys ?? [];
  if (
    isAggregated &&
    ![...keys, ...(node.groupBy?.all ? selected : [])].some(({ value }) => hasFailed(value))
  ) {
    const computed = selected.filter((output) => !isKey(output, keys));
    requireGrouped([...computed.flatMap((output) => output.uses ?? []), ...uses], keys, context);
  }
  const limits = node.distinct ? {} : resolveLimit(after.limit, context);
  const own = computedFirst(select({ ...clauses, orderBy, ...limits }), context.fresh);
  const query = node.distinct
    ? distinctQuery(distinctRows(own, context.fresh('rows')), selected, isStruct, after, inner, context)
    : own;
  return {
    query,
    // Aggregation and DISTINCT may make a value of no rows, or of a grouping set without the column.
    columns: groupBy ? columns.map(({ required: _, ...rest }) => rest) : columns,
    isValue: value !== undefined,
    ...(hasUnknownStar(node.items, from) && { acceptsAnyColumn: true }),
    ...(hasStar(node.items) && absentIn(from.ranges)),
  };
}

/** Those of subqueries and of ORDER BY do not count. */
function requireWindow(place: Place, values: readonly Expression[]): void {
  if (values.some((value) => isWindowed(value) || hasFailed(value))) return;
  throw new Unsupported(
    place,
    'QUALIFY needs a window function, such as ROW_NUMBER() OVER (…); groups are chosen by HAVING',
  );
}

const isWindowed = (value: Expression): boolean => someAggregate(value, ({ over }) => over !== undefined);

/** True if `*` means columns that are not known because something before it is unsupported. */
const hasUnknownStar = (items: readonly Syntax.SelectItem[], { ranges }: ResolvedFrom): boolean =>
  ranges.some(({ acceptsAnyColumn }) => acceptsAnyColumn) && hasStar(items);

/** True if GROUP BY names an output column by its position or alias. */
const isPositionIn = (groupBy: Grouping | undefined, outputs: readonly Output[], output: Output): boolean =>
  groupBy?.keys.some((key) => key.kind === 'position' && outputs[key.index - 1] === output) ?? false;

/** Aggregates need FROM; HAVING and aggregates in ORDER BY need groups. */
function refuseMisplacedAggregates(
  node: Syntax.Select,
  isAggregated: boolean,
  groups: readonly Expression[],
  orderBy: readonly SortKey[],
): void {
  const { having, groupBy } = node;
  if (!node.from && ((isAggregated && !groupBy) || groups.some(aggregatesRows)))
    throw new Unsupported(node, 'SELECT without FROM cannot use aggregate functions');
  if (having && groups.some(isWindowed))
    throw new Unsupported(having, 'HAVING takes no window function: QUALIFY does');
  if (isAggregated) return;
  if (having)
    throw new Unsupported(having, 'HAVING needs GROUP BY, or an aggregate function in the select list');
  if (orderBy.some(({ value }) => aggregatesRows(value)))
    throw new Unsupported(
      node,
      'ORDER BY takes an aggregate function only with GROUP BY, or beside another one in the select list',
    );
}

/** The one row of a SELECT without FROM is neither compared with others nor ordered. */
function refuseWithoutFrom(
  node: Syntax.Select,
  outputs: readonly Output[],
  { orderBy: [order] }: OrderAndLimit,
): void {
  if (node.distinct) throw new Unsupported(node, 'SELECT DISTINCT needs FROM');
  if (order) throw new Unsupported(order, 'ORDER BY of a SELECT without FROM is not allowed: it has one row');
  if (outputs.some(({ value }) => isWindowed(value)))
    throw new Unsupported(node, 'SELECT without FROM cannot use window functions');
}

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
