import { expect, test } from 'vitest';
import { undefinedOrders } from '../../src/analysis/undefined-order.ts';

const ordersOf = (sql: string) => {
  const { arrays, texts } = undefinedOrders(sql);
  return [[...arrays], [...texts]];
};

test.each([
  ['SELECT ARRAY_AGG(DISTINCT a) AS x, COUNT(*) AS n FROM t', [['x'], []]],
  ['SELECT ARRAY_AGG(a ORDER BY a) AS x, ARRAY(SELECT a FROM t ORDER BY a) AS y', [[], []]],
  ['SELECT ARRAY(SELECT a FROM t) AS Y', [['y'], []]],
  ["SELECT STRING_AGG(a) AS x, STRING_AGG(a, ',' ORDER BY a) AS y FROM t", [[], ['x']]],
  ['SELECT IF(TRUE, ARRAY_REVERSE(ARRAY_AGG(a)), []) AS x FROM t', [['x'], []]],
  ['SELECT SPLIT(a) AS x, [1, 2] AS y FROM t', [[], []]],
])('%s', (sql, expected) => {
  expect(ordersOf(sql)).toEqual(expected);
});

test('columns are followed into subqueries', () => {
  const sql = `WITH a AS (SELECT ARRAY_AGG(v) AS list, 1 AS n FROM t),
b AS (SELECT a.list AS renamed, n FROM a)
SELECT renamed AS x, n, ARRAY_LENGTH(renamed) AS y FROM b`;
  expect(undefinedOrders(sql).arrays).toEqual(new Set(['list', 'renamed', 'x', 'y']));
});

test('a column of its own name, and SQL of other languages', () => {
  expect(ordersOf('SELECT x FROM (SELECT x FROM t)')).toEqual([[], []]);
  expect(ordersOf('db.collection.find({})')).toEqual([[], []]);
});
