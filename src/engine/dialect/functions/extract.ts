import type { ExtractExpr, Node } from 'sql-parser-cst';
import { operatorName } from '../expr/comparison.ts';
import { callMacro } from '../macros/macro-call.ts';
import { macros } from '../macros/macros.ts';
import { zoneOperator } from '../syntax.ts';
import type { Rule } from '../translator.ts';
import { isScalar } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { partName } from './date-parts.ts';

/** `EXTRACT(part FROM x [AT TIME ZONE z])`: one macro for each part. */
export const extract: Rule<ExtractExpr> = (node, scope, tr) => {
  const { unit, expr } = node.args.expr;
  const part = partName(unit);
  const macro = `extract${part}`;
  if (!macros.has(macro))
    throw new Unsupported(unit, `EXTRACT does not support ${part.slice(1).toUpperCase()}`);
  const args = operands(expr).map((operand) => tr.expr(operand, scope));
  if (args[0] && isScalar(args[0].type, 'DATE') && clockParts.includes(part))
    throw new Unsupported(node, `a DATE has no ${part.slice(1).toUpperCase()}`);
  return callMacro(node, macro, args, `EXTRACT(${part.slice(1).toUpperCase()})`);
};

const clockParts = [
  '_hour',
  '_minute',
  '_second',
  '_millisecond',
  '_microsecond',
  '_time',
  '_datetime',
  '_date',
];

const operands = (node: Node): readonly Node[] =>
  node.type === 'binary_expr' && operatorName(node.operator) === zoneOperator
    ? [node.left, node.right]
    : [node];
