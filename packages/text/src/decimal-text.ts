/** The digits that a kind of exact decimals has. */
export interface Decimal {
  /** The most digits before the point. */
  readonly whole: number;
  /** The most digits after the point. */
  readonly fraction: number;
}

/**
 * A number without exponent, plus sign and needless zeros, so that equal ones are equal texts.
 *
 * @returns undefined if the text is not a number, or has more digits
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
 * A number in units of 10 to the power of minus `scale`, rounded away from zero at half a unit.
 *
 * @param text from `parseDecimal`
 */
export function decimalUnits(text: string, scale: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  const units = BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'));
  if (fraction.charAt(scale) < '5') return units;
  return text.startsWith('-') ? units - 1n : units + 1n;
}
