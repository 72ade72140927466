import { macros, macrosIn } from '../macros/macros.ts';
import { forEachPart } from '../tree/map.ts';
import type { Node } from '../tree/nodes.ts';

/**
 * How many calls with a lambda, and subqueries, may be inside each other: DuckDB takes about twice as long to plan them for
 * each level, and can't be interrupted meanwhile.
 */
const maxCostlyDepth = 8;

/** Whether a tree takes DuckDB too long to plan. */
export const isTooDeep = (node: Node): boolean => costlyDepth(node) > maxCostlyDepth;

const costlyDepths = new WeakMap<Node, number>();

function costlyDepth(node: Node): number {
  const known = costlyDepths.get(node);
  if (known !== undefined) return known;
  let depth = 0;
  forEachPart(node, (part) => {
    depth = Math.max(depth, costlyDepth(part));
  });
  const isCostly =
    node.kind === 'lambda' || node.kind === 'subquery' || (node.kind === 'call' && hasLambda(node.function));
  const own = depth + (isCostly ? 1 : 0);
  costlyDepths.set(node, own);
  return own;
}

/** Whether a macro, or one that it calls, has a lambda. */
function hasLambda(callee: string): boolean {
  const [, name = ''] = /^bq\."?(\w+)/.exec(callee) ?? [];
  return withLambda.has(name);
}

const withLambda = new Set<string>();
for (let size = -1; size < withLambda.size; ) {
  size = withLambda.size;
  for (const [name, signatures] of macros) {
    const isCostly = signatures.some(
      ({ body }) => /\blambda\b/.test(body) || macrosIn(body).some((called) => withLambda.has(called)),
    );
    if (isCostly) withLambda.add(name);
  }
}
