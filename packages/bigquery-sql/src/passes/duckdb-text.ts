import { hasSubquery, macrosIn } from '../macros/macros.ts';
import { computeFirst } from '../tree/build.ts';
import { freshNames } from '../tree/fresh-names.ts';
import { forEachPart, mapExpression, mapExpressions } from '../tree/map.ts';
import type { Expression, Node, Query } from '../tree/nodes.ts';
import { printExpression, printQuery } from '../tree/print.ts';
import { isRandom } from '../tree/volatile.ts';
import { boundAfterGrouping } from './after-grouping.ts';
import { closeLambdas } from './for-duckdb/close-lambdas.ts';
import { lazyFallbacks } from './for-duckdb/lazy-fallbacks.ts';
import { nullsFirst } from './for-duckdb/nulls-first.ts';
import { drawForEachRow } from './rewriting/random-filters.ts';
import { sortBeforeJoins } from './for-duckdb/sort-before-joins.ts';

/**
 * A query as the text that DuckDB runs. To choose among the signatures of a macro, DuckDB 1.5.5 binds its arguments twice;
 * the process ends if one of them has a correlated subquery and the call is in a subquery inside another one. Such
 * arguments are computed before the call. Lambdas are closed at last: what rewrites a query may open them.
 */
export const duckdbText = (query: Query): string =>
  printQuery(
    nullsFirst(
      sortBeforeJoins(
        boundAfterGrouping(closeLambdas(mapExpressions(lazyFallbacks(drawn(query)), subqueriesFirst()))),
      ),
    ),
  );

const drawn = (query: Query): Query => (isRandom(query) ? drawForEachRow(query, freshNames(query)) : query);

/** As `duckdbText`, for an expression. */
export const duckdbExpressionText = (expression: Expression): string =>
  printExpression(mapExpression(expression, subqueriesFirst()));

function subqueriesFirst(): (node: Expression) => Expression {
  const known = new WeakMap<Node, boolean>();
  const containsSubquery = (node: Node): boolean => {
    const found = known.get(node) ?? (node.kind === 'subquery' || somePart(node, containsSubquery));
    known.set(node, found);
    return found;
  };
  return (node) => {
    if (node.kind !== 'call' || macrosIn(node.function).length === 0 || hasSubquery(node.function))
      return node;
    const costly = node.args.filter(containsSubquery);
    if (costly.length === 0) return node;
    return computeFirst(costly, (...computed) => ({
      ...node,
      args: node.args.map((arg) => computed[costly.indexOf(arg)] ?? arg),
    }));
  };
}

function somePart(node: Node, test: (part: Node) => boolean): boolean {
  let found = false;
  forEachPart(node, (part) => {
    found ||= test(part);
  });
  return found;
}
