import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDialect, problemsOf } from './harness.ts';

let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
});
afterAll(() => dialect.close());

/** Each has its arguments in a subquery: `upto(n, x)` is n for n = 1 to 3, and then 3. */
const functions = `
  CREATE TEMP FUNCTION upto(n INT64, id INT64) AS ((SELECT COUNT(*) FROM UNNEST([1, 2, 3]) AS id WHERE id <= n));
  CREATE TEMP FUNCTION twice(n INT64) AS (upto(upto(n, n), 1));
  CREATE TEMP FUNCTION common(a ARRAY<INT64>, b ARRAY<INT64>) AS (ARRAY(SELECT x FROM UNNEST(a) AS x WHERE x IN UNNEST(b) ORDER BY x));
`;

const rows = '(SELECT * FROM UNNEST([STRUCT(1 AS id, "a" AS k), (2, "a"), (3, "b"), (5, "b"), (1, "c")]))';

test.each([
  [
    'an aggregate',
    'SELECT k, upto(MAX(id), 1) FROM t GROUP BY k ORDER BY k',
    [
      ['a', '2'],
      ['b', '3'],
      ['c', '1'],
    ],
  ],
  [
    'a subquery of its own, which the query around it does not compute',
    'SELECT k, (SELECT upto(MAX(u.id), 1) FROM t AS u) FROM t WHERE id = 1 ORDER BY k',
    [
      ['a', '3'],
      ['c', '3'],
    ],
  ],
  [
    'WITH in a subquery of its own',
    'SELECT k, (SELECT WITH(v AS ARRAY_AGG(DISTINCT u.id ORDER BY u.id)[SAFE_OFFSET(9)], IF(v IS NULL, MAX(u.id), v)) FROM t AS u) FROM t WHERE id = 1 ORDER BY k',
    [
      ['a', '5'],
      ['c', '5'],
    ],
  ],
  ['all rows', 'SELECT twice(COUNT(*)), upto(MIN(id), 1) + MIN(id) FROM t', [['3', '2']]],
  ['a list', 'SELECT common([1, 2, 3], ARRAY_AGG(id)) FROM t', [[['1', '2', '3']]]],
  [
    'a key beside it',
    'SELECT k, common([LENGTH(k)], [MIN(id)]) FROM t GROUP BY k ORDER BY 1 DESC LIMIT 1',
    [['c', ['1']]],
  ],
  ['HAVING', 'SELECT k FROM t GROUP BY k HAVING upto(MAX(id), 1) = 3 AND COUNT(*) > 1', [['b']]],
  ['ORDER BY', 'SELECT k FROM t GROUP BY k ORDER BY upto(MAX(id), 1) DESC, k', [['b'], ['a'], ['c']]],
  ['DISTINCT', 'SELECT DISTINCT upto(MAX(id), 1) > 1 AS x FROM t GROUP BY k ORDER BY x', [[false], [true]]],
  [
    'ROLLUP',
    'SELECT k, upto(COUNT(*), 1) AS n FROM t GROUP BY ROLLUP(k) ORDER BY k',
    [
      [null, '3'],
      ['a', '2'],
      ['b', '2'],
      ['c', '1'],
    ],
  ],
  [
    'a window',
    'SELECT id, upto(ROW_NUMBER() OVER (ORDER BY id, k), 1) AS n FROM t ORDER BY id, n',
    [
      ['1', '1'],
      ['1', '2'],
      ['2', '3'],
      ['3', '3'],
      ['5', '3'],
    ],
  ],
  [
    'a named window',
    'SELECT upto(COUNT(*) OVER w, 1) AS n FROM t WINDOW w AS (PARTITION BY k) ORDER BY n',
    [['1'], ['2'], ['2'], ['2'], ['2']],
  ],
  ['QUALIFY', 'SELECT id FROM t QUALIFY upto(RANK() OVER (ORDER BY id DESC), 1) = 2', [['3']]],
  [
    'a window over it',
    'SELECT k, RANK() OVER (ORDER BY upto(MAX(id), 1)) FROM t GROUP BY k ORDER BY k',
    [
      ['a', '2'],
      ['b', '3'],
      ['c', '1'],
    ],
  ],
  [
    'a window over it before QUALIFY',
    'SELECT k, SUM(upto(COUNT(*), 1)) OVER () AS n FROM t GROUP BY k QUALIFY n > 0 ORDER BY k LIMIT 2',
    [
      ['a', '5'],
      ['b', '5'],
    ],
  ],
  [
    'QUALIFY by a window over it',
    'SELECT k, upto(MAX(id), 1) AS n FROM t GROUP BY k QUALIFY ROW_NUMBER() OVER (ORDER BY upto(MAX(id), 1) DESC) = 1',
    [['b', '3']],
  ],
  [
    'HAVING before a window',
    'SELECT k, ROW_NUMBER() OVER (ORDER BY k) AS n FROM t GROUP BY k HAVING upto(MAX(id), 1) = 3',
    [['b', '1']],
  ],
  [
    'HAVING before a window that is an argument',
    'SELECT k, upto(RANK() OVER (ORDER BY COUNT(*), k), 1) AS n FROM t GROUP BY k HAVING upto(MAX(id), 1) > 1 QUALIFY n = 2',
    [['b', '2']],
  ],
  [
    'a branch',
    'SELECT k, IF(MIN(id) > 1, upto(MIN(id) * 2, 1), 0) FROM t GROUP BY k ORDER BY k',
    [
      ['a', '0'],
      ['b', '3'],
      ['c', '0'],
    ],
  ],
  [
    'a subquery',
    'SELECT k, (SELECT upto(MAX(x), LENGTH(k)) FROM UNNEST([1, 2]) AS x) FROM t WHERE id > 2 ORDER BY id',
    [
      ['b', '2'],
      ['b', '2'],
    ],
  ],
  ['GROUP BY ALL', 'SELECT k, upto(MAX(id), LENGTH(k)) FROM t GROUP BY ALL ORDER BY k LIMIT 1', [['a', '2']]],
  ['AS STRUCT', 'SELECT x.n FROM (SELECT AS STRUCT upto(SUM(id), 1) AS n FROM t) AS x', [['3']]],
  [
    'AGGREGATE',
    'FROM t |> AGGREGATE upto(MAX(id), 1) AS n GROUP BY k |> ORDER BY n',
    [
      ['c', '1'],
      ['a', '2'],
      ['b', '3'],
    ],
  ],
  [
    'EXTEND',
    'FROM t |> EXTEND upto(RANK() OVER (ORDER BY id DESC), 1) AS r |> WHERE r = 1 |> SELECT id',
    [['5']],
  ],
])('an argument is a value of the caller: %s', async (_, sql, expected) => {
  const found = await dialect.query(`${functions} WITH t AS ${rows} ${sql}`);
  const sorted = (all: readonly unknown[]) =>
    / ORDER BY [^()]*$/.test(sql) ? all : all.map((row) => JSON.stringify(row)).toSorted();
  expect(sorted(found)).toEqual(sorted(expected));
});

