import { planningCosts } from '../macros/macros.ts';
import { maxCopiedSize, maxInlinedDepth, maxNestedDepth } from '../planning-cost/planning-limits.ts';
import { isEqual } from '../tree/equal.ts';
import { forEachNode, forEachPart, mapParts, type Mapper, mapperWith, someNode } from '../tree/map.ts';
import type { Column, Derived, Expression, From, Literal, Node, Query, Select, With } from '../tree/nodes.ts';
import { keysOf, makesGroups } from '../tree/query-parts.ts';
import { isVolatile } from '../tree/volatile.ts';
import type { Pass } from './pass.ts';
import { replaceItem, requiredItems } from './rewriting/from-items.ts';
import { withoutPositions } from './rewriting/sort-keys.ts';
import { substitute } from './rewriting/substitute.ts';

/** Joins a query and a subquery in its FROM into one where the subquery only filters rows and names values. */
export const inlineQueries: Pass = (query) => {
  const mapper: Mapper = mapperWith({
    query: (node) => {
      const mapped = mapParts(node.kind === 'with' ? inlineTables(node) : node, mapper);
      return mapped.kind === 'select' ? inlineAll(mapped) : mapped;
    },
  });
  return mapper.query(query);
};

/** A common table with one reader becomes a subquery, unless it is random and its reader may run for each row. */
function inlineTables(node: With): Query {
  const readers = countReaders(node);
  const inlined = new Map<string, Query>();
  const mapper: Mapper = mapperWith({
    from: (part) => {
      if (part.kind !== 'reference') return mapParts(part, mapper);
      const query = inlined.get(part.name);
      return query ? { kind: 'derived', alias: part.alias, query } : part;
    },
  });
  const tables = node.tables.flatMap((table) => {
    const query = mapper.query(table.query);
    const isInlined =
      !table.recursive &&
      readers.get(table.name) === 1 &&
      planningCosts.of(query).depth <= maxNestedDepth &&
      !(isVolatile(query) && isReadInSubquery(table.name, node));
    if (isInlined) inlined.set(table.name, query);
    return isInlined ? [] : [{ ...table, query }];
  });
  if (inlined.size === 0) return node;
  const body = mapper.query(node.body);
  return tables.length === 0 ? body : { ...node, tables, body };
}

const isReadInSubquery = (name: string, node: With): boolean =>
  someNode(
    node,
    (part) =>
      part.kind === 'subquery' &&
      someNode(part, (inner) => inner.kind === 'reference' && inner.name === name),
  );

function countReaders(node: With): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  forEachNode(node, (part) => {
    if (part.kind === 'reference') counts.set(part.name, (counts.get(part.name) ?? 0) + 1);
  });
  return counts;
}

function inlineAll(node: Select): Select {
  const merged = mergeIntoInner(node) ?? inlineOne(node);
  return merged ? inlineAll(merged) : node;
}

/** `SELECT values FROM (SELECT … ORDER BY … LIMIT n)`: the outer query only renames or computes values. */
function mergeIntoInner(outer: Select): Select | undefined {
  const { from } = outer;
  if (from?.kind !== 'derived' || from.lateral || from.query.kind !== 'select') return undefined;
  const inner = from.query;
  const hasClauses =
    outer.distinct ||
    outer.groupBy ||
    outer.offset ||
    outer.orderBy.length > 0 ||
    [outer.where, outer.having, outer.qualify].some((clause) => clause.length > 0);
  if (hasClauses || inner.orderBy.length === 0 || inner.distinct || makesGroups(inner)) return undefined;
  if (!canMove(inner, outer, from.alias) || hasAggregate(outer)) return undefined;
  // DuckDB takes no window function in place of a column that a subquery reads.
  if (hasAggregate(inner) && readsInSubquery(outer, from.alias)) return undefined;
  const limit = outer.limit ? smallerLimit(inner.limit, outer.limit) : inner.limit;
  if (outer.limit && !limit) return undefined;
  const { columns } = readThrough(outer, from.alias, inner);
  return { ...inner, columns, orderBy: withoutPositions(inner), ...(limit && { limit }) };
}

function smallerLimit(inner: Expression | undefined, outer: Expression): Expression | undefined {
  if (!inner) return outer;
  const isNumber = (node: Expression): node is Literal & { readonly value: bigint } =>
    node.kind === 'literal' && typeof node.value === 'bigint';
  if (!isNumber(inner) || !isNumber(outer)) return undefined;
  return inner.value < outer.value ? inner : outer;
}

/** A subquery that only filters and projects becomes part of the query. */
function inlineOne(outer: Select): Select | undefined {
  const { from } = outer;
  if (!from) return undefined;
  const item = requiredItems(from).find(
    (candidate): candidate is Derived =>
      candidate.kind === 'derived' && !candidate.lateral && isPlain(candidate.query, outer, candidate.alias),
  );
  if (item?.query.kind !== 'select' || !item.query.from) return undefined;
  const inner = item.query;
  const replaced = replaceItem(from, item, inner.from) as From;
  const read = readThrough({ ...outer, from: replaced }, item.alias, inner);
  return { ...read, where: [...inner.where, ...read.where] };
}

