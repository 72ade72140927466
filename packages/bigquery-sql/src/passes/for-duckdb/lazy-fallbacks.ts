import { isWorthComputingOnce } from '../../macros/compute-once.ts';
import { planningCosts } from '../../macros/macros.ts';
import { and, call, caseWhen, computedBefore, isNull } from '../../tree/build.ts';
import { isEqual } from '../../tree/equal.ts';
import { forEachNode, mapParts, type Mapper, mapperWith, someExpression } from '../../tree/map.ts';
import type { Call, Expression, Node, Query } from '../../tree/nodes.ts';
import { isFallible, isVolatile } from '../../tree/volatile.ts';

/**
 * The same query with the arguments of COALESCE in CASE that may fail, and of which a part occurs twice. DuckDB computes such a
 * part once, before the list and for all rows: also where COALESCE does not need it, but nothing that is in CASE. It does so in
 * no lambda.
 *
 * @see conformance/duckdb/early-fallbacks.md
 */
export function lazyFallbacks(query: Query): Query {
  const repeated = repeatedFallbacks(query);
  if (repeated.length === 0) return query;
  const isEarly = (arg: Expression) =>
    someExpression(arg, (part) => repeated.some((one) => isEqual(one, part)));
  const mapper: Mapper = mapperWith({
    expression(part) {
      if (part.kind === 'lambda') return part;
      const mapped = mapParts(part, mapper);
      return isCoalesce(mapped) ? lazy(mapped, isEarly) : mapped;
    },
  });
  return mapper.query(query);
}

const isCoalesce = (node: Node): node is Call => node.kind === 'call' && node.function === 'coalesce';

/** The parts of fallbacks that may fail and that the query has more than once. */
function repeatedFallbacks(query: Query): readonly Expression[] {
  const parts = new Set<Expression>();
  forEachNode(query, (node) => {
    if (isCoalesce(node))
      for (const arg of node.args.slice(1))
        someExpression(arg, (part) => {
          if (isFallible(part)) parts.add(part);
          return false;
        });
  });
  if (parts.size === 0) return [];
  const counts = [...parts].map((part) => ({ part, count: 0 }));
  const byHead = Map.groupBy(counts, ({ part }) => headOf(part));
  forEachNode(query, (node) => {
    const same = byHead.get(headOf(node))?.find(({ part }) => isEqual(part, node));
    if (same !== undefined) same.count += 1;
  });
  return counts.flatMap(({ part, count }) => (count > 1 ? [part] : []));
}

/** Equal for equal nodes, and for few others. */
const headOf = (node: Node): string =>
  node.kind === 'call' ? node.function : node.kind === 'operation' ? node.operator : node.kind;

function lazy(node: Call, isEarly: (arg: Expression) => boolean): Expression {
  const { args, type } = node;
  const first = args.findIndex((arg, at) => at > 0 && isEarly(arg));
  if (first < 0) return node;
  const before = args.slice(0, first);
  const costly = before.filter(isCostly);
  if (costly.length > 0) return computedBefore(node, costly);
  const [one, ...others] = args.slice(first);
  const rest = one !== undefined && others.length === 0 ? one : call('coalesce', args.slice(first), type);
  // DuckDB computes a condition on constants while it plans.
  const isFixed = before.every(({ kind }) => kind === 'literal' || kind === 'parameter');
  const fallback = caseWhen(
    and(before.map(isNull)),
    isFixed && isCoalesce(rest) ? lazy(rest, isEarly) : rest,
  );
  return call('coalesce', [...before, fallback], type);
}

/** True if a value is computed once rather than twice for the rows where it is NULL. */
const isCostly = (value: Expression): boolean =>
  isVolatile(value) ||
  someExpression(value, (part) => part.kind === 'subquery' || (part.kind === 'aggregate' && !!part.over)) ||
  isWorthComputingOnce(planningCosts.of(value).size, 2, 'inQuery');
