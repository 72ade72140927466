import type * as Syntax from '../../syntax/nodes.ts';
import type { Expression } from '../../tree/nodes.ts';
import type { Context } from '../context.ts';

/** A function that is not simply one macro. It must build the call from its arguments, whatever they are. */
export type SpecialFunction = (
  node: Syntax.FunctionCall,
  args: readonly Expression[],
  context: Context,
) => Expression;
