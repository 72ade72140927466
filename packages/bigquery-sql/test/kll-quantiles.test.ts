import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nightly } from '../../../test/support/nightly.ts';
import { ownSession } from './support/own-session.ts';

const session = ownSession();

/** The first row, or the message of the problem. */
async function firstRow(sql: string): Promise<unknown> {
  const answer = await session.answer(sql);
  return typeof answer === 'string' ? answer : answer[0];
}

const toFive = 'SELECT KLL_QUANTILES.INIT_INT64(x, 1000) AS k FROM UNNEST([1, 2, 3, 4, 5]) AS x';
const toTen = `${toFive} UNION ALL SELECT KLL_QUANTILES.INIT_INT64(x, 100) FROM UNNEST([6, 7, 8, 9, 10, NULL]) AS x`;

describe('KLL_QUANTILES', () => {
  test.each([
    [
      'SELECT KLL_QUANTILES.EXTRACT_INT64(k, 2), KLL_QUANTILES.EXTRACT_INT64(k, 3), KLL_QUANTILES.EXTRACT_INT64(k, 6) FROM (SELECT KLL_QUANTILES.INIT_INT64(x, 1000) AS k FROM UNNEST(GENERATE_ARRAY(1, 100)) AS x)',
      [
        ['1', '50', '100'],
        ['1', '34', '67', '100'],
        ['1', '17', '34', '50', '67', '84', '100'],
      ],
    ],
    [`SELECT KLL_QUANTILES.EXTRACT_POINT_INT64(k, .8) FROM (${toFive})`, ['4']],
    [
      'SELECT KLL_QUANTILES.EXTRACT_INT64(KLL_QUANTILES.INIT_INT64(x, 1000, weight => y), 2) FROM UNNEST([STRUCT(1 AS x, 1 AS y), (2, 3), (3, 1), (4, 1), (5, 1)])',
      [['1', '2', '5']],
    ],
    [
      `SELECT KLL_QUANTILES.MERGE_INT64(k, 2), KLL_QUANTILES.MERGE_POINT_INT64(k, .9) FROM (${toTen})`,
      [['1', '5', '10'], '9'],
    ],
    [
      `SELECT KLL_QUANTILES.EXTRACT_INT64(KLL_QUANTILES.MERGE_PARTIAL(k), 1) FROM (${toTen} UNION ALL SELECT NULL)`,
      [['1', '10']],
    ],
  ])('gives what the documentation of BigQuery shows: %s', async (sql, expected) => {
    expect(await firstRow(sql)).toEqual(expected);
  });

  nightly('merges any number of sketches', async () => {
    const sketches =
      'SELECT k FROM (SELECT KLL_QUANTILES.INIT_INT64(x, 10) AS k FROM UNNEST([5]) AS x), UNNEST(GENERATE_ARRAY(1, 130000))';
    expect(await firstRow(`SELECT KLL_QUANTILES.MERGE_INT64(k, 1) FROM (${sketches})`)).toEqual([['5', '5']]);
  });

  test('orders FLOAT64 as BigQuery does, and skips NULL', async () => {
    const values = "[1.5, CAST('nan' AS FLOAT64), CAST('-inf' AS FLOAT64), CAST('inf' AS FLOAT64), NULL, 2]";
    const sql = `SELECT KLL_QUANTILES.EXTRACT_FLOAT64(KLL_QUANTILES.INIT_FLOAT64(x), 4) AS q FROM UNNEST(${values}) AS x`;
    expect(await firstRow(sql)).toEqual([['NaN', '-Infinity', 1.5, 2, 'Infinity']]);
  });

  test.each([
    ['SELECT KLL_QUANTILES.INIT_INT64(x) AS v FROM UNNEST([1]) AS x WHERE false'],
    ['SELECT KLL_QUANTILES.INIT_INT64(x, 10, weight => x) AS v FROM UNNEST([CAST(NULL AS INT64)]) AS x'],
    ['SELECT KLL_QUANTILES.MERGE_PARTIAL(x) AS v FROM UNNEST([CAST(NULL AS BYTES)]) AS x'],
    ['SELECT KLL_QUANTILES.MERGE_POINT_INT64(x, 0.5) AS v FROM UNNEST([CAST(NULL AS BYTES)]) AS x'],
    ['SELECT KLL_QUANTILES.EXTRACT_POINT_FLOAT64(NULL, 0.5) AS v'],
  ])('is NULL without values: %s', async (sql) => {
    expect(await firstRow(sql)).toEqual([null]);
  });

  test.each([
    ["SELECT KLL_QUANTILES.EXTRACT_INT64(b'abc', 2)", 'Invalid sketch in KLL_QUANTILES'],
    [
      `SELECT KLL_QUANTILES.EXTRACT_FLOAT64(k, 2) FROM (${toFive})`,
      'Incompatible sketch in KLL_QUANTILES: it has values of INT64, not FLOAT64',
    ],
    [
      `SELECT KLL_QUANTILES.MERGE_PARTIAL(k) FROM (${toFive} UNION ALL SELECT KLL_QUANTILES.INIT_FLOAT64(x) FROM UNNEST([1]) AS x)`,
      'Incompatible sketches in KLL_QUANTILES: values of',
    ],
    [`SELECT KLL_QUANTILES.EXTRACT_INT64(k, 0) FROM (${toFive})`, 'must be from 1 to 100000, not 0'],
    [`SELECT KLL_QUANTILES.EXTRACT_POINT_INT64(k, 1.5) FROM (${toFive})`, 'must be from 0 to 1, not 1.5'],
    [
      'SELECT KLL_QUANTILES.INIT_INT64(x, 10, weight => 0) FROM UNNEST([1]) AS x',
      'The weight in KLL_QUANTILES must be from 1 to 2147483647, not 0',
    ],
    [
      'SELECT KLL_QUANTILES.INIT_INT64(x, 0) FROM UNNEST([1]) AS x',
      'the precision of KLL_QUANTILES.INIT_INT64 must be a literal from 1 to 100000',
    ],
    [
      'SELECT KLL_QUANTILES.INIT_INT64(x, size => 3) FROM UNNEST([1]) AS x',
      'KLL_QUANTILES.INIT_INT64 takes the named argument weight only, after all others',
    ],
    [
      "SELECT KLL_QUANTILES.INIT_INT64(x) FROM UNNEST(['1']) AS x",
      'KLL_QUANTILES.INIT_INT64 takes INT64, not STRING',
    ],
  ])('says what is wrong: %s', async (sql, message) => {
    expect(await firstRow(sql)).toContain(message);
  });

  test('a rank is off by one part of the precision at most, also after sketches were merged', async () => {
    const cases = fc.tuple(
      fc.integer({ min: 5_000, max: 30_000 }),
      fc.integer({ min: 5, max: 50 }),
      fc.nat(9),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([rows, precision, phi]) => {
        const sql = `
          SELECT KLL_QUANTILES.MERGE_POINT_INT64(k, ${phi / 9}) AS v FROM (
            SELECT KLL_QUANTILES.INIT_INT64(x, ${precision}) AS k
            FROM UNNEST(GENERATE_ARRAY(0, ${rows - 1})) AS x GROUP BY MOD(x, 5))`;
        const [v] = (await firstRow(sql)) as readonly [string];
        expect(Math.abs(Number(v) + 1 - Math.max(1, Math.ceil((phi / 9) * rows)))).toBeLessThanOrEqual(
          rows / precision,
        );
      }),
      { numRuns: 20 },
    );
  });
});
