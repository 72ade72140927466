import { didYouMean } from '@querygate/text';
import { macros } from '../../macros/macros.ts';
import type * as Syntax from '../../syntax/nodes.ts';
import { isScalar, scalar } from '../../types.ts';
import { convert } from '../coercion.ts';
import type { Rule } from '../context.ts';
import { callMacro } from '../macro-call.ts';
import { Unsupported } from '../unsupported.ts';
import { partName } from './date-parts.ts';

/** `EXTRACT(part FROM x [AT TIME ZONE z])`: one macro for each part. */
export const extraction: Rule<Syntax.Extraction> = (node, scope, context) => {
  const part = partName(node.part);
  const shown = part.slice(1).toUpperCase();
  const macro = `extract${part}`;
  if (!macros.has(macro))
    throw new Unsupported(node.part, `EXTRACT does not support ${shown}`, {
      hint: () =>
        shown === 'EPOCH' ? ': write UNIX_SECONDS(timestamp)' : didYouMean(shown, extractedParts()),
    });
  const value = context.expression(node.operand, scope);
  if (value.kind === 'literal' && isScalar(value.type, 'STRING'))
    throw new Unsupported(node.operand, `EXTRACT takes no text: write DATE '…', TIMESTAMP '…' or the like`);
  // A DATE would be converted to DATETIME.
  if (isScalar(value.type, 'DATE') && clockParts.includes(part))
    throw new Unsupported(node, `a DATE has no ${shown}`);
  const name = `EXTRACT(${shown})`;
  const zone = node.zone && context.expression(node.zone, scope);
  if (!zone) return callMacro(node, macro, [value], name);
  const extracted = callMacro(node, macro, [value, zone], name);
  const isUtc = zone.kind === 'literal' && zone.value === 'UTC';
  if (isUtc || !isScalar(value.type, 'TIMESTAMP') || momentParts.includes(part)) return extracted;
  // In a zone a moment may have parts beyond the years 1 to 9999, in which no DATE and no DATETIME is.
  const civil = callMacro(node, 'civil', [value, convert(zone, scalar('STRING'))], name);
  return callMacro(node, macro, [{ ...civil, type: scalar('DATETIME') }], name);
};

/** The parts of which there is a macro. */
const extractedParts = (): readonly string[] =>
  [...macros.keys()].flatMap((key) =>
    key.startsWith('extract_') ? key.slice('extract_'.length).toUpperCase() : [],
  );

/** Parts that are values of the years 1 to 9999. */
const momentParts = ['_date', '_datetime'];

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
