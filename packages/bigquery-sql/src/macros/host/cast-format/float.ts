import { decimalOfDouble, divideRounded, power10 } from '../decimals/decimal.ts';
import { hostFunction } from '../host-function.ts';

/** More digits after the point than any FLOAT64 has. */
const scale = 1_100;

/** A finite number of at least 0 as C's printf writes it, with all of its digits: DuckDB's has at most 17. */
function formatFloat(value: number, alternate: string, precision: bigint, letter: string): string {
  const places = Number(precision);
  const units = decimalOfDouble(value, scale);
  const isUpper = letter === letter.toUpperCase();
  const text = writers[letter.toLowerCase()]?.(units, places, alternate === '#') ?? '';
  return isUpper ? text.toUpperCase() : text;
}

type Writer = (units: bigint, places: number, keepsZeros: boolean) => string;

function fixed(units: bigint, places: number): string {
  const digits = String(rounded(units, scale - places)).padStart(places + 1, '0');
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

function exponential(units: bigint, places: number): string {
  const { digits, exponent } = significant(units, places + 1);
  const size = String(Math.abs(exponent)).padStart(2, '0');
  const point = places === 0 ? '' : '.';
  return `${digits.slice(0, 1)}${point}${digits.slice(1)}e${exponent < 0 ? '-' : '+'}${size}`;
}

function shortest(units: bigint, precision: number, keepsZeros: boolean): string {
  const { exponent } = significant(units, precision);
  const isFixed = exponent >= -4 && exponent < precision;
  const text = isFixed ? fixed(units, precision - 1 - exponent) : exponential(units, precision - 1);
  return keepsZeros ? text : text.replace(/\.?0*(?=e|$)/, (zeros) => (text.includes('.') ? '' : zeros));
}

/** The first digits, and the power of ten of the first one. */
function significant(units: bigint, count: number): { readonly digits: string; readonly exponent: number } {
  if (units === 0n) return { digits: '0'.repeat(count), exponent: 0 };
  const length = String(units).length;
  const digits = String(rounded(units, length - count));
  const isLonger = digits.length > count;
  return { digits: digits.slice(0, count), exponent: length - 1 - scale + (isLonger ? 1 : 0) };
}

const writers: Readonly<Record<string, Writer>> = { e: exponential, f: fixed, g: shortest };

const rounded = (units: bigint, digits: number): bigint =>
  digits > 0 ? divideRounded(units, power10(digits), 'ROUND_HALF_EVEN') : units * power10(-digits);

export const floatFormatFunctions = [
  hostFunction('host_format_float', ['DOUBLE', 'VARCHAR', 'BIGINT', 'VARCHAR'], 'VARCHAR', formatFloat),
];
