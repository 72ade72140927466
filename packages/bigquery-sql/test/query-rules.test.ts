import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDialect, problemsOf } from './harness.ts';

let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
});
afterAll(() => dialect.close());

const numbers = 'WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL';

describe('WITH RECURSIVE', () => {
  test.each([
    [
      'several first queries',
      `${numbers} SELECT 10 UNION ALL SELECT x + 1 FROM n WHERE x < 2) SELECT x FROM n ORDER BY x`,
      [['1'], ['2'], ['10']],
    ],
    [
      'a table that comes later',
      'WITH RECURSIVE r AS (SELECT a FROM s), s AS (SELECT 2 AS a) SELECT a FROM r',
      [['2']],
    ],
    [
      'a WITH of its own',
      'WITH RECURSIVE n AS (WITH m AS (SELECT 1 AS x) SELECT x FROM m UNION ALL SELECT x + 1 FROM n WHERE x < 3) SELECT SUM(x) FROM n',
      [['6']],
    ],
  ])('gives the rows of %s', async (_title, sql, rows) => {
    expect(await dialect.query(sql)).toEqual(rows);
  });

  test.each([
    [`${numbers} SELECT x + 0.5 FROM n WHERE x < 3) SELECT x FROM n`, 'CAST it'],
    [`${numbers} SELECT a.x FROM n AS a, n AS b) SELECT x FROM n`, 'once only'],
    [`${numbers} SELECT SUM(x) FROM n) SELECT x FROM n`, 'takes no aggregates'],
    [`${numbers} SELECT (SELECT MAX(x) FROM n)) SELECT x FROM n`, 'in a subquery'],
    [`${numbers} SELECT n.x FROM n RIGHT JOIN logs ON TRUE) SELECT x FROM n`, 'outer join'],
  ])('%s is refused', (sql, message) => {
    expect(problemsOf(sql).join()).toContain(message);
  });
});

test('with several grouping sets an expression of a key is computed of the grouped key', async () => {
  const sets =
    'FROM (SELECT 10 AS a UNION ALL SELECT 20) GROUP BY GROUPING SETS (a, a + 1) ORDER BY a, a + 1';
  expect(await dialect.query(`SELECT a, a + 1, COUNT(*) ${sets}`)).toEqual([
    [null, null, '1'],
    [null, null, '1'],
    ['10', '11', '1'],
    ['20', '21', '1'],
  ]);
});

test('an expression, its alias and its position are one key of grouping sets', async () => {
  const query = (sets: string) =>
    dialect.query(
      `SELECT a + 1 AS b, GROUPING(a + 1) AS g FROM UNNEST([1, 2]) AS a GROUP BY ${sets} ORDER BY GROUPING(b), b`,
    );
  const keyed = [
    ['2', '0'],
    ['2', '0'],
    ['2', '0'],
    ['3', '0'],
    ['3', '0'],
    ['3', '0'],
  ];
  expect(await query('GROUPING SETS (1, a + 1, b)')).toEqual(keyed);
  expect(await query('ROLLUP (a + 1, b, 1)')).toEqual([...keyed, [null, '1']]);
});

test.each(['a + 1', '2'])(
  'of grouping sets, %s is two keys as two columns of the select list',
  async (value) => {
    const sql = `SELECT ${value} AS k, ${value} AS l, COUNT(*) AS n FROM UNNEST([1]) AS a GROUP BY CUBE (k, l) ORDER BY k, l`;
    expect(await dialect.query(sql)).toEqual([
      [null, null, '1'],
      [null, '2', '1'],
      ['2', null, '1'],
      ['2', '2', '1'],
    ]);
    expect(await dialect.query(sql.replace('ORDER', 'HAVING k IS NULL AND l > 1 ORDER'))).toHaveLength(1);
  },
);

test('a column and a subquery that selects it are two keys of grouping sets', async () => {
  const sql =
    'SELECT (SELECT a) AS k, a FROM UNNEST([1]) AS a GROUP BY ROLLUP (k, a) HAVING k IS NULL OR a IS NULL ORDER BY k';
  expect(await dialect.query(sql)).toEqual([
    [null, null],
    ['1', null],
  ]);
});

test('a column and a field that are selected twice are one key of grouping sets', async () => {
  const sql =
    'SELECT s.a AS k, s.a AS l FROM UNNEST([STRUCT(1 AS a)]) AS s GROUP BY CUBE (k, l) ORDER BY k DESC';
  expect(await dialect.query(sql)).toEqual([...Array(3).fill(['1', '1']), [null, null]]);
});

test('GROUP BY has so many sets as are written out', () => {
  const several = (count: number) => Array(count).fill('ROLLUP (a)').join(', ');
  const problems = (count: number) =>
    problemsOf(`SELECT COUNT(*) AS n FROM UNNEST([1]) AS a GROUP BY ${several(count)}`).join();
  expect(problems(10)).toBe('');
  expect(problems(11)).toContain('GROUP BY has at most 1024 sets');
});

