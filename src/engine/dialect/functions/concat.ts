import type { FuncCall } from 'sql-parser-cst';
import { convert } from '../coercion.ts';
import type { Rule } from '../translator.ts';
import { isScalar, scalar } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { callMacro, plainArguments } from './calls.ts';

/** CONCAT joins BYTES, or whatever can be cast to STRING; one NULL makes all of it NULL. */
export const concat: Rule<FuncCall> = (node, scope, tr) => {
  const args = plainArguments(node).map((arg) => tr.expr(arg, scope));
  if (args.length === 0) throw new Unsupported(node, 'CONCAT takes at least one argument');
  const name = args.some((arg) => isScalar(arg.type, 'BYTES')) ? 'BYTES' : 'STRING';
  const type = scalar(name);
  const parts = args.map((arg) => {
    const wanted = arg.type.kind !== 'scalar' || isScalar(arg.type, 'STRING', 'BYTES');
    return wanted ? arg : callMacro(node, 'cast_string', [arg], tr, 'CONCAT');
  });
  if (parts.some((part) => part.type.kind === 'scalar' && !isScalar(part.type, name))) {
    throw new Unsupported(node, 'CONCAT takes either STRING or BYTES');
  }
  return { text: `(${parts.map((part) => convert(part, type)).join(' || ')})`, type };
};
