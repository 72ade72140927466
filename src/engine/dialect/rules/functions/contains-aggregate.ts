import type * as Syntax from '../../syntax/nodes.ts';
import { isAggregateName } from './aggregate-names.ts';
import { functionName } from './function-name.ts';

/** Whether an expression contains a call of an aggregate function without OVER, outside of subqueries. */
export function containsAggregate(node: Syntax.Expression): boolean {
  return someCall(node, (call) => call.over === undefined && isAggregateName(functionName(call.name)));
}

/** Whether an expression contains a call of a window function, outside of subqueries. */
export const containsWindow = (node: Syntax.Expression): boolean =>
  someCall(node, ({ over }) => over !== undefined);

function someCall(part: unknown, test: (call: Syntax.FunctionCall) => boolean): boolean {
  if (Array.isArray(part)) return part.some((item) => someCall(item, test));
  if (typeof part !== 'object' || part === null || !('kind' in part)) return false;
  const node = part as Syntax.Node;
  if (node.kind === 'Query') return false;
  if (node.kind === 'FunctionCall' && test(node)) return true;
  return Object.values(node).some((child) => someCall(child, test));
}