test('equal random values are keys of their own', async () => {
  const sql =
    'SELECT COUNT(*) AS n FROM (SELECT RAND() AS a, RAND() AS b FROM UNNEST([1, 2]) AS x GROUP BY GROUPING SETS (a, b)) WHERE a IS NULL';
  expect(await dialect.query(sql)).toEqual([['2']]);
});

describe('a NULL without a type', () => {
  test('takes the type of the other inputs of a set operation, also in parentheses', async () => {
    const sql = "SELECT x FROM ((SELECT NULL AS x) UNION ALL (SELECT 'b')) ORDER BY x";
    expect(await dialect.query(sql)).toEqual([[null], ['b']]);
  });

  test('is INT64 for the readers of a query', () => {
    expect(problemsOf("SELECT IFNULL(x, 'a') FROM (SELECT NULL AS x)")).toEqual([
      '1:8 IFNULL has no common type for (INT64, STRING): CAST one',
    ]);
  });

  test('is aggregated like other values', async () => {
    expect(await dialect.query('SELECT SUM(NULL), AVG(NULL), COUNT(NULL) FROM logs')).toEqual([
      [null, null, '0'],
    ]);
  });
});

test('HAVING takes expressions that need lambdas', async () => {
  const sql =
    "SELECT project FROM logs GROUP BY project HAVING CAST(CONCAT('2024-01-0', COUNT(*)) AS TIMESTAMP) > TIMESTAMP '2024-01-01'";
  expect(await dialect.query(sql)).toEqual([['a']]);
});

test('an aggregate of outer columns belongs to the query in which it is written', async () => {
  const sql = 'SELECT y, (SELECT SUM(y) FROM UNNEST([1, 2])) FROM UNNEST([5, 6]) AS y ORDER BY y';
  expect(await dialect.query(sql)).toEqual([
    ['5', '10'],
    ['6', '12'],
  ]);
});

test('DISTINCT values of an outer column are ordered by them', async () => {
  const sql =
    'SELECT y, (SELECT ARRAY_AGG(DISTINCT y ORDER BY y DESC) FROM UNNEST([1, 2])) FROM UNNEST([1.5, 6.0]) AS y ORDER BY y';
  expect(await dialect.query(sql)).toEqual([
    [1.5, [1.5]],
    [6, [6]],
  ]);
});

test('SAFE_CAST takes a key of GROUP BY, beside the key and in subqueries', async () => {
  const sql =
    'SELECT project, SAFE_CAST(project AS INT64), ARRAY(SELECT SAFE_CAST(project AS INT64) FROM UNNEST([1])) FROM logs GROUP BY project ORDER BY SAFE_CAST(project AS INT64), project DESC LIMIT 1';
  expect(await dialect.query(sql)).toEqual([['b', null, [null]]]);
});

test('LIKE compares bytes of any value', async () => {
  const sql = "SELECT b'\\xff' LIKE b'_', b'\\xc3\\xa9' LIKE b'_', ROUND(CAST('nan' AS FLOAT64), NULL)";
  expect(await dialect.query(sql)).toEqual([[true, false, null]]);
});

test('a union of values has values as rows', async () => {
  const values = '(SELECT AS STRUCT 1 AS a UNION ALL SELECT AS STRUCT 2 AS a)';
  expect(await dialect.query(`SELECT v.a FROM ${values} AS v WHERE a > 1`)).toEqual([['2']]);
});

test.each([
  ['AS STRUCT x, -x AS y', '2', ['3', '2', '1', '1']],
  ['AS STRUCT x', '1 DESC', ['3', '2', '1', '1']],
  ['AS STRUCT x, NULL AS k', 'k, x DESC', ['3', '2', '1', '1']],
  ['AS STRUCT NULL AS k, x', '1, 2 LIMIT 1', ['1']],
  ['DISTINCT AS STRUCT x', 'x DESC', ['3', '2', '1']],
  ['DISTINCT AS STRUCT x, -x AS y', '2 LIMIT 2', ['3', '2']],
])('SELECT %s is ordered by its columns: %s', async (columns, order, expected) => {
  const sql = `SELECT ARRAY(SELECT ${columns} FROM UNNEST([1, 3, 2, 1]) AS x ORDER BY ${order}) AS v`;
  expect(await dialect.query(`SELECT ARRAY(SELECT e.x FROM t.v AS e) FROM (${sql}) AS t`)).toEqual([
    [expected],
  ]);
});

test.each([
  'SELECT AS STRUCT 1 AS a, 5 AS b UNION ALL SELECT AS STRUCT 2, 4 ORDER BY b',
  '(SELECT AS STRUCT a, 6 - a AS b FROM UNNEST([1, 2]) AS a) ORDER BY a + 2 * b',
  'SELECT AS VALUE STRUCT(1 AS a, 5 AS b) UNION ALL SELECT AS VALUE STRUCT(2, 4) ORDER BY a DESC',
])('values after a set operation or parentheses are ordered by their fields: %s', async (sql) => {
  expect(
    await dialect.query(`SELECT ARRAY(SELECT e.a FROM t.v AS e) FROM (SELECT ARRAY(${sql}) AS v) AS t`),
  ).toEqual([[['2', '1']]]);
});

