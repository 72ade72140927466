import type * as Syntax from '../../syntax/nodes.ts';
import { walk } from '../../syntax/walk.ts';
import { isAggregateName } from './aggregate-names.ts';
import { functionName } from './function-name.ts';

/** Whether an expression contains a call of an aggregate function without OVER, outside of subqueries. */
export const containsAggregate = (node: Syntax.Expression): boolean =>
  someCall(node, ({ name, over }) => over === undefined && isAggregateName(functionName(name)));

/** Whether an expression contains a call of a window function, outside of subqueries. */
export const containsWindow = (node: Syntax.Expression): boolean =>
  someCall(node, ({ over }) => over !== undefined);

function someCall(root: Syntax.Expression, test: (call: Syntax.FunctionCall) => boolean): boolean {
  let found = false;
  walk(root, (node) => {
    found ||= node.kind === 'FunctionCall' && test(node);
    return !found && node.kind !== 'Query';
  });
  return found;
}
