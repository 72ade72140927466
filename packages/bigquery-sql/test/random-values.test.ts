import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDialect, problemsOf } from './harness.ts';

// The bounds are twenty standard deviations wide: no run misses them by chance.
let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect([
    `INSERT INTO logs SELECT 10 + range, NULL, 'p' || (range % 10), [], ['u', 'v', 'w', 'x'] FROM range(4000)`,
    `INSERT INTO projects SELECT 'p' || (range % 10), 'small' FROM range(40)`,
  ]);
}, 60_000);
afterAll(() => dialect.close());

const isTrue = (condition: string, rows: string) => `SELECT ${condition} AS v FROM (${rows})`;
const logs = '(SELECT id, project, tags FROM logs WHERE id >= 10)';
const ten = "(SELECT DISTINCT project FROM projects WHERE tier = 'small')";
const half = (rows: string, of: number) => isTrue(`COUNT(*) BETWEEN ${of * 0.3} AND ${of * 0.7}`, rows);
/** Groups of four rows: some are kept in part. */
const partly = (rows: string) =>
  isTrue('COUNTIF(n = 2) > 0', `SELECT id, COUNT(*) AS n FROM (${rows}) GROUP BY id`);

describe('a condition on a random value is decided for each row', () => {
  test.each([
    [
      'of GENERATE_ARRAY',
      half('SELECT x FROM UNNEST(GENERATE_ARRAY(1, 4000)) AS x WHERE RAND() < 0.5', 4000),
    ],
    [
      'of dates',
      half(
        "SELECT d FROM UNNEST(GENERATE_DATE_ARRAY('2000-01-01', '2011-01-01')) AS d WHERE RAND() < 0.5",
        4018,
      ),
    ],
    [
      'of a common table',
      half(
        'WITH s AS (SELECT x FROM UNNEST(GENERATE_ARRAY(1, 4000)) AS x) SELECT x FROM s WHERE RAND() < 0.5',
        4000,
      ),
    ],
    ['by UUID', half("SELECT x FROM UNNEST(GENERATE_ARRAY(1, 4000)) AS x WHERE GENERATE_UUID() < '8'", 4000)],
    [
      'beside another condition',
      half('SELECT id FROM logs WHERE RAND() < 0.5 AND id BETWEEN 10 AND 2009', 2000),
    ],
    ['of a correlated array', partly(`SELECT id FROM ${logs}, UNNEST(tags) AS tag WHERE RAND() < 0.5`)],
    [
      'of two arrays',
      partly(
        `SELECT id FROM ${logs}, UNNEST(tags) AS tag WITH OFFSET AS o, UNNEST([1]) AS one WHERE RAND() < 0.5 AND o >= 0`,
      ),
    ],
    [
      'of an outer join with an array',
      partly(`SELECT id FROM ${logs} LEFT JOIN UNNEST(tags) AS tag ON RAND() < 0.5 WHERE tag IS NOT NULL`),
    ],
    [
      'in an array',
      isTrue(
        'LOGICAL_OR(n = 2)',
        `SELECT ARRAY_LENGTH(ARRAY(SELECT t FROM UNNEST(tags) AS t WHERE RAND() < 0.5)) AS n FROM ${logs}`,
      ),
    ],
    [
      'of a join',
      partly(`SELECT id FROM ${logs} AS l JOIN projects AS p ON l.project = p.project AND RAND() < 0.5`),
    ],
    [
      'of an outer join that reads no column',
      half(
        'SELECT 1 AS v FROM UNNEST(GENERATE_ARRAY(1, 4000)) LEFT JOIN UNNEST([1]) AS one ON RAND() < 0.5 WHERE one IS NULL',
        4000,
      ),
    ],
    [
      'of an outer join with a constant',
      half(
        'SELECT 1 AS v FROM UNNEST(GENERATE_ARRAY(1, 4000)) AS x LEFT JOIN (SELECT 1 AS one) ON RAND() < 0.5 WHERE one IS NULL',
        4000,
      ),
    ],
    [
      'of an outer join, of one side',
      partly(
        `SELECT id FROM ${logs} AS l LEFT JOIN projects AS p ON l.project = p.project AND RAND() < LENGTH(p.tier) / 10 WHERE p.tier IS NOT NULL`,
      ),
    ],
    [
      'of DISTINCT',
      half(
        'SELECT g FROM (SELECT DISTINCT DIV(id, 4) AS g FROM logs WHERE id >= 10) WHERE RAND() < 0.5',
        1000,
      ),
    ],
    [
      'of UNION DISTINCT',
      half(
        'SELECT g FROM (SELECT DIV(id, 4) AS g FROM logs UNION DISTINCT SELECT DIV(id, 4) FROM logs) WHERE RAND() < 0.5',
        1000,
      ),
    ],
    [
      'of QUALIFY',
      half(
        'SELECT ROW_NUMBER() OVER (ORDER BY id) AS n FROM logs WHERE id >= 10 QUALIFY RAND() < 0.5 AND n > 0 ORDER BY n LIMIT 4000',
        4000,
      ),
    ],
    [
      'of HAVING',
      half(
        'SELECT DIV(id, 2) AS g, COUNT(*) AS n FROM logs WHERE id >= 10 GROUP BY g HAVING RAND() < 0.5 ORDER BY g LIMIT 4000',
        2000,
      ),
    ],
  ])('%s', async (_, sql) => {
    expect(await dialect.query(sql)).toEqual([[true]]);
  });
});