test.each([
  [
    'SELECT upto(MAX(id), 1) AS x, COUNT(*) FROM logs GROUP BY x',
    'GROUP BY takes no aggregate or window function',
  ],
  ['SELECT id, upto(MAX(id), 1) FROM logs', 'id is neither grouped nor aggregated'],
  ['SELECT id FROM logs HAVING upto(id, 1) > 1', 'HAVING needs GROUP BY, or an aggregate function'],
  ['SELECT id FROM logs QUALIFY upto(id, 1) > 1', 'QUALIFY needs a window function'],
  [
    'SELECT k FROM logs GROUP BY k HAVING upto(RANK() OVER (ORDER BY k), 1) > 1',
    'HAVING takes no window function',
  ],
  ['FROM logs |> EXTEND upto(MAX(id), 1) AS x', 'aggregates are computed by the pipe operator AGGREGATE'],
])('its aggregates have the rules of others: %s', (sql, problem) => {
  expect(problemsOf(functions + sql.replaceAll(/\bk\b/g, 'project')).join('\n')).toContain(problem);
});

test.each(['1', 'a'])('a function has no two arguments of a name, whatever its body reads: %s', (body) => {
  expect(problemsOf(`CREATE TEMP FUNCTION f(a INT64, A INT64) AS (${body}); SELECT f(1, 2)`)).toEqual([
    '1:33 two arguments are named A',
  ]);
});
