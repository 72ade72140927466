import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyze } from '../src/index.ts';
import { type DialectDatabase, openDialectDatabase } from './support/dialect-database.ts';
import { openRandom } from './support/random.ts';

let database: DialectDatabase;
beforeAll(async () => {
  database = await openDialectDatabase();
});
afterAll(() => database.close());

const random = openRandom(27);

/** A NUMERIC in units of 10^-9: of few digits or many, and often in the middle between two results. */
function units(mostDigits: number): bigint {
  const digits = 1 + random.below(mostDigits);
  const text = Array.from({ length: digits }, () => random.below(10)).join('');
  const number = BigInt(random.one([text, `${text.slice(0, -1)}5`, `${text[0]}${'0'.repeat(digits - 1)}`]));
  return random.percent(50) ? number : -number;
}

const numericText = (number: bigint): string => {
  const digits = String(number < 0n ? -number : number).padStart(10, '0');
  return `${number < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`;
};

/** A quotient of integers, rounded to the nearest one and from the middle away from zero. */
function rounded(dividend: bigint, divisor: bigint): bigint {
  const [a, b] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor];
  const quotient = (a * 2n + b) / (b * 2n);
  return dividend < 0n === divisor < 0n ? quotient : -quotient;
}

async function column(expression: string, rows: readonly (readonly string[])[]): Promise<readonly unknown[]> {
  const values = rows.map(([a, b], at) => `(${at}, ${a}, ${b})`).join(', ');
  const sql = `SELECT CAST(${expression} AS VARCHAR) FROM (VALUES ${values}) AS v(n, a, b) ORDER BY n`;
  return (await database.connection.runAndReadAll(sql)).getRows().map(([value]) => value);
}

const decimal = (number: bigint) => `CAST('${numericText(number)}' AS DECIMAL(38,9))`;
const pairs = Array.from({ length: 3000 }, () => [units(27), units(11)] as const);

test('products of NUMERIC are those of integers', async () => {
  const rows = pairs.map(([a, b]) => [decimal(a), decimal(b)]);
  const expected = pairs.map(([a, b]) => numericText(rounded(a * b, 10n ** 9n)));
  expect(await column('bq.numeric_multiply(a, b)', rows)).toEqual(expected);
});

test('quotients of NUMERIC are those of integers', async () => {
  const divided = pairs.filter(([, b]) => b !== 0n).map(([a, b]) => [a / 10n ** 6n, b] as const);
  const rows = divided.map(([a, b]) => [decimal(a), decimal(b)]);
  const expected = divided.map(([a, b]) => numericText(rounded(a * 10n ** 9n, b)));
  expect(await column('bq.numeric_divide(a, b)', rows)).toEqual(expected);
});

test.each([
  ['4 / 3', 'FLOAT64'],
  ['CAST(4 AS FLOAT64) / 3', 'FLOAT64'],
  ["NUMERIC '4' / 3", 'NUMERIC'],
  ["4 / NUMERIC '3'", 'NUMERIC'],
  ["POW(NUMERIC '4' / 3, 2)", 'NUMERIC'],
  ["BIGNUMERIC '4' / 3", 'BIGNUMERIC'],
  ["POW(10, BIGNUMERIC '2')", 'BIGNUMERIC'],
  ["POW(BIGNUMERIC '2', CAST(2 AS FLOAT64))", 'FLOAT64'],
])('%s is a %s', (expression, type) => {
  expect(analyze(`SELECT ${expression}`).columns.map((column) => column.type)).toEqual([type]);
});

test('averages of NUMERIC are quotients of integers', async () => {
  const divided = Array.from({ length: 3000 }, () => {
    const n = BigInt(1 + random.below(random.one([4, 1000, 2 ** 32])));
    const middle = (2n * units(17) + 1n) * n;
    return random.percent(50) ? ([units(33), n] as const) : ([middle / 2n, n] as const);
  });
  const rows = divided.map(([a, n]) => [decimal(a), String(n)]);
  const expected = divided.map(([a, n]) => numericText(rounded(a, n)));
  expect(await column('bq.numeric_average(a, CAST(NULL AS BIGNUM), CAST(b AS BIGINT))', rows)).toEqual(
    expected,
  );
});

test('quotients in the middle of two results, and beside it, are those of integers', async () => {
  const divided = Array.from({ length: 1000 }, () => {
    const half = BigInt(1 + random.below(5000)) * (random.percent(50) ? 1n : -1n);
    const a = half * (2n * units(14) + 1n) + BigInt(random.one([-1, 0, 0, 1]));
    return [a, half * 2n * 10n ** 9n] as const;
  });
  const rows = divided.map(([a, b]) => [decimal(a), decimal(b)]);
  const expected = divided.map(([a, b]) => numericText(rounded(a * 10n ** 9n, b)));
  expect(await column('bq.numeric_divide(a, b)', rows)).toEqual(expected);
});

test('NUMERIC is rounded as integers are', async () => {
  const rows = pairs.map(([a], at) => [decimal(a), String(at % 9)]);
  const expected = pairs.map(([a], at) => {
    const unit = 10n ** BigInt(9 - (at % 9));
    return numericText(rounded(a, unit) * unit);
  });
  expect(await column('bq.numeric_rounded(a, b)', rows)).toEqual(expected);
});

test.each(['round', 'trunc'])('%s of FLOAT64 is decided by its binary value', async (name) => {
  const numbers = Array.from({ length: 3000 }, () => {
    const number = (random.below(2 ** 32) * 2 ** 10 + random.below(1024)) / 10 ** random.below(14);
    const near = Math.round(number) / random.one([200, 2000, 8, 1000, 20_000]);
    return (random.percent(50) ? near : number) * (random.percent(50) ? 1 : -1);
  });
  const rows = numbers.map((number, at) => [`CAST('${number}' AS DOUBLE)`, String(at % 12)]);
  const text = await column(`bq."${name}(x double, places bigint)"(a, b)`, rows);
  // A zero may have any sign.
  const found = text.map((number) => Number(number) + 0);
  expect(found).toEqual(numbers.map((number, at) => decided(name, number, at % 12) + 0));
});

/** The value of a FLOAT64 is an integer times a power of two, from which digits follow exactly. */
function decided(name: string, number: number, digits: number): number {
  const scaled = BigInt(Math.abs(number) * 2 ** shift(number)) * 10n ** BigInt(digits);
  const one = 1n << BigInt(shift(number));
  const whole = name === 'trunc' ? scaled / one : (scaled * 2n + one) / (one * 2n);
  return Math.sign(number) * Number(`${whole}e-${digits}`);
}

const shift = (number: number): number => Math.max(0, 52 - Math.floor(Math.log2(Math.abs(number) || 1)));

test('a FLOAT64 without a fraction has no digits to round', async () => {
  const rows = ['8e16', '-8e16', '5e17', '4503599627370497'].map((x) => [`CAST(${x} AS DOUBLE)`, '1']);
  const expected = rows.map(() => 'true');
  for (const call of [
    'bq."round(x double, places bigint)"(a, b)',
    'bq."trunc(x double, places bigint)"(a, b + 1)',
  ])
    expect(await column(`${call} = a`, rows)).toEqual(expected);
});