describe('a row that a random condition leaves', () => {
  test.each([
    [
      'meets every row of a join',
      isTrue(
        'COUNT(*) > 100 AND LOGICAL_AND(n = 4)',
        `SELECT id, COUNT(*) AS n FROM (SELECT * FROM ${logs} WHERE RAND() < 0.5) AS l JOIN projects AS p ON l.project = p.project GROUP BY id`,
      ),
    ],
    [
      'meets every row of a cross join',
      isTrue(
        'COUNT(*) > 100 AND LOGICAL_AND(n = 10)',
        `SELECT id, COUNT(*) AS n FROM (SELECT * FROM ${logs} WHERE RAND() < 0.5), ${ten} GROUP BY id`,
      ),
    ],
    [
      'of HAVING meets every row of a join',
      isTrue(
        'LOGICAL_AND(n = 400)',
        `SELECT g.project, COUNT(*) AS n FROM (SELECT project, COUNT(*) AS c FROM ${logs} GROUP BY project HAVING RAND() < 0.9) AS g JOIN ${logs} AS l ON l.project = g.project GROUP BY 1`,
      ),
    ],
    [
      'is counted by windows before it',
      isTrue(
        'COUNT(*) > 100 AND LOGICAL_AND(c = 400)',
        `SELECT c FROM (SELECT COUNT(*) OVER (PARTITION BY project) AS c FROM ${logs}) WHERE RAND() < 0.5`,
      ),
    ],
    [
      'is counted by windows behind it',
      isTrue(
        'COUNT(*) > 100 AND COUNT(*) = MAX(c)',
        `SELECT COUNT(*) OVER () AS c FROM (SELECT id FROM ${logs} WHERE RAND() < 0.5)`,
      ),
    ],
    [
      'is in no difference with itself',
      isTrue(
        'COUNT(*) = 0',
        `SELECT id FROM (SELECT id FROM logs EXCEPT DISTINCT SELECT id FROM logs) WHERE RAND() < 0.5`,
      ),
    ],
  ])('%s', async (_, sql) => {
    expect(await dialect.query(sql)).toEqual([[true]]);
  });
});

describe('a subquery draws for each row, also for rows with equal values', () => {
  test.each([
    [
      'a value',
      isTrue('COUNT(DISTINCT x) = 4000', `SELECT (SELECT RAND() FROM UNNEST([project])) AS x FROM ${logs}`),
    ],
    [
      'an array',
      isTrue(
        'COUNT(DISTINCT x) = 5',
        `SELECT ARRAY_TO_STRING(ARRAY(SELECT CAST(o AS STRING) FROM projects AS p, UNNEST([1]) AS one WHERE p.project = l.project AND RAND() < 0.5 ORDER BY 1), '') AS x FROM (SELECT project, 1 AS o FROM ${logs}) AS l`,
      ),
    ],
    [
      'EXISTS',
      isTrue(
        'COUNT(DISTINCT project) = 10 AND COUNT(*) BETWEEN 3500 AND 3950',
        `SELECT project FROM ${logs} AS l WHERE EXISTS (SELECT 1 FROM projects AS p WHERE p.project = l.project AND RAND() < 0.5)`,
      ),
    ],
    [
      'an array of FROM',
      isTrue(
        'COUNT(DISTINCT n) = 6',
        `SELECT id, COUNT(*) AS n FROM ${logs}, UNNEST(GENERATE_ARRAY(1, CAST(1 + RAND() * 5 AS INT64))) GROUP BY id`,
      ),
    ],
    [
      'an array of FROM with offsets',
      isTrue(
        'COUNT(*) > 0 AND LOGICAL_AND(e = o)',
        'SELECT e, o FROM UNNEST(GENERATE_ARRAY(0, CAST(1 + RAND() * 500 AS INT64))) AS e WITH OFFSET AS o',
      ),
    ],
  ])('%s', async (_, sql) => {
    expect(await dialect.query(sql)).toEqual([[true]]);
  });
});

