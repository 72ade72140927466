import { divideRounded } from './decimal.ts';

/** Fixed-point numbers with this many bits after the point: far more than the digits of BIGNUMERIC, times its largest exponent. */
const bits = 512n;
const unit = 1n << bits;

/**
 * `base` to the power of `exponent`, which are positive and any number in units of 10^-digits, to the nearest unit.
 *
 * @returns undefined if the result has more digits before the point than any decimal type
 */
export function positivePower(base: bigint, exponent: bigint, one: bigint): bigint | undefined {
  const log = (logarithm((base << bits) / one) * exponent) / one;
  if (log > largestLog) return undefined;
  if (log < -largestLog) return 0n;
  // Twenty digits more: what is a hair below a decimal number is this number, from which the last digit is rounded.
  const guard = 10n ** 20n;
  const rough = divideRounded(exponential(log) * one * guard, unit);
  return divideRounded(divideRounded(rough, 10n ** 5n), guard / 10n ** 5n);
}

/** The natural logarithm of a positive number, to the nearest unit of 10^-digits. */
export const logarithmOf = (value: bigint, one: bigint): bigint =>
  divideRounded(logarithm((value << bits) / one) * one, unit);

/** The logarithm of a positive number to a positive base that is not 1, to the nearest unit. */
export const logarithmTo = (value: bigint, base: bigint, one: bigint): bigint =>
  divideRounded(logarithm((value << bits) / one) * one, logarithm((base << bits) / one));

/**
 * e to the power of a number, to the nearest unit.
 *
 * @returns undefined if the result has more digits before the point than any decimal type
 */
export function exponentialOf(value: bigint, one: bigint): bigint | undefined {
  const power = (value << bits) / one;
  if (power > largestLog) return undefined;
  return power < -largestLog ? 0n : divideRounded(exponential(power) * one, unit);
}

/** e^100 has 44 digits. */
const largestLog = 100n << bits;

const multiply = (a: bigint, b: bigint): bigint => (a * b) >> bits;

/** The natural logarithm: of 2^n × m, with m between ½ and 1, that of m by the series of the area tangent, and n times that of 2. */
function logarithm(value: bigint): bigint {
  const power = BigInt(value.toString(2).length) - bits;
  const mantissa = power >= 0n ? value >> power : value << -power;
  return twiceAreaTangent(mantissa - unit, mantissa + unit) + power * logOfTwo;
}

/** 2 × artanh(a / b), for a quotient of at most one third. */
function twiceAreaTangent(a: bigint, b: bigint): bigint {
  const first = (a << bits) / b;
  const square = multiply(first, first);
  let sum = 0n;
  for (let term = first, n = 1n; term !== 0n && term !== -1n; term = multiply(term, square), n += 2n)
    sum += term / n;
  return 2n * sum;
}

const logOfTwo = twiceAreaTangent(1n, 3n);

/** e to the power of a number: of the rest of n × ln 2 by the series, and 2^n. */
function exponential(value: bigint): bigint {
  const power = value / logOfTwo - (value < 0n ? 1n : 0n);
  const rest = value - power * logOfTwo;
  let sum = 0n;
  for (let term = unit, n = 1n; term !== 0n; term = multiply(term, rest) / n, n += 1n) sum += term;
  return power >= 0n ? sum << power : sum >> -power;
}
