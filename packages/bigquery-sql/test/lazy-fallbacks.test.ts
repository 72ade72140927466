import { expect, test } from 'vitest';
import { ownSession } from './support/own-session.ts';

const { answer, explain } = ownSession();

const rows = "UNNEST([STRUCT(1 AS x, 2 AS y, 'bad' AS s, 0 AS z), (NULL, NULL, '5', 5)])";
const number = 'CAST(s AS INT64)';
const first = 'SAFE_CAST(CAST(x AS STRING) AS INT64)';

test.each([
  [`COALESCE(x, ${number}), COALESCE(y, ${number})`, ['1', '2'], ['5', '5']],
  [`COALESCE(x, ${number}, ${number} + 1), z`, ['1', '0'], ['5', '5']],
  [`COALESCE(x, y, ${number}), COALESCE(x, z, ${number})`, ['1', '1'], ['5', '5']],
  [`IFNULL(${first}, ${number}), IFNULL(y, ${number})`, ['1', '2'], ['5', '5']],
  ["IFNULL(x, IF(z = 0, ERROR('none'), z)), IFNULL(y, IF(z = 0, ERROR('none'), z))", ['1', '2'], ['5', '5']],
  ['IFNULL(x, 10 / z), IFNULL(y, 10 / z)', [1, 2], [2, 2]],
  ['COALESCE(NULL, x, 10 / z), COALESCE(NULL, y, 10 / z)', [1, 2], [2, 2]],
])('COALESCE computes what it needs in a row: %s', async (columns, ...expected) => {
  expect(await answer(`SELECT ${columns} FROM ${rows} ORDER BY z`)).toEqual(expected);
});

test('keys of GROUP BY and ORDER BY and arguments of aggregate functions do so, too', async () => {
  const [byX, byY] = [`COALESCE(x, ${number})`, `COALESCE(y, ${number})`];
  const groups = `SELECT ${byX} AS k, SUM(${byY}) AS n FROM ${rows} GROUP BY ${byX} ORDER BY k`;
  expect(await answer(groups)).toEqual([
    ['1', '2'],
    ['5', '5'],
  ]);
  expect(await answer(`SELECT z FROM ${rows} ORDER BY ${byX}, ${byY}`)).toEqual([['0'], ['5']]);
});

test.each([
  [`COALESCE(x, ${number}), COALESCE(y, z + 1)`],
  ["IFNULL(REGEXP_EXTRACT(s, '9'), REGEXP_EXTRACT(s, '5')), IFNULL(LOWER(s), UPPER(s)), UPPER(s)"],
])('a fallback that the query has once, or that never fails, is as it is: %s', async (columns) => {
  const text = await explain(`SELECT ${columns} FROM ${rows}`);
  expect(text).toContain('coalesce');
  expect(text).not.toMatch(/CASE|lambda/);
});