describe('a random operand is drawn once', () => {
  const bit = 'CAST(FLOOR(RAND() * 2) AS INT64)';
  test.each([
    `CASE ${bit} WHEN 0 THEN TRUE WHEN 1 THEN TRUE END`,
    `CASE ${bit} WHEN 0 THEN TRUE WHEN (SELECT 1) THEN (SELECT TRUE) END`,
    `IFNULL(NULLIF(${bit}, 0), 1) = 1`,
    `${bit} IN (0, 1)`,
    `NOT (${bit} NOT IN (0, 1))`,
    `${bit} BETWEEN 0 AND 1`,
    `CAST(${bit} AS FLOAT64) IN (0.0, id * 0 + 1.0)`,
    `CAST(${bit} AS FLOAT64) IN (SELECT CAST(x AS FLOAT64) FROM UNNEST([0, 1]) AS x)`,
    `CAST(${bit} AS FLOAT64) BETWEEN 0.0 AND 1.0`,
    `CAST(${bit} AS STRING) LIKE ANY ('0', '1')`,
    `CAST(${bit} AS STRING) LIKE ANY (SELECT x FROM UNNEST(['0', '1']) AS x)`,
    `STRUCT(${bit} AS a, 1 AS b) IN ((0, 1), (1, 1))`,
    `GREATEST(RAND(), 0.5) >= 0.5 AND LEAST(RAND(), 0.5) <= 0.5`,
    `LPAD(CAST(${bit} AS STRING), 2, CAST(${bit} AS STRING)) IN ('00', '01', '10', '11')`,
    `SPLIT(IF(RAND() < 0.5, b'a,b', b'c'), b',')[OFFSET(0)] IN (b'a', b'c')`,
    `SAFE.SUBSTR('ab', 1 + ${bit}, 1) IN ('a', 'b')`,
    `DATE_ADD(DATE '2024-01-31', INTERVAL ${bit} MONTH) IN ('2024-01-31', '2024-02-29')`,
  ])('%s', async (condition) => {
    const rows = `SELECT id FROM logs WHERE id >= 10 AND`;
    expect(await dialect.query(`SELECT COUNT(*) FROM (${rows} (${condition}))`)).toEqual([['4000']]);
    expect(await dialect.query(`SELECT COUNTIF(${condition}) FROM ${logs}`)).toEqual([['4000']]);
  });

  test.each([
    [
      'by the body of a function',
      `CREATE TEMP FUNCTION f(x FLOAT64) AS (IF(x < 0.5, x, 1 - x)); SELECT LOGICAL_AND(f(RAND()) <= 0.5) FROM ${logs}`,
    ],
    [
      'by JavaScript',
      `CREATE TEMP FUNCTION bit() RETURNS INT64 LANGUAGE js AS "return Math.random() < 0.5 ? 0 : 1"; SELECT LOGICAL_AND(CASE bit() WHEN 0 THEN TRUE WHEN 1 THEN TRUE ELSE FALSE END) FROM ${logs}`,
    ],
    [
      'with a subquery, for the clauses that name it',
      `SELECT LOGICAL_AND(r < 0.5) AND COUNT(*) > 0 FROM (SELECT (SELECT MIN(RAND()) FROM UNNEST([id])) AS r, id FROM ${logs} WHERE TRUE QUALIFY r < 0.5 AND COUNT(*) OVER () > 0 ORDER BY r + 1)`,
    ],
    [
      'for the clauses that name it',
      `SELECT LOGICAL_AND(r < 0.5) AND COUNT(*) > 0 FROM (SELECT RAND() AS r, ROW_NUMBER() OVER (ORDER BY id) AS n FROM ${logs} WHERE TRUE QUALIFY r < 0.5 AND n > 0)`,
    ],
  ])('%s', async (_, sql) => {
    expect(await dialect.query(sql)).toEqual([[true]]);
  });

  test.each([
    `SELECT SUM(RAND()) = SUM(RAND()) FROM ${logs}`,
    `SELECT LOGICAL_OR(a = b) FROM (FROM ${logs} |> EXTEND GENERATE_UUID() AS a, GENERATE_UUID() AS b |> WHERE a > '0')`,
    `SELECT LOGICAL_OR(a = b) FROM (FROM (SELECT 0.0 AS a, 1.0 AS b FROM ${logs}) |> SET a = RAND(), b = RAND() |> LIMIT 9)`,
    `SELECT LOGICAL_OR(a = b) FROM (FROM ${logs} |> EXTEND RAND() AS a |> EXTEND a AS b |> EXTEND a <> b AS c |> WHERE c)`,
  ])('and each draws its own: %s', async (sql) => {
    expect(await dialect.query(sql)).toEqual([[sql.includes(' AS c ') ? null : false]]);
  });
});

