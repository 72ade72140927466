import {
  bignumericScale,
  checkedBignumeric,
  decimalOfDouble,
  decimalText,
  divideRounded,
  numericScale,
  parseDecimal,
  power10,
  type RoundingMode,
  roundingModes,
  roundTo,
  truncateTo,
} from './decimal.ts';
import { hostFunction } from './host-function.ts';

const one = power10(bignumericScale);

function parse(text: string): bigint {
  const value = parseDecimal(text, bignumericScale);
  if (value === undefined) throw new Error(`Invalid BIGNUMERIC value: ${text}`);
  return checkedBignumeric(value);
}

/** What PARSE_BIGNUMERIC takes without its sign: also commas. No character can be matched in two ways. */
const lenientForm = /^[\d,]*(?:\.\d*)?(?:[eE][+-]?\d+)?$/;

/** PARSE_BIGNUMERIC, whose sign may have blanks around it or be at the end. */
function parseLenient(text: string): bigint {
  const trimmed = text.trim();
  const [first, last] = [trimmed.at(0) ?? '', trimmed.at(-1) ?? ''];
  const isBefore = isSign(first);
  const sign = isBefore ? first : isSign(last) ? last : '';
  const digits = (isBefore ? trimmed.slice(1) : trimmed.slice(0, trimmed.length - sign.length)).trim();
  if (!lenientForm.test(digits) || !/\d/.test(digits))
    throw new Error(`Invalid input to PARSE_BIGNUMERIC: "${text}"`);
  return parse(`${sign}${digits.replaceAll(',', '')}`);
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
function numericText(value: bigint): string {
  const rounded = roundTo(value, bignumericScale, numericScale);
  if (rounded >= power10(29 + bignumericScale) || rounded <= -power10(29 + bignumericScale))
    throw new Error(`numeric out of range: ${decimalText(value, bignumericScale)}`);
  return decimalText(rounded, bignumericScale);
}

/** The square root, rounded to 38 digits. */
function squareRoot(value: bigint): bigint {
  if (value < 0n) throw new Error('Argument to SQRT cannot be negative');
  const target = value * one * 100n;
  if (target === 0n) return 0n;
  let root = 1n << BigInt(Math.ceil(target.toString(2).length / 2));
  for (let next = (root + target / root) >> 1n; next < root; next = (root + target / root) >> 1n) root = next;
  return divideRounded(root, 10n);
}

/** POW of NUMERIC, rounded to nine digits. */
function numericPower(base: string, exponent: string): string {
  const [a, n] = [base, exponent].map((text) => parseDecimal(text, numericScale) ?? 0n) as [bigint, bigint];
  const result = power('NUMERIC', a, n, power10(numericScale));
  return numericText(result * power10(bignumericScale - numericScale));
}

/** The digits of an exact power are as many as those of the base times the exponent. */
const largestExponents = { NUMERIC: 10_000n, BIGNUMERIC: 5_000n };

/** Rounded to this unit. The exponent must be an integer: others have no exact power. */
function power(type: keyof typeof largestExponents, a: bigint, n: bigint, unit: bigint): bigint {
  const largestExponent = largestExponents[type];
  if (n % unit !== 0n)
    throw new Error(
      `POW of ${type} with an exponent that is no integer is not supported: CAST it AS FLOAT64`,
    );
  const times = n < 0n ? -n / unit : n / unit;
  if (a === 0n && n < 0n) throw new Error('division by zero: POW of 0 with a negative exponent');
  if (times > largestExponent && a !== 0n && a !== unit && a !== -unit)
    throw new Error(`POW of ${type} with an exponent over ${largestExponent} is not supported`);
  const odd = times % 2n;
  const [exact, scale] = times > largestExponent ? [a ** (odd + 2n), odd + 2n] : [a ** times, times];
  const whole = unit ** scale;
  return n < 0n ? divideRounded(whole * unit, exact) : divideRounded(exact * unit, whole);
}

/** BIGNUMERIC is a BIGNUM that counts units of 10^-38; DuckDB compares, adds and sums those itself. */
export const bignumericFunctions = [
  hostFunction('host_bignumeric', ['VARCHAR'], 'BIGNUM', parse),
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
    checkedBignumeric(power('BIGNUMERIC', a, n, one)),
  ),
  hostFunction('host_bignumeric_sqrt', ['BIGNUM'], 'BIGNUM', squareRoot),
  hostFunction('host_bignumeric_average', ['BIGNUM', 'BIGINT'], 'BIGNUM', (sum, count) =>
    checkedBignumeric(divideRounded(sum, count)),
  ),
  hostFunction('host_numeric_of_units', ['BIGNUM'], 'VARCHAR', (units) =>
    numericText(units * power10(bignumericScale - numericScale)),
  ),
  hostFunction('host_numeric_power', ['VARCHAR', 'VARCHAR'], 'VARCHAR', numericPower),
  hostFunction('host_numeric_round', ['VARCHAR', 'BIGINT', 'VARCHAR'], 'VARCHAR', roundNumeric),
];
