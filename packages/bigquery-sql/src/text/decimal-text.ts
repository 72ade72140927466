import type { ParameterType } from '../types.ts';

interface Decimal {
  /** The most digits before the point. */
  readonly whole: number;
  /** The most digits after the point. */
  readonly fraction: number;
}

/** The digits of a NUMERIC. */
export const numericDigits: Decimal = { whole: 29, fraction: 9 };

/**
 * The types that are exact decimals. A BIGNUMERIC of 39 digits before the point is not always one, so it has 38 here.
 *
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#decimal_types
 */
const decimals: Partial<Record<ParameterType, Decimal>> = {
  NUMERIC: numericDigits,
  BIGNUMERIC: { whole: 38, fraction: 38 },
};

/** The digits of an exact decimal type; undefined for other types. */
export const decimalOf = (bind: ParameterType | undefined): Decimal | undefined => bind && decimals[bind];

/**
 * A number without exponent, plus sign and needless zeros, so that equal ones are equal texts.
 *
 * @returns undefined if the text is no number, or has more digits
 */
export function parseDecimal(text: string, { whole, fraction }: Decimal): string | undefined {
  const groups = /^(?<sign>[+-]?)(?<before>\d*)(?:\.(?<after>\d*))?(?:e(?<exponent>[+-]?\d{1,5}))?$/i.exec(
    text,
  )?.groups;
  if (groups === undefined) return undefined;
  const { sign, before = '', after = '', exponent = '0' } = groups;
  const digits = before + after;
  if (digits === '') return undefined;
  const fromFirst = digits.replace(/^0+/, '');
  const significant = withoutLastZeros(fromFirst);
  if (significant === '') return '0';
  /** How many digits of `significant` are before the point; negative for zeros after it. */
  const point = before.length + Number(exponent) - (digits.length - fromFirst.length);
  if (point > whole || significant.length - point > fraction) return undefined;
  const wholeDigits = point > 0 ? significant.slice(0, point).padEnd(point, '0') : '0';
  const fractionDigits = point > 0 ? significant.slice(point) : '0'.repeat(-point) + significant;
  return `${sign === '-' ? '-' : ''}${wholeDigits}${fractionDigits === '' ? '' : `.${fractionDigits}`}`;
}

/** In linear time: a regular expression would begin again at each zero, and callers send the digits. */
function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/**
 * A number in units of 10 to the power of minus `scale`.
 *
 * @param text from `parseDecimal`, with at most `scale` digits after the point
 */
export function decimalUnits(text: string, scale: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(scale, '0'));
}
