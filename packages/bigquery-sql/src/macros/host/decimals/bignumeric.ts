import { hostFunction } from '../host-function.ts';
import {
  abs,
  bignumericScale,
  checkedBignumeric,
  decimalOfDouble,
  decimalText,
  divideRounded,
  numericScale,
  parseDecimal,
  power10,
  type RoundingMode,
  rootOf,
  roundingModes,
  roundTo,
  truncateTo,
  withoutBlanks,
} from './decimal.ts';
import { positivePower } from './decimal-power.ts';

const one = power10(bignumericScale);

/** @throws Error if a text is not a BIGNUMERIC */
export function parseBignumeric(text: string): bigint {
  const value = parseDecimal(text, bignumericScale);
  if (value === undefined) throw new Error(`Invalid BIGNUMERIC value: ${text}`);
  return checkedBignumeric(value);
}

/** The form of a text for PARSE_BIGNUMERIC without its sign: with commas. No character can be matched in two ways. */
const lenientForm = /^[\d,]*(?:\.\d*)?(?:[eE][+-]?\d+)?$/;

/** PARSE_BIGNUMERIC, whose sign may have blanks around it or be at the end. */
function parseLenient(text: string): bigint {
  const trimmed = withoutBlanks(text);
  const [first, last] = [trimmed.at(0) ?? '', trimmed.at(-1) ?? ''];
  const isBefore = isSign(first);
  const sign = isBefore ? first : isSign(last) ? last : '';
  const digits = withoutBlanks(isBefore ? trimmed.slice(1) : trimmed.slice(0, trimmed.length - sign.length));
  if (!lenientForm.test(digits) || !/\d/.test(digits))
    throw new Error(`Invalid input to PARSE_BIGNUMERIC: "${text}"`);
  return parseBignumeric(`${sign}${digits.replaceAll(',', '')}`);
}

const isSign = (text: string) => text === '+' || text === '-';

function ofDouble(value: number): bigint {
  if (!Number.isFinite(value))
    throw new Error(`Illegal conversion of non-finite floating point number to BIGNUMERIC: ${value}`);
  return checkedBignumeric(decimalOfDouble(value, bignumericScale));
}

function divide(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new Error('division by zero');
  return checkedBignumeric(divideRounded(a * one, b));
}

function remainder(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new Error('division by zero');
  return a % b;
}

function wholeQuotient(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new Error('division by zero');
  return checkedBignumeric((a / b) * one);
}

function round(value: bigint, digits: bigint, mode: string): bigint {
  const known = roundingModes.find((name) => name === mode.toUpperCase());
  if (known === undefined) throw new Error(`Invalid rounding mode: ${mode}`);
  return checkedBignumeric(roundTo(value, bignumericScale, clamp(digits), known));
}

/** Digits beyond these change nothing. */
const clamp = (digits: bigint): number => Number(digits > 100n ? 100n : digits < -100n ? -100n : digits);

const floorOf = (value: bigint): bigint => {
  const whole = truncateTo(value, bignumericScale, 0);
  return value < whole ? whole - one : whole;
};

function roundNumeric(text: string, digits: bigint, mode: string): string {
  const known: RoundingMode | undefined = roundingModes.find((name) => name === mode.toUpperCase());
  if (known === undefined) throw new Error(`Invalid rounding mode: ${mode}`);
  const value = parseDecimal(text, numericScale) ?? 0n;
  return decimalText(roundTo(value, numericScale, clamp(digits), known), numericScale);
}

/** The digits of a DECIMAL, as the integer that counts 10^-38. */
const ofNumeric = (text: string): bigint => parseDecimal(text, bignumericScale) ?? 0n;

/** Rounded to the nine digits of NUMERIC, as text. */
export function numericText(value: bigint): string {
  const rounded = roundTo(value, bignumericScale, numericScale);
  if (rounded >= power10(29 + bignumericScale) || rounded <= -power10(29 + bignumericScale))
    throw new Error(`numeric out of range: ${decimalText(value, bignumericScale)}`);
  return decimalText(rounded, bignumericScale);
}

