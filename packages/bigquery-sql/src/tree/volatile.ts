import { someExpression, someNode } from './map.ts';
import type { Expression, Node } from './nodes.ts';
import { isScalar } from '../types.ts';

/** Functions whose value is another one each time. */
const randomFunctions: readonly string[] = ['bq.rand', 'uuid', 'host_javascript_each_time'];

/** True if a node draws a random value itself. */
export const isDraw = (node: Node): boolean =>
  node.kind === 'call' && randomFunctions.includes(node.function);

/** True if a node, or one below it, draws a random value. */
export const isRandom = (node: Node): boolean => someNode(node, isDraw);

/** True if an expression draws a random value for each row of its own query; a subquery's draws belong to its rows. */
export const isRandomByRow = (node: Expression): boolean => someExpression(node, isDraw);

/**
 * True if DuckDB computes a node each time that it needs it, so that it must be computed once, and where it is written.
 * DuckDB's own `random` is in matches that can be interrupted, whose value is always the same.
 */
export const isVolatile = (node: Node): boolean =>
  someNode(node, (part) => isDraw(part) || (part.kind === 'call' && part.function === 'random'));

/** True if a list is the same for all rows, and cannot fail. */
export const isConstantList = (list: Expression): boolean =>
  [...(list.kind === 'list' ? list.items : [list])].every(
    ({ kind }) => kind === 'parameter' || kind === 'literal',
  );

/** Functions that have a value for all arguments. */
const neverFails = /^(?:coalesce|bq\.json_scalar_at\w*|bq\."(?:lower|upper)\(s varchar\)")$/;

/** True if computing a node from its parts might fail, as far as its tree shows. */
export const isFallible = (node: Node): boolean =>
  (node.kind === 'call' && !neverFails.test(node.function)) ||
  node.kind === 'cast' ||
  (node.kind === 'operation' && !isScalar(node.type, 'BOOL'));

/** True if computing a value might fail; what a subquery computes does not count. */
export const mayFail = (value: Expression): boolean => someExpression(value, isFallible);
