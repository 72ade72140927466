import { aliasesOf } from '../../tree/aliases-of.ts';
import { and, column, element, isNull, list, select } from '../../tree/build.ts';
import { forEachPart, mapSelects, someExpression, someNode } from '../../tree/map.ts';
import type {
  Aggregate,
  Column,
  Expression,
  From,
  Member,
  Node,
  Query,
  Select,
  SortKey,
} from '../../tree/nodes.ts';
import { afterGroups, isGroupAggregate, makesGroups } from '../../tree/query-parts.ts';
import { isDraw, isRandom, isRandomByRow } from '../../tree/volatile.ts';
import { deriveItem } from './derive-item.ts';
import { joinsOf, replaceItem } from './from-items.ts';

type Fresh = (prefix: string) => string;

/**
 * Draws random values for the rows for which they are written. DuckDB moves a condition that reads no column below UNNEST, windows,
 * DISTINCT and set operations, and above joins; and it runs a correlated subquery once for equal values. It moves no
 * condition on a column that is drawn, and runs a subquery that reads an array for each row.
 *
 * It is written so at last: what a query does is easier to find in its own form.
 *
 * @see conformance/duckdb/moved-random-filters.md
 */
export const drawForEachRow = (query: Query, fresh: Fresh): Query =>
  mapSelects(query, (node) =>
    isRandom(node) ? steps.reduce((select, step) => step(select, fresh), node) : node,
  );

/** The conditions of an inner join filter its rows. */
function filterInnerJoins(node: Select, fresh: Fresh): Select {
  const join =
    node.from && joinsOf(node.from).find(({ join, on }) => join === 'INNER' && on && isRandomByRow(on));
  if (!join?.on || !node.from) return node;
  const { random, others } = split([join.on]);
  const item: From = { ...join, on: and(others) };
  const from = replaceItem(node.from, join, item);
  return filterInnerJoins(
    deriveItem({ ...node, ...(from && { from }) }, item, { keep: random }, fresh),
    fresh,
  );
}

/**
 * DuckDB filters one side before an outer join, if its condition reads that side only: so it reads the other one, too. It reads a
 * value that is drawn there, as columns may be constants, which DuckDB computes at once.
 */
function keepInOuterJoins(node: Select, fresh: Fresh): Select {
  if (!node.from) return node;
  for (const join of joinsOf(node.from)) {
    if (!join.on || join.join === 'INNER' || !isRandomByRow(join.on)) continue;
    const { random, others } = split([join.on]);
    const test = and(random);
    const side = [join.left, join.right].find((one) => !readsItem(test, one));
    const draw = drawIn(test);
    if (side === undefined || draw === undefined) continue;
    const drawn = { ...draw };
    const on = and([...others, element(list([test, isNull(drawn)]), 1, test.type)]);
    const from = replaceItem(node.from, join, { ...join, on });
    return keepInOuterJoins(
      deriveItem({ ...node, ...(from && { from }) }, side, { values: [drawn] }, fresh),
      fresh,
    );
  }
  return node;
}

function drawIn(node: Node): Expression | undefined {
  if (isExpression(node) && isDraw(node)) return node;
  let found: Expression | undefined;
  forEachPart(node, (part) => {
    found ??= drawIn(part);
  });
  return found;
}

function readsItem(node: Node, item: From): boolean {
  const own = aliasesOf(item);
  return someNode(node, (part) => part.kind === 'column' && own.includes(part.from));
}

/** An array, or a subquery in FROM, is computed for each row to its left. */
function drawLaterals(node: Select, fresh: Fresh): Select {
  const { from } = node;
  if (!from) return node;
  for (const { join, left, right } of joinsOf(from)) {
    if (join === 'RIGHT' || join === 'FULL') continue;
    if (right.kind === 'unnest' && isRandomByRow(right.array))
      return drawLaterals(deriveItem(node, left, { values: [right.array] }, fresh), fresh);
    const isLateral = right.kind === 'unnest' || (right.kind === 'derived' && right.lateral);
    if (isLateral && isRandom(right) && isShared(right, left))
      return drawLaterals(deriveItem(node, left, { asElements: [right] }, fresh), fresh);
  }
  const first = firstItem(from);
  if (first.kind !== 'unnest' || !first.offset || !isRandomByRow(first.array)) return node;
  // The offsets are those of the same array.
  const alias = fresh('drawn_rows');
  const array = { name: 'array', value: first.array };
  const left: From = { kind: 'derived', alias, query: select({ columns: [array] }) };
  const right: From = { ...first, array: column(alias, array.name, first.array.type) };
  const item = replaceItem(from, first, { kind: 'join', join: 'CROSS', left, right });
  return { ...node, ...(item && { from: item }) };
}

const firstItem = (from: From): From => (from.kind === 'join' ? firstItem(from.left) : from);