test('a common table is drawn once, also for a subquery that runs for each row', async () => {
  const counted = (tables: string, from: string) =>
    `WITH ${tables} SELECT COUNT(DISTINCT (SELECT MAX(r) FROM ${from} WHERE id > 0)) FROM ${logs}`;
  const drawn = 't AS (SELECT RAND() AS r FROM projects)';
  expect(await dialect.query(counted(drawn, 't'))).toEqual([['1']]);
  expect(await dialect.query(counted(`${drawn}, u AS (SELECT r FROM t)`, 'u'))).toEqual([['1']]);
});

test.each([
  ['the rows of a subquery', '(SELECT COUNTIF(x < y) FROM UNNEST([0.25, 0.5, 0.75]) AS y)', 'f(RAND())'],
  ['an aggregate of a subquery', '(SELECT COUNT(DISTINCT x) FROM UNNEST([1, 2]))', 'f(RAND())'],
  ['EXISTS', 'EXISTS (SELECT 1 FROM UNNEST([0.5]) AS y WHERE x < y)', 'f(RAND())'],
  ['an array', 'ARRAY(SELECT y FROM UNNEST([0.5]) AS y WHERE x < y)', 'f(id * 0 + RAND())'],
])('a function whose argument %s reads takes no random value: %s', (_, body, value) => {
  const sql = `CREATE TEMP FUNCTION f(x FLOAT64) AS (${body}); SELECT ${value} AS v FROM logs`;
  const problem =
    'a random value cannot be named beside a subquery or an aggregate: compute it in a subquery in FROM';
  expect(problemsOf(sql)).toEqual([expect.stringContaining(problem)]);
  expect(problemsOf(`SELECT WITH(x AS RAND(), ${body}) AS v`)).toEqual([`1:8 ${problem}`]);
  expect(problemsOf(sql.replace('RAND()', '(SELECT r FROM (SELECT 0.5 AS r))'))).toEqual([]);
});

test('a function whose argument is an array of FROM takes a random value in a query without FROM', async () => {
  const f = "CREATE TEMP FUNCTION f(x STRING) AS ((SELECT COUNT(*) FROM UNNEST(SPLIT(x, '-')) WITH OFFSET));";
  expect(await dialect.query(`${f} SELECT f(GENERATE_UUID())`)).toEqual([['5']]);
  expect(problemsOf(`${f} SELECT f(GENERATE_UUID()) FROM logs`)).toHaveLength(1);
  expect(problemsOf(`${f} SELECT (SELECT f(GENERATE_UUID())) FROM logs`)).toHaveLength(1);
});

test('a function whose argument a subquery reads takes a random column', async () => {
  const f =
    'CREATE TEMP FUNCTION f(x FLOAT64) AS ((SELECT COUNTIF(x < y) FROM UNNEST([0.25, 0.5, 0.75]) AS y))';
  const rows = `SELECT f(r) AS v FROM (SELECT RAND() AS r FROM ${logs})`;
  expect(
    await dialect.query(`${f}; SELECT COUNT(*) FROM (${rows.replace('f(r)', 'DISTINCT f(r)')})`),
  ).toEqual([['4']]);
});

test('a subject of CASE is written once, so that nested ones stay short', async () => {
  const nested = (depth: number): string => {
    if (depth === 0) return 'MOD(id, 8)';
    const whens = Array.from({ length: 8 }, (_, at) => `WHEN ${at} THEN ${(at + 1) % 8}`);
    return `CASE (${nested(depth - 1)}) ${whens.join(' ')} END`;
  };
  const { text } = await dialect.explain(`SELECT ${nested(6)} AS n FROM logs`);
  expect(text.length).toBeLessThan(5000);
  expect(await dialect.query(`SELECT ${nested(6)} AS n FROM logs WHERE id = 3`)).toEqual([['1']]);
});
