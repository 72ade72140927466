import type { IntervalLiteral } from 'sql-parser-cst';
import { Refusal } from '../refusal.ts';
import type { Rule } from '../translator.ts';
import { callMacro } from './calls.ts';
import { partName } from './date-parts.ts';

/** `INTERVAL 3 DAY` where it is a value: one macro for each part. */
export const intervalLiteral: Rule<IntervalLiteral> = (node, scope, to) => {
  const { unit, value } = node;
  if (unit?.type !== 'interval_unit')
    throw new Refusal(node, 'INTERVAL takes a number and one part, such as INTERVAL 3 DAY');
  const part = partName(unit);
  const macro = `interval${part}`;
  if (!to.macros.has(macro))
    throw new Refusal(unit, `INTERVAL does not support ${part.slice(1).toUpperCase()}`);
  return callMacro(node, macro, [to.expr(value, scope)], to, 'INTERVAL');
};
