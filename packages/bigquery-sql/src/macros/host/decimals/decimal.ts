/** Exact decimal arithmetic. A value is an integer that counts units of 10^-scale. */

export const numericScale = 9;
export const bignumericScale = 38;

/** The largest BIGNUMERIC is 2^255 - 1 units, the smallest -2^255. */
const bignumericLimit = 1n << 255n;

export const power10 = (digits: number): bigint => 10n ** BigInt(digits);

export const abs = (n: bigint): bigint => (n < 0n ? -n : n);

export const roundingModes = ['ROUND_HALF_AWAY_FROM_ZERO', 'ROUND_HALF_EVEN'] as const;
export type RoundingMode = (typeof roundingModes)[number];

/** a / b, rounded to an integer. */
export function divideRounded(
  a: bigint,
  b: bigint,
  mode: RoundingMode = 'ROUND_HALF_AWAY_FROM_ZERO',
): bigint {
  const [size, unit] = [abs(a), abs(b)];
  const whole = size / unit;
  const twice = (size % unit) * 2n;
  const isUp =
    twice > unit || (twice === unit && (mode === 'ROUND_HALF_AWAY_FROM_ZERO' || whole % 2n === 1n));
  const rounded = isUp ? whole + 1n : whole;
  return a < 0n !== b < 0n ? -rounded : rounded;
}

/**
 * A root of a number that is not negative, to the nearest unit. One digit more is cut off exactly, so that it rounds as all the
 * others would.
 *
 * @param one in units of 10^-digits, as the value and the root are
 */
export function rootOf(value: bigint, degree: bigint, one: bigint): bigint {
  const target = value * one ** (degree - 1n) * 10n ** degree;
  if (target === 0n) return 0n;
  let root = 1n << BigInt(Math.ceil(target.toString(2).length / Number(degree)));
  const better = () => ((degree - 1n) * root + target / root ** (degree - 1n)) / degree;
  for (let next = better(); next < root; next = better()) root = next;
  return divideRounded(root, 10n);
}

/** @throws Error if a value is not a BIGNUMERIC */
export function checkedBignumeric(value: bigint): bigint {
  if (value >= -bignumericLimit && value < bignumericLimit) return value;
  throw new Error('BIGNUMERIC overflow');
}

/** The text without blanks around it: those of ASCII only. */
export const withoutBlanks = (text: string): string => (/[\u0080-\uffff]/.test(text) ? text : text.trim());

const form = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;

/** Parses a decimal number, rounded to the scale; undefined if the text is not a number. */
export function parseDecimal(text: string, scale: number): bigint | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = form.exec(withoutBlanks(text)) ?? [];
  if (sign === undefined || whole + fraction === '') return undefined;
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '');
  const shift = Number(exponent) - fraction.length + scale;
  if (digits === '0') return 0n;
  // Far beyond every range: as large as needed to be rejected, or too small to count.
  if (digits.length + shift > 200) return (sign === '-' ? -1n : 1n) << 600n;
  if (digits.length + shift < -1) return 0n;
  // Only the digits that count become a number, which takes longer than their number grows.
  const kept = digits.length + Math.min(shift, 0);
  const isUp = (digits[kept] ?? '0') >= '5';
  const size = BigInt(digits.slice(0, Math.max(kept, 0))) * power10(Math.max(shift, 0)) + (isUp ? 1n : 0n);
  return sign === '-' ? -size : size;
}

export function decimalText(value: bigint, scale: number): string {
  const digits = String(abs(value)).padStart(scale + 1, '0');
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The value rounded to a number of digits after the point; negative digits round before the point. */
export function roundTo(value: bigint, scale: number, digits: number, mode?: RoundingMode): bigint {
  if (digits >= scale) return value;
  const unit = power10(Math.min(scale - digits, 100));
  return divideRounded(value, unit, mode) * unit;
}

export function truncateTo(value: bigint, scale: number, digits: number): bigint {
  if (digits >= scale) return value;
  return value - (value % power10(Math.min(scale - digits, 100)));
}

/** Exactly the value of a finite number, rounded to the scale. */
export function decimalOfDouble(value: number, scale: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = (bits & 0xfffffffffffffn) | (exponent === 0 ? 0n : 1n << 52n);
  const shift = Math.max(exponent, 1) - 1075;
  const scaled = mantissa * power10(scale);
  const size = shift >= 0 ? scaled << BigInt(shift) : divideRounded(scaled, 1n << BigInt(-shift));
  return value < 0 ? -size : size;
}

/** The nearest number to a quotient of integers. */
export function ratio(numerator: bigint, denominator: bigint): number {
  const [size, unit] = [abs(numerator), abs(denominator)];
  if (size === 0n) return 0;
  // 80 bits of quotient: more than twice the precision of a FLOAT64 is left to round.
  const shift = 80 - (size.toString(2).length - unit.toString(2).length);
  const quotient = shift >= 0 ? (size << BigInt(shift)) / unit : size / (unit << BigInt(-shift));
  const sign = numerator < 0n !== denominator < 0n ? -1 : 1;
  return sign * Number(quotient) * 2 ** -shift;
}
