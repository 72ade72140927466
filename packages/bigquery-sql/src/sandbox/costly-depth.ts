import { hasLambda } from '../macros/macros.ts';
import { forEachPart } from '../tree/map.ts';
import type { Node } from '../tree/nodes.ts';

/**
 * How many calls with a lambda, and subqueries, may be inside each other: DuckDB takes about twice as long to plan them for
 * each level, and can't be interrupted meanwhile.
 */
const maxCostlyDepth = 8;

/** What a call over values that are computed once counts: each level copies those inside it. */
const computedOnceDepth = 0.25;

/** How many nodes of a tree may be inside each other: DuckDB's time grows with the third power of it. */
const maxDepth = 100;

/** Whether a tree takes DuckDB too long to plan. */
export const isTooDeep = (node: Node): boolean =>
  costlyDepth(node) > maxCostlyDepth || depthOf(node) > maxDepth;

const depths = new WeakMap<Node, number>();

function depthOf(node: Node): number {
  const known = depths.get(node);
  if (known !== undefined) return known;
  let depth = 0;
  forEachPart(node, (part) => {
    depth = Math.max(depth, depthOf(part));
  });
  depths.set(node, depth + 1);
  return depth + 1;
}

const costlyDepths = new WeakMap<Node, number>();

function costlyDepth(node: Node): number {
  const known = costlyDepths.get(node);
  if (known !== undefined) return known;
  let depth = 0;
  forEachPart(node, (part) => {
    depth = Math.max(depth, costlyDepth(part));
  });
  const own = depth + ownDepth(node);
  costlyDepths.set(node, own);
  return own;
}

function ownDepth(node: Node): number {
  if (node.kind === 'lambda' || node.kind === 'subquery') return 1;
  if (node.kind !== 'call') return 0;
  if (hasLambda(node.function)) return 1;
  return node.args.some(({ kind }) => kind === 'lambda') ? computedOnceDepth : 0;
}
