import type { FuncCall } from 'sql-parser-cst';
import type { Rule } from '../translator.ts';
import { callMacro, plainArguments } from './calls.ts';

/** EDIT_DISTANCE, whose limit is written `max_distance => n`. */
export const editDistance: Rule<FuncCall> = (node, scope, tr) => {
  const args = plainArguments(node).map((arg) =>
    arg.type === 'named_arg' && arg.name.name.toLowerCase() === 'max_distance' ? arg.value : arg,
  );
  return callMacro(
    node,
    'edit_distance',
    args.map((arg) => tr.expr(arg, scope)),
    tr,
  );
};