test('the groups of SELECT AS STRUCT are ordered by the position of a column', async () => {
  const sql =
    'SELECT AS STRUCT x, COUNT(*) AS n FROM UNNEST([1, 3, 1, 3, 3, 2]) AS x GROUP BY 1 ORDER BY 2 DESC';
  expect(
    await dialect.query(`SELECT v.x FROM UNNEST(ARRAY(${sql})) AS v WITH OFFSET AS o ORDER BY o`),
  ).toEqual([['3'], ['1'], ['2']]);
});

test('JOIN USING after a pipe operator', async () => {
  const sql = 'FROM logs |> JOIN projects USING (project) |> SELECT id, tier |> ORDER BY id';
  expect(await dialect.query(sql)).toEqual([
    ['1', 'PRO'],
    ['2', 'PRO'],
  ]);
});

test.each([
  ['FROM (SELECT 1 AS a) AS t |> SELECT *', ['1']],
  ['FROM (SELECT 1 AS a, 2 AS b) AS t |> EXTEND 3 AS c |> SELECT * EXCEPT (b)', ['1', '3']],
  ['FROM (SELECT 1 AS a) AS t |> JOIN (SELECT 1 AS a, 2 AS b) AS u USING (a) |> SELECT *', ['1', '2']],
])('* after a pipe operator is each column once: %s', async (sql, row) => {
  expect(await dialect.query(sql)).toEqual([row]);
});

const x = { a: '1', b: '2' };

test.each([
  ['CROSS JOIN (SELECT 5 AS e) AS y', [x, '5']],
  ['WHERE a = 1 |> JOIN UNNEST([STRUCT(1 AS a, 3 AS d)]) AS y ON x.a = y.a', [x, { a: '1', d: '3' }]],
  ['JOIN UNNEST([STRUCT(1 AS a, 3 AS d)]) AS y USING (a)', ['1', x, { a: '1', d: '3' }]],
  ['JOIN UNNEST([STRUCT(1 AS a, 3 AS d)]) AS y USING (a) |> WHERE a = 1 |> SELECT *', ['1', '2', '3']],
  ['CROSS JOIN UNNEST([x.b]) AS y', [x, '2']],
  ['CROSS JOIN (SELECT 5 AS e) AS y |> DROP x', ['5']],
  ['CROSS JOIN (SELECT 5 AS e) AS y |> SELECT b + e, x.a', ['7', '1']],
  ['RIGHT JOIN (SELECT 5 AS a, 6 AS d) AS y USING (a)', ['5', null, '6']],
])('a row that is a STRUCT of an array is one column of its join: %s', async (pipes, row) => {
  expect(await dialect.query(`FROM UNNEST([STRUCT(1 AS a, 2 AS b)]) AS x |> ${pipes}`)).toEqual([row]);
});

test.each([
  'FROM UNNEST([STRUCT(1 AS a)]) AS x |> UNION ALL (SELECT 4 AS a)',
  '(SELECT 4 AS a) UNION ALL (FROM UNNEST([STRUCT(1 AS a)]) AS x)',
  'FROM UNNEST([STRUCT(1 AS a, 2 AS b)]) AS x |> PIVOT (SUM(b) FOR a IN (1, 2))',
  'FROM UNNEST([STRUCT(1 AS a, 2 AS b)]) AS x |> EXTEND 1 AS k |> UNPIVOT (v FOR n IN (a, b))',
  'SELECT * FROM (SELECT AS STRUCT 1 AS a, 2 AS b) PIVOT (SUM(b) FOR a IN (1, 2))',
])('a row that is one value has no columns in a set operation and in PIVOT: %s', (sql) => {
  expect(problemsOf(sql).join()).toMatch(/one value/);
});

test('rows of arrays of STRUCTs are united with each other, and their columns are pivoted', async () => {
  const from = 'FROM UNNEST([STRUCT(1 AS a, 2 AS b)])';
  expect(await dialect.query(`${from} |> UNION ALL (${from})`)).toEqual([
    ['1', '2'],
    ['1', '2'],
  ]);
  expect(await dialect.query(`${from} |> SELECT * |> PIVOT (SUM(b) FOR a IN (1))`)).toEqual([['2']]);
});

test('what reads an unsupported part is not reported, too', () => {
  expect(
    problemsOf('WITH a AS (SELECT * EXCEPT (x) FROM missing) SELECT y FROM a JOIN b.c USING (z) ORDER BY q'),
  ).toEqual(['1:37 no table is named missing', '1:67 no table is named b.c']);
});
