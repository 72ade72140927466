import { isWorthComputingOnce } from '../../macros/compute-once.ts';
import { planningCosts } from '../../macros/macros.ts';
import { and, call, caseWhen, computedBefore, isNull } from '../../tree/build.ts';
import { mapParts, type Mapper, mapperWith, someExpression } from '../../tree/map.ts';
import type { Call, Expression, Query } from '../../tree/nodes.ts';
import { isVolatile, mayFail } from '../../tree/volatile.ts';

/**
 * The same query with the arguments of COALESCE that may fail in CASE. DuckDB computes what a select list has twice once, before
 * the list and for all rows: also what COALESCE does not need, but nothing that is in CASE. It does so in no lambda.
 *
 * @see conformance/duckdb/early-fallbacks.md
 */
export function lazyFallbacks(query: Query): Query {
  const mapper: Mapper = mapperWith({
    expression(part) {
      if (part.kind === 'lambda') return part;
      const mapped = mapParts(part, mapper);
      return mapped.kind === 'call' && mapped.function === 'coalesce' ? lazy(mapped) : mapped;
    },
  });
  return mapper.query(query);
}

function lazy(node: Call): Expression {
  const { args, type } = node;
  const first = args.findIndex((arg, at) => at > 0 && mayFail(arg));
  if (first < 0) return node;
  const before = args.slice(0, first);
  const costly = before.filter(isCostly);
  if (costly.length > 0) return computedBefore(node, costly);
  const rest = call('coalesce', args.slice(first), type);
  // DuckDB computes a condition on constants while it plans.
  const isFixed = before.every(({ kind }) => kind === 'literal' || kind === 'parameter');
  const fallback = caseWhen(and(before.map(isNull)), isFixed ? lazy(rest) : rest);
  return call('coalesce', [...before, fallback], type);
}

/** True if a value is computed once rather than twice for the rows where it is NULL. */
const isCostly = (value: Expression): boolean =>
  isVolatile(value) ||
  someExpression(value, (part) => part.kind === 'subquery' || (part.kind === 'aggregate' && !!part.over)) ||
  isWorthComputingOnce(planningCosts.of(value).size, 2, 'inQuery');