/** A value that several clauses read is drawn before all of them, as are those of several aggregates: DuckDB makes equal ones one. */
function drawBeforeClauses(node: Select, fresh: Fresh): Select {
  const isGrouped = makesGroups(node);
  const draws: Expression[] = [];
  const ofGroups = new Set<Expression>();
  const aggregates = new Set<Expression>();
  const find = (part: Node, aggregate: Aggregate | undefined): void => {
    if (!isExpression(part)) return;
    if (isDraw(part)) {
      draws.push(part);
      if (aggregate) aggregates.add(aggregate);
      else if (isGrouped) ofGroups.add(part);
    }
    forEachPart(part, (inner) => find(inner, isGroupAggregate(part) ? part : aggregate));
  };
  forEachPart(node, (part) => find(part, undefined));
  const isRepeated = (draw: Expression) =>
    aggregates.size > 1 || draws.indexOf(draw) < draws.lastIndexOf(draw);
  const values = new Set(draws.filter((draw) => isRepeated(draw) && !ofGroups.has(draw)));
  return values.size === 0 ? node : deriveItem(node, node.from, { values: [...values] }, fresh);
}

/** Subqueries are computed for each row, also for rows with equal values. */
function drawInSubqueries(node: Select, fresh: Fresh): Select {
  const { from } = node;
  if (!from) return node;
  const found: Node[] = [];
  const find = (part: Node): void => {
    if (!isExpression(part)) return;
    if (part.kind === 'subquery' && isRandom(part.query) && isShared(part.query, from))
      found.push(part.query);
    forEachPart(part, find);
  };
  // Groups have no columns but their keys.
  if (makesGroups(node)) node.where.forEach(find);
  else forEachPart(node, find);
  return found.length === 0 ? node : deriveItem(node, from, { asElements: found }, fresh);
}

function filterRows(node: Select, fresh: Fresh): Select {
  const { random, others } = split(node.where);
  if (random.length === 0) return node;
  return deriveItem({ ...node, where: [] }, node.from, { where: others, keep: random }, fresh);
}

/** HAVING and QUALIFY filter a query of their own, unless windows read the groups that HAVING leaves. */
function filterResults(node: Select, fresh: Fresh): Select {
  const [having, qualify] = [split(node.having), split(node.qualify)];
  const isWindow = (part: Node) => part.kind === 'aggregate' && part.over !== undefined;
  const hasWindows = afterGroups(node).some((value) => someExpression(value, isWindow));
  const tests = [...(hasWindows ? [] : having.random), ...qualify.random];
  if (tests.length === 0) return node;
  const alias = fresh('drawn_rows');
  const { limit, offset, distinct, orderBy, columns, ...clauses } = node;
  const members: Member[] = [];
  const outside = (value: Expression): Expression => {
    if (value.kind === 'position') return value;
    members.push({ name: `c${members.length + 1}`, value });
    return column(alias, `c${members.length}`, value.type);
  };
  const result = {
    columns: columns.map(({ name, value }): Member => ({ name, value: outside(value) })),
    where: tests.map(outside),
    orderBy: orderBy.map((key): SortKey => ({ ...key, value: outside(key.value) })),
  };
  const query: Select = {
    ...clauses,
    columns: members,
    distinct: false,
    orderBy: [],
    having: hasWindows ? node.having : having.others,
    qualify: qualify.others,
  };
  return select({
    ...result,
    distinct,
    from: { kind: 'derived', alias, query },
    ...(limit && { limit }),
    ...(offset && { offset }),
  });
}

const steps: readonly ((node: Select, fresh: Fresh) => Select)[] = [
  filterInnerJoins,
  keepInOuterJoins,
  drawLaterals,
  drawBeforeClauses,
  drawInSubqueries,
  filterRows,
  filterResults,
];

/** Conditions that must all hold, by whether they draw a value for each row. */
function split(conditions: readonly Expression[]) {
  const all = conditions.flatMap((condition) =>
    condition.kind === 'operation' && condition.operator === 'AND' ? condition.operands : [condition],
  );
  return { random: all.filter(isRandomByRow), others: all.filter((one) => !isRandomByRow(one)) };
}

/** True if DuckDB computes a part once for all rows of an item with equal values. */
function isShared(part: Node, item: From): boolean {
  const own = aliasesOf(item);
  const read: Column[] = [];
  const find = (inner: Node): void => {
    if (inner.kind === 'column' && own.includes(inner.from)) read.push(inner);
    forEachPart(inner, find);
  };
  find(part);
  return read.length > 0 && !read.some(({ type }) => type.kind === 'array');
}

/** Neither a query nor an item of FROM. */
const isExpression = (part: Node): part is Expression =>
  !['select', 'set', 'with', 'table', 'reference', 'derived', 'unnest', 'join', 'sample'].includes(part.kind);
