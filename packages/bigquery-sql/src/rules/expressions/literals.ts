import { parseDecimal } from '@querygate/text';
import { parseBignumeric } from '../../macros/host/decimals/bignumeric.ts';
import type * as Syntax from '../../syntax/nodes.ts';
import { boolLiteral, integerLiteral, literal, nullLiteral, textLiteral } from '../../tree/build.ts';
import type { Literal } from '../../tree/nodes.ts';
import { numericDigits, type ScalarName, scalar } from '../../types.ts';
import type { Rule } from '../context.ts';
import { callMacro } from '../macro-call.ts';
import { isSharedMoment, requireMoment } from '../moment-text.ts';
import { castToRange } from '../ranges.ts';
import { resolveType } from '../resolve-type.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import { canonicalJson } from './json-literal.ts';

export const nullValue: Rule<Syntax.NullLiteral> = () => nullLiteral();

export const booleanLiteral: Rule<Syntax.BooleanLiteral> = ({ value }) => boolLiteral(value);

export const stringLiteral: Rule<Syntax.StringLiteral> = ({ value }) => textLiteral(value);

export const bytesLiteral: Rule<Syntax.BytesLiteral> = ({ value }) =>
  literal(scalar('BYTES'), Buffer.from(value).toString('hex'));

export const integer: Rule<Syntax.IntegerLiteral> = (node) => int64(node, node.value);

/** @throws Unsupported if the value does not fit INT64 */
export function int64(place: Place, value: bigint): Literal {
  if (BigInt.asIntN(64, value) !== value) throw new Unsupported(place, `${value} does not fit INT64`);
  return integerLiteral(value);
}

/** FLOAT64, with the digits as they were written: converted to NUMERIC, those digits count. */
export const floatLiteral: Rule<Syntax.FloatLiteral> = ({ text }) => float64(text);

/** A FLOAT64 with its digits as text; beyond the range of FLOAT64 it is infinite. */
export const float64 = (text: string): Literal => {
  const value = Number(text);
  return literal(scalar('FLOAT64'), Number.isFinite(value) ? text : value > 0 ? 'inf' : '-inf');
};

/** `DATE '…'` and the like mean CAST of the text, unless the text has a form that DuckDB reads alike. */
export const typedLiteral: Rule<Syntax.TypedLiteral> = (node) => {
  const { value } = node.value;
  switch (node.type) {
    case 'JSON':
      return literal(scalar('JSON'), canonicalJson(node, value));
    case 'NUMERIC':
      return numericLiteral(node, value);
    case 'BIGNUMERIC':
      requireBignumeric(node, value);
      return callMacro(node, 'cast_bignumeric', [textLiteral(value)]);
    default: {
      const type: ScalarName = node.type;
      requireMoment(node, value, scalar(type));
      if (isSharedMoment(type, value)) return literal(scalar(type), value);
      return callMacro(node, `cast_${type.toLowerCase()}`, [textLiteral(value)], type);
    }
  }
};

function numericLiteral(place: Place, text: string): Literal {
  const digits = parseDecimal(text.trim(), numericDigits);
  if (digits === undefined) throw new Unsupported(place, `invalid NUMERIC literal: ${text}`);
  return literal(scalar('NUMERIC'), digits);
}

function requireBignumeric(place: Place, text: string): void {
  try {
    parseBignumeric(text);
  } catch {
    throw new Unsupported(place, `invalid BIGNUMERIC literal: ${text}`);
  }
}

/** `RANGE<DATE> '[2024-01-01, UNBOUNDED)'`. */
export const rangeLiteral: Rule<Syntax.RangeLiteral> = (node) =>
  castToRange(node, textLiteral(node.value.value), resolveType(node.type));