/** A decimal number with this many digits after the point. */
function fixedText(text: string, places: bigint): string {
  const digits = Number(places);
  const value = roundTo(ofNumeric(text), bignumericScale, digits);
  const [whole = '', fraction = ''] = decimalText(value, bignumericScale).split('.');
  return digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, '0')}`;
}

/** The square root, rounded to 38 digits. */
function squareRoot(value: bigint): bigint {
  if (value < 0n) throw new Error('Argument to SQRT cannot be negative');
  return rootOf(value, 2n, one);
}

/** A number in JSON; a text if FLOAT64 does not hold it, and an integer of 64 bits also beyond 2^53. */
function jsonOfDecimal(text: string): string {
  const whole = text.includes('.') ? undefined : BigInt(text);
  const isInteger64 = whole !== undefined && whole >= -(1n << 63n) && whole < 1n << 64n;
  const isHeld = isInteger64 ? abs(whole) <= 1n << 53n : isFloat64(text);
  return isHeld ? text : `"${text}"`;
}

/** True if the shortest text of the nearest FLOAT64 is the same number. */
const isFloat64 = (text: string) => ofNumeric(String(Number(text))) === ofNumeric(text);

/** The number that is this share of the way from the first to the second one, rounded to nine digits. */
function numericBetween(...texts: readonly [low: string, high: string, share: string]): string {
  const unit = power10(numericScale);
  const [low, high, share] = texts.map((text) => parseDecimal(text, numericScale) ?? 0n) as [
    bigint,
    bigint,
    bigint,
  ];
  return decimalText(divideRounded(low * (unit - share) + high * share, unit), numericScale);
}

/** POW of NUMERIC, rounded to nine digits. */
function numericPower(base: string, exponent: string): string {
  const [a, n] = [base, exponent].map((text) => parseDecimal(text, numericScale) ?? 0n) as [bigint, bigint];
  return numericText(power(a, n, power10(numericScale)) * power10(bignumericScale - numericScale));
}

/** The digits of an exact power are as many as those of the base times the exponent. */
const largestExactExponent = 100n;

/** Rounded to this unit. */
function power(a: bigint, n: bigint, unit: bigint): bigint {
  const [isWhole, times] = [n % unit === 0n, abs(n) / unit];
  if (a === 0n && n < 0n) throw new Error('division by zero: POW of 0 with a negative exponent');
  if (a < 0n && !isWhole) throw new Error('POW of a negative number with an exponent that is not an integer');
  if (a === 0n) return n === 0n ? unit : 0n;
  const sign = a < 0n && times % 2n === 1n ? -1n : 1n;
  if (abs(a) === unit) return sign * unit;
  if (!isWhole || times > largestExactExponent) {
    const size = positivePower(abs(a), n, unit);
    if (size === undefined) throw new Error('numeric overflow: POW');
    return sign * size;
  }
  const [exact, whole] = [a ** times, unit ** times];
  return n < 0n ? divideRounded(whole * unit, exact) : divideRounded(exact * unit, whole);
}

/** BIGNUMERIC is a BIGNUM that counts units of 10^-38; DuckDB compares, adds and sums those itself. */
export const bignumericFunctions = [
  hostFunction('host_bignumeric', ['VARCHAR'], 'BIGNUM', parseBignumeric),
  hostFunction('host_parse_bignumeric', ['VARCHAR'], 'BIGNUM', parseLenient),
  hostFunction('host_bignumeric_of_numeric', ['VARCHAR'], 'BIGNUM', ofNumeric),
  hostFunction('host_bignumeric_of_double', ['DOUBLE'], 'BIGNUM', ofDouble),
  hostFunction('host_bignumeric_checked', ['BIGNUM'], 'BIGNUM', checkedBignumeric),
  hostFunction('host_bignumeric_text', ['BIGNUM'], 'VARCHAR', (value) => decimalText(value, bignumericScale)),
  hostFunction('host_bignumeric_numeric', ['BIGNUM'], 'VARCHAR', numericText),
  hostFunction('host_bignumeric_multiply', ['BIGNUM', 'BIGNUM'], 'BIGNUM', (a, b) =>
    checkedBignumeric(divideRounded(a * b, one)),
  ),
  hostFunction('host_bignumeric_divide', ['BIGNUM', 'BIGNUM'], 'BIGNUM', divide),
  hostFunction('host_bignumeric_mod', ['BIGNUM', 'BIGNUM'], 'BIGNUM', remainder),
  hostFunction('host_bignumeric_div', ['BIGNUM', 'BIGNUM'], 'BIGNUM', wholeQuotient),
  hostFunction('host_bignumeric_round', ['BIGNUM', 'BIGINT', 'VARCHAR'], 'BIGNUM', round),
  hostFunction('host_bignumeric_trunc', ['BIGNUM', 'BIGINT'], 'BIGNUM', (value, digits) =>
    truncateTo(value, bignumericScale, clamp(digits)),
  ),
  hostFunction('host_bignumeric_floor', ['BIGNUM'], 'BIGNUM', (value) => checkedBignumeric(floorOf(value))),
  hostFunction('host_bignumeric_power', ['BIGNUM', 'BIGNUM'], 'BIGNUM', (a, n) =>
    checkedBignumeric(power(a, n, one)),
  ),
  hostFunction('host_bignumeric_sqrt', ['BIGNUM'], 'BIGNUM', squareRoot),
  hostFunction('host_bignumeric_average', ['BIGNUM', 'BIGINT'], 'BIGNUM', (sum, count) =>
    checkedBignumeric(divideRounded(sum, count)),
  ),
  hostFunction('host_numeric_of_units', ['BIGNUM'], 'VARCHAR', (units) =>
    numericText(units * power10(bignumericScale - numericScale)),
  ),
  hostFunction('host_numeric', ['VARCHAR'], 'VARCHAR', (text) =>
    decimalText(parseDecimal(text, numericScale) ?? 0n, numericScale),
  ),
  hostFunction('host_numeric_sqrt', ['VARCHAR'], 'VARCHAR', (text) =>
    numericText(squareRoot(ofNumeric(text))),
  ),
  hostFunction('host_json_of_decimal', ['VARCHAR'], 'VARCHAR', jsonOfDecimal),
  hostFunction('host_numeric_between', ['VARCHAR', 'VARCHAR', 'VARCHAR'], 'VARCHAR', numericBetween),
  hostFunction('host_decimal_fixed', ['VARCHAR', 'BIGINT'], 'VARCHAR', fixedText),
  hostFunction('host_numeric_power', ['VARCHAR', 'VARCHAR'], 'VARCHAR', numericPower),
  hostFunction('host_numeric_round', ['VARCHAR', 'BIGINT', 'VARCHAR'], 'VARCHAR', roundNumeric),
];
