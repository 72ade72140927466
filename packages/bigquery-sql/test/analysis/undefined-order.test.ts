import { expect, test } from 'vitest';
import { hasOrder, undefinedOrders } from '../../src/analysis/undefined-order.ts';

const ordersOf = (sql: string) => {
  const { arrays, texts } = undefinedOrders(sql);
  return [[...arrays.keys()], [...texts]];
};

test.each([
  ['SELECT ARRAY_AGG(DISTINCT a) AS x, COUNT(*) AS n FROM t', [['x'], []]],
  ['SELECT ARRAY_AGG(a ORDER BY a) AS x, ARRAY(SELECT a FROM t ORDER BY a) AS y', [[], []]],
  ['SELECT ARRAY(SELECT a FROM t) AS Y', [['y'], []]],
  ["SELECT STRING_AGG(a) AS x, STRING_AGG(a, ',' ORDER BY a) AS y FROM t", [[], ['x']]],
  ['SELECT IF(TRUE, ARRAY_REVERSE(ARRAY_AGG(a)), []) AS x FROM t', [['x'], []]],
  ['SELECT SPLIT(a) AS x, [1, 2] AS y FROM t', [[], []]],
  ['SELECT ARRAY(FROM t |> SELECT a |> ORDER BY a) AS x, ARRAY(FROM t |> SELECT a) AS y', [['y'], []]],
  ['SELECT ARRAY((SELECT a FROM t ORDER BY a) LIMIT 2) AS x', [[], []]],
  ['FROM t |> AGGREGATE ARRAY_AGG(a) AS x, STRING_AGG(a) AS y', [['x'], ['y']]],
  ['FROM t |> SET x = ARRAY(SELECT a FROM t) |> RENAME x AS y', [['x', 'y'], []]],
])('%s', (sql, expected) => {
  expect(ordersOf(sql)).toEqual(expected);
});

test('columns are followed into subqueries', () => {
  const sql = `WITH a AS (SELECT ARRAY_AGG(v) AS list, 1 AS n FROM t),
b AS (SELECT a.list AS renamed, n FROM a)
SELECT renamed AS x, n, ARRAY_LENGTH(renamed) AS y FROM b`;
  expect([...undefinedOrders(sql).arrays.keys()].sort()).toEqual(['list', 'renamed', 'x', 'y']);
});

test('a column of its own name, and SQL of other languages', () => {
  expect(ordersOf('SELECT x FROM (SELECT x FROM t)')).toEqual([[], []]);
  expect(ordersOf('db.collection.find({})')).toEqual([[], []]);
});

test.each([
  ['ARRAY_AGG(STRUCT(a, [3, 2] AS list))', ['']],
  ['ARRAY_AGG(STRUCT(a, ARRAY(SELECT b FROM u) AS List) ORDER BY a)', ['list']],
  ['ARRAY_AGG(STRUCT(STRUCT(ARRAY(SELECT b FROM u) AS b) AS s))', ['', 's.b']],
  ['ARRAY(SELECT AS STRUCT a, ARRAY(SELECT b FROM u) AS list FROM v ORDER BY a)', ['list']],
  ['ARRAY(SELECT AS STRUCT *, ARRAY(SELECT b FROM u) FROM v ORDER BY a)', ['*']],
  ['ARRAY(SELECT STRUCT(ARRAY(SELECT b FROM u)))', ['', '*']],
  ['IF(TRUE, ARRAY_AGG(a), [])', ['*']],
])('the arrays within a column have paths: %s', (expression, paths) => {
  expect([...(undefinedOrders(`SELECT ${expression} AS x FROM t`).arrays.get('x') ?? [])]).toEqual(paths);
});

test.each([
  ['SELECT ARRAY_AGG(d) AS x FROM d', ['', '.*']],
  ['SELECT ARRAY_AGG(d ORDER BY k) AS x FROM d', ['.*']],
  ['SELECT ARRAY_AGG(STRUCT(e AS f)) AS x FROM d AS e', ['', '.*']],
  ['SELECT ARRAY_AGG(IF(k > 1, d, NULL)) AS x FROM d', ['', '.*']],
  ['SELECT ARRAY(SELECT AS STRUCT * FROM d) AS x', ['', '.*']],
  ['SELECT ARRAY(SELECT AS STRUCT d.* FROM d ORDER BY k) AS x', ['.*']],
  ['SELECT ARRAY(SELECT d FROM d) AS x', ['', '.*']],
  ['SELECT ARRAY_AGG(STRUCT(build(k) AS ys)) AS x FROM t', ['', '*']],
  ['SELECT ARRAY_AGG(k ORDER BY k) AS x FROM d', []],
  ['SELECT ARRAY(SELECT AS STRUCT d.k FROM d ORDER BY k) AS x', []],
  ['SELECT ARRAY(SELECT y FROM UNNEST(ys) AS y WITH OFFSET o ORDER BY o) AS x FROM d', ['*']],
  ['SELECT ARRAY(SELECT y FROM d.ys AS y WITH OFFSET o ORDER BY o) AS x FROM d', ['*', '.*']],
  ['SELECT ARRAY(SELECT y FROM UNNEST(ys) AS y ORDER BY y) AS x FROM d', []],
  [
    'SELECT ARRAY(SELECT e FROM UNNEST(ds) AS e ORDER BY e.k) AS x FROM (SELECT ARRAY_AGG(d) AS ds FROM d)',
    ['.*'],
  ],
])('the arrays within rows: %s', (query, paths) => {
  const sql = `CREATE TEMP FUNCTION build(k INT64) AS (ARRAY(SELECT y FROM t WHERE t.k = k));
WITH d AS (SELECT k, ARRAY_AGG(y) AS ys FROM t GROUP BY k) ${query}`;
  expect([...(undefinedOrders(sql).arrays.get('x') ?? [])]).toEqual(paths);
});

test('rows without another unordered array keep the order of theirs', () => {
  const { arrays } = undefinedOrders('WITH d AS (SELECT k, list FROM t) SELECT ARRAY_AGG(d) AS x FROM d');
  expect(arrays).toEqual(new Map([['x', new Set([''])]]));
});

test('fields are followed by their paths', () => {
  const sql = `WITH a AS (SELECT STRUCT(1 AS n, STRUCT(ARRAY_AGG(v) AS list) AS inner_part) AS s FROM t)
SELECT s.n AS x, s.inner_part AS y, a.s.inner_part.list AS z FROM a`;
  expect(Object.fromEntries(undefinedOrders(sql).arrays)).toEqual({
    s: new Set(['inner_part.list']),
    y: new Set(['list']),
    z: new Set(['']),
  });
});

test.each([
  ['SELECT a FROM t ORDER BY a', true],
  ['SELECT a FROM t', false],
  ['(SELECT a FROM t ORDER BY a) LIMIT 3', true],
  ['FROM t |> ORDER BY a |> WHERE a > 1 |> SELECT a |> LIMIT 3', true],
  ['FROM t |> ORDER BY a |> AGGREGATE COUNT(*) AS n GROUP BY a', false],
  ['FROM t |> ORDER BY a |> JOIN u USING (a)', false],
  ['FROM t |> ORDER BY a |> DISTINCT', false],
  ['FROM t |> AGGREGATE COUNT(*) AS n GROUP AND ORDER BY a', true],
  ['FROM t |> AGGREGATE COUNT(*) AS n GROUP BY a DESC', true],
  ['FROM t |> AGGREGATE COUNT(*) AS n ASC GROUP BY a', true],
])('the order of rows: %s', (sql, isOrdered) => {
  expect(hasOrder(sql)).toBe(isOrdered);
});