function isPlain(query: Query, outer: Select, alias: string): boolean {
  if (query.kind !== 'select' || !query.from || query.distinct || query.groupBy) return false;
  const { having, qualify, orderBy, limit, offset } = query;
  if ([having, qualify, orderBy].some((clause) => clause.length > 0) || limit || offset) return false;
  // A condition that is not the same each time must not be computed again for each row of a join.
  return !hasAggregate(query) && !query.where.some(isVolatile) && canMove(query, outer, alias);
}

/** True if each column of the inner query may be written where the outer one reads it. */
function canMove(inner: Select, outer: Select, alias: string): boolean {
  if (inner.columns.some(({ value }) => someNode(value, isFixed))) return false;
  if (outer.groupBy?.sets && (computesKey(inner, outer, alias) || readsEqualValues(inner, outer, alias)))
    return false;
  const computed = inner.columns.filter(({ value }) => !isCheap(value));
  if (computed.length === 0) return true;
  // Each query of a chain may compute with a value of the one before.
  if (depthOf(inner) + depthOf(outer) > maxInlinedDepth) return false;
  const uses = countReads(outer, alias);
  return computed.every(({ name, value }) => {
    const { reads, copies } = uses.get(name) ?? { reads: 0, copies: 0 };
    return reads <= 1 && (copies - 1) * planningCosts.of(value).size <= maxCopiedSize;
  });
}

/** True if a key of several sets of groups would become an expression: elsewhere, an equal one may have another value. */
const computesKey = ({ columns }: Select, outer: Select, alias: string): boolean =>
  keysOf(outer).some((key) => {
    const root = rootOf(key);
    const read = root?.from === alias && columns.find(({ name }) => name === root.name)?.value;
    return read && read.kind !== 'column' && !(read.kind === 'record' && key.kind === 'field');
  });

const rootOf = (path: Expression): Column | undefined =>
  path.kind === 'field' ? rootOf(path.of) : path.kind === 'column' ? path : undefined;

/** True if two keys of several sets of groups would become one. */
function readsEqualValues(inner: Select, outer: Select, alias: string): boolean {
  const uses = countReads(outer, alias);
  const read = inner.columns.filter(({ name }) => uses.has(name));
  return read.some(({ value }, at) => read.slice(0, at).some((other) => isEqual(other.value, value)));
}

const depthOf = ({ columns, where }: Select): number =>
  [...columns.map(({ value }) => value), ...where].reduce(
    (most, value) => Math.max(most, planningCosts.of(value).depth),
    0,
  );

const hasAggregate = ({ columns }: Select): boolean =>
  columns.some(({ value }) => someNode(value, ({ kind }) => kind === 'aggregate'));

const readsInSubquery = (outer: Select, alias: string): boolean =>
  someNode(
    outer,
    (node) =>
      node.kind === 'subquery' && someNode(node, (part) => part.kind === 'column' && part.from === alias),
  );

/** True if a node must be computed where it is written. */
const isFixed = (node: Node): boolean =>
  node.kind === 'subquery' ||
  (node.kind === 'call' && (node.function === 'unnest' || node.function === 'bq.fail')) ||
  isVolatile(node);

/** How often a column is read, and how often DuckDB's plan has what is read: a macro may have its argument repeatedly. */
interface Uses {
  readonly reads: number;
  readonly copies: number;
}

function countReads(outer: Select, alias: string): ReadonlyMap<string, Uses> {
  const found = new Map<string, Uses>();
  const countIn = (node: Node, copies: number): void => {
    if (node.kind === 'column' && node.from === alias) {
      const before = found.get(node.name) ?? { reads: 0, copies: 0 };
      found.set(node.name, { reads: before.reads + 1, copies: before.copies + copies });
    }
    const uses = planningCosts.usesOf(node);
    let at = 0;
    forEachPart(node, (part) => {
      countIn(part, copies * (uses?.[at] ?? 1));
      at += 1;
    });
  };
  countIn(outer, 1);
  return found;
}

/** True if writing a value twice costs nothing. */
function isCheap(value: Expression): boolean {
  switch (value.kind) {
    case 'column':
    case 'literal':
    case 'parameter':
      return true;
    case 'field':
      return isCheap(value.of);
    case 'record':
      return isCheap(value.present) && value.fields.every((member) => isCheap(member.value));
    default:
      return false;
  }
}

const readThrough = (outer: Select, alias: string, inner: Select): Select =>
  substitute(outer, ({ from, name }) =>
    from === alias ? inner.columns.find((member) => member.name === name)?.value : undefined,
  );
