import { expect, test } from 'vitest';
import { analyze } from '../../src/index.ts';

const integer = (name: string) => ({ name, type: 'INTEGER', mode: 'NULLABLE' }) as const;
const tables = [{ name: 't', fields: ['x', 'low', 'high'].map(integer) }];

test.each([
  ['x BETWEEN low AND high', ['x', 'low', 'high']],
  ['x NOT BETWEEN low AND high', ['x']],
  ['NOT (x BETWEEN low AND high)', ['x']],
  ['(x BETWEEN low AND high) IS FALSE', ['x']],
  ['x IN (SELECT low FROM t) AND low > 1', ['x', 'low']],
  ['(x IN (SELECT low FROM t)) IS TRUE', ['x']],
  ['x NOT IN (SELECT low FROM t)', []],
  ['NOT x IN (SELECT low FROM t)', []],
  ['(x IN (SELECT low FROM t)) = FALSE', []],
  ['(x IN (SELECT low FROM t)) IS FALSE', []],
  ['(x IN (SELECT low FROM t)) IS NOT NULL', []],
])('a condition rejects NULL only where no value of the others makes it true: %s', (where, rejected) => {
  const { columns } = analyze(`SELECT x, low, high FROM t WHERE ${where}`, { tables });
  expect(columns.filter(({ required }) => required).map(({ name }) => name)).toEqual(rejected);
});

const key = 'CASE WHEN x > 1 THEN 1 ELSE 2 END';

test.each([
  ...["'none'", '1', key].flatMap((value) =>
    ['k', '1', 'x, k'].map((keys) => `SELECT ${value} AS k, COUNT(*) AS n FROM t GROUP BY ROLLUP (${keys})`),
  ),
  `FROM t |> EXTEND ${key} AS k |> AGGREGATE COUNT(*) AS n GROUP BY ROLLUP (k)`,
])('a key of several sets of groups may be NULL: %s', (sql) => {
  expect(analyze(sql, { tables }).columns.map(({ required }) => required)).toEqual([false, true]);
});
