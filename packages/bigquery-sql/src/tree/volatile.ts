import { someExpression, someNode } from './map.ts';
import type { Expression, Node } from './nodes.ts';

/** Functions whose value is another one each time. */
const randomFunctions: readonly string[] = ['bq.rand', 'uuid', 'host_javascript_each_time'];

/** Whether a node draws a random value itself. */
export const isDraw = (node: Node): boolean =>
  node.kind === 'call' && randomFunctions.includes(node.function);

/** Whether a node, or one below it, draws a random value. */
export const isRandom = (node: Node): boolean => someNode(node, isDraw);

/** Whether an expression draws a random value for each row of its own query: one in a subquery belongs to the rows there. */
export const isRandomByRow = (node: Expression): boolean => someExpression(node, isDraw);

/**
 * Whether DuckDB computes a node each time that it needs it: it must be computed once, and where it is written. Its own
 * `random` is in matches that can be interrupted, whose value is always the same.
 */
export const isVolatile = (node: Node): boolean =>
  someNode(node, (part) => isDraw(part) || (part.kind === 'call' && part.function === 'random'));
