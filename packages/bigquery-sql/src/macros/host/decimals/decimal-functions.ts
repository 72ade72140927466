import { hostFunction } from '../host-function.ts';
import { numericText } from './bignumeric.ts';
import {
  bignumericScale,
  checkedBignumeric,
  numericScale,
  parseDecimal,
  power10,
  rootOf,
} from './decimal.ts';
import { exponentialOf, logarithmOf, logarithmTo } from './decimal-power.ts';

/** A function of a value in units of 10^-digits, `one` of which are 1, to the nearest unit. */
type DecimalFunction = (value: bigint, one: bigint) => bigint;

function naturalLogarithm(value: bigint, one: bigint): bigint {
  requirePositive(value, 'LN');
  return logarithmOf(value, one);
}

function decimalLogarithm(value: bigint, one: bigint): bigint {
  requirePositive(value, 'LOG10');
  return logarithmTo(value, 10n * one, one);
}

function logarithmToBase(value: bigint, base: bigint, one: bigint): bigint {
  requirePositive(value, 'LOG');
  requirePositive(base, 'the base of LOG');
  if (base === one) throw new Error('the base of LOG is 1');
  return logarithmTo(value, base, one);
}

function requirePositive(value: bigint, name: string): void {
  if (value <= 0n) throw new Error(`${name} of a number that is not positive`);
}

function exponential(value: bigint, one: bigint): bigint {
  const result = exponentialOf(value, one);
  if (result === undefined) throw new Error('numeric overflow: EXP');
  return result;
}

const cubeRoot = (value: bigint, one: bigint): bigint =>
  value < 0n ? -rootOf(-value, 3n, one) : rootOf(value, 3n, one);

const functions: Readonly<Record<string, DecimalFunction>> = {
  cbrt: cubeRoot,
  exp: exponential,
  ln: naturalLogarithm,
  log10: decimalLogarithm,
};

const numericOne = power10(numericScale);
const bignumericOne = power10(bignumericScale);

const numeric = (text: string): bigint => parseDecimal(text, numericScale) ?? 0n;

const textOfNumeric = (units: bigint): string => numericText(units * power10(bignumericScale - numericScale));

/** Logarithms, powers of e and cube roots of NUMERIC, which is a text, and of BIGNUMERIC. */
export const decimalFunctions = [
  ...Object.entries(functions).flatMap(([name, compute]) => [
    hostFunction(`host_numeric_${name}`, ['VARCHAR'], 'VARCHAR', (text) =>
      textOfNumeric(compute(numeric(text), numericOne)),
    ),
    hostFunction(`host_bignumeric_${name}`, ['BIGNUM'], 'BIGNUM', (value) =>
      checkedBignumeric(compute(value, bignumericOne)),
    ),
  ]),
  hostFunction('host_numeric_log', ['VARCHAR', 'VARCHAR'], 'VARCHAR', (text, base) =>
    textOfNumeric(logarithmToBase(numeric(text), numeric(base), numericOne)),
  ),
  hostFunction('host_bignumeric_log', ['BIGNUM', 'BIGNUM'], 'BIGNUM', (value, base) =>
    checkedBignumeric(logarithmToBase(value, base, bignumericOne)),
  ),
];
