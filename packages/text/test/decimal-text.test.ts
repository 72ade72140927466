import { expect, test } from 'vitest';
import { decimalUnits, parseDecimal } from '../src/decimal-text.ts';

const numeric = { whole: 29, fraction: 9 };
const bignumeric = { whole: 38, fraction: 38 };
const nines = '9'.repeat(29);

test.each([
  ['-0.00', '0'],
  ['007', '7'],
  ['+1.50', '1.5'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['1.5E-3', '0.0015'],
  ['-120e-1', '-12'],
  ['1e28', `1${'0'.repeat(28)}`],
  [`${nines}.999999999`, `${nines}.999999999`],
  ['0.0000000010', '0.000000001'],
  ['0e99999', '0'],
  [`1.${'0'.repeat(250_000)}`, '1'],
])('%s is the decimal %s', (text, canonical) => {
  expect(parseDecimal(text, numeric)).toBe(canonical);
  expect(parseDecimal(canonical, numeric)).toBe(canonical);
});

test.each([
  '',
  '.',
  '-',
  'e5',
  '1e',
  '1_0',
  '0x1',
  'NaN',
  '1e-10',
  '1e29',
  `1${nines}`,
  '1e99999',
  '1e-99999',
])('%j is no NUMERIC', (text) => {
  expect(parseDecimal(text, numeric)).toBeUndefined();
});

test('a BIGNUMERIC has more digits', () => {
  expect(parseDecimal('1e-38', bignumeric)).toBe(`0.${'0'.repeat(37)}1`);
  expect(parseDecimal('1e37', bignumeric)).toBe(`1${'0'.repeat(37)}`);
  expect(parseDecimal('1e38', bignumeric)).toBeUndefined();
  expect(parseDecimal('1e-39', bignumeric)).toBeUndefined();
});

test('units are counted exactly', () => {
  expect(decimalUnits('-0.5', 9)).toBe(-500_000_000n);
  expect(decimalUnits('12', 9)).toBe(12_000_000_000n);
  expect(decimalUnits('12345678901234567.000000001', 9)).toBe(12345678901234567000000001n);
});

test('digits after the last unit are rounded away from zero', () => {
  expect(decimalUnits('0.0014999', 3)).toBe(1n);
  expect(decimalUnits('-0.0015', 3)).toBe(-2n);
  expect(decimalUnits('0.9995', 3)).toBe(1000n);
  expect(decimalUnits('0.00012345678901234567', 3)).toBe(0n);
});
