import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../src/compile.ts';
import { parseMicros } from '../src/passes/constants/time-values.ts';
import { openDialect, planOf } from './harness.ts';
import { times } from '../../../test/support/nightly.ts';

// The harness computes each constant in the database and compares it with its time expression.
let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
});
afterAll(() => dialect.close());

const iso = '2026-01-31T12:00:00.000001Z';
const now = parseMicros(iso) ?? 0n;

/** The value of the time expression; undefined if the expression is not one. */
const computedValue = (expression: string, parameters: Readonly<Record<string, string>> = {}) => {
  const source = { file: 'test.sql', line: 1 };
  const { constants } = planOf(compile({ sql: `SELECT ${expression} AS x`, source }, []));
  return constants[0]?.timeExpression?.({ now, parameter: (name) => parameters[name] ?? '' });
};

const day = 86_400_000_000n;

describe('time expressions', () => {
  test.each([
    ['TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY)', now - 7n * day],
    ['TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL -90 MINUTE)', now - 5_400_000_000n],
    ['TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), DAY)', now - (now % day)],
    ["TIMESTAMP_TRUNC(TIMESTAMP '1969-12-31 23:59:59.5+00', DAY)", -day],
    ["TIMESTAMP_TRUNC(TIMESTAMP '0001-01-01 00:00:00.5+00', SECOND)", -62_135_596_800_000_000n],
    ["TIMESTAMP_SUB(TIMESTAMP(NULLIF(@at, '')), INTERVAL 1 SECOND)", now - 1_000_000n],
    [
      "COALESCE(TIMESTAMP(NULLIF(@none, '')), TIMESTAMP '9999-12-31 23:59:59.999999+00')",
      253_402_300_799_999_999n,
    ],
    ["TIMESTAMP_SUB(TIMESTAMP(NULLIF(@none, '')), INTERVAL 1 DAY)", null],
    [
      "GENERATE_TIMESTAMP_ARRAY(TIMESTAMP '1970-01-01 00:00:00+00', TIMESTAMP '1970-01-01 00:00:03+00', INTERVAL 2 SECOND)",
      [0n, 2_000_000n],
    ],
    [
      "GENERATE_TIMESTAMP_ARRAY(TIMESTAMP '1970-01-02 00:00:00+00', TIMESTAMP '1970-01-01 00:00:00+00', INTERVAL 1 DAY)",
      [],
    ],
    [
      'GENERATE_TIMESTAMP_ARRAY(TIMESTAMP_TRUNC(TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY), DAY), TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), DAY), INTERVAL 1 DAY)',
      [now - (now % day) - day, now - (now % day)],
    ],
  ])('%s is computed without the engine', async (expression, value) => {
    expect(computedValue(expression, { at: iso })).toEqual(value);
    await dialect.query(`SELECT ${expression}`, { at: iso, none: '' });
  });

  test.each([
    ['a date part of varying length', 'TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), MONTH)'],
    ['another zone', "TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), DAY, 'Europe/Berlin')"],
    ['a result out of range', 'TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 9000000000 HOUR)'],
    [
      'a negative step',
      'GENERATE_TIMESTAMP_ARRAY(CURRENT_TIMESTAMP(), CURRENT_TIMESTAMP(), INTERVAL -1 DAY)',
    ],
    [
      'a long array',
      "GENERATE_TIMESTAMP_ARRAY(TIMESTAMP '2020-01-01 00:00:00+00', CURRENT_TIMESTAMP(), INTERVAL 1 SECOND)",
    ],
    ['text of another form', 'TIMESTAMP(@other)'],
    ['an invalid date', "TIMESTAMP(CONCAT('2024-02-30', ' 00:00:00'))"],
  ])('%s is left to the database', (_, expression) => {
    expect(computedValue(expression, { other: '2026-1-1' })).toBeUndefined();
  });
});

test.each([
  ['2024-02-29T00:00:00Z', 1_709_164_800_000_000n],
  ['2024-02-29 00:00:00.5+00:00', 1_709_164_800_500_000n],
  ['2023-02-29T00:00:00Z', undefined],
  ['2024-01-01T24:00:00Z', undefined],
  ['2016-12-31T23:59:60Z', undefined],
  ['0000-01-01T00:00:00Z', undefined],
  ['2024-01-01T00:00:00+01:00', undefined],
])('the text %s', (text, micros) => {
  expect(parseMicros(text)).toBe(micros);
});

test('random arithmetic agrees with the database', async () => {
  const parts = fc.constantFrom('MICROSECOND', 'MILLISECOND', 'SECOND', 'MINUTE', 'HOUR', 'DAY');
  const text = fc
    .date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString());
  const property = fc.asyncProperty(text, fc.integer(), parts, parts, async (at, n, part, trunc) => {
    const moved = `SAFE.TIMESTAMP_SUB(TIMESTAMP(@at), INTERVAL ${n} ${part})`;
    await dialect.query(`SELECT ${moved}, TIMESTAMP_TRUNC(${moved}, ${trunc})`, { at });
  });
  await fc.assert(property, { numRuns: times(15) });
}, 600_000);
