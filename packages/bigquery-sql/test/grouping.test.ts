import { describe, expect, test } from 'vitest';
import { problemsOf } from './harness.ts';

const cure = (name: string) =>
  `${name} is neither grouped nor aggregated: GROUP BY it as well, or take ANY_VALUE(${name})`;
const wholeOnly = (name: string) =>
  `${name} is neither grouped nor aggregated: what GROUP BY computes of it can only be a whole column of the select list or item of ORDER BY. GROUP BY ${name} as well, take ANY_VALUE(${name}), or compute the expression in a subquery`;

describe('what is neither grouped nor aggregated is refused where it is written', () => {
  test.each([
    ['SELECT project, id FROM logs GROUP BY project', `1:17 ${cure('id')}`],
    ['SELECT project,\n  l.id + 1 FROM logs l GROUP BY 1', `2:3 ${cure('l.id')}`],
    ['SELECT id, COUNT(*) FROM logs', `1:8 ${cure('id')}`],
    ['SELECT COUNT(*) FROM logs ORDER BY id', `1:36 ${cure('id')}`],
    ['SELECT id FROM logs GROUP BY ALL HAVING LENGTH(project) > 1', `1:48 ${cure('project')}`],
    [
      'SELECT UPPER(project) AS u, LENGTH(UPPER(project)) FROM logs GROUP BY u',
      `1:42 ${wholeOnly('project')}`,
    ],
    [
      'SELECT UPPER(project) AS u FROM logs GROUP BY u ORDER BY UPPER(project), LENGTH(UPPER(project))',
      `1:87 ${wholeOnly('project')}`,
    ],
    [
      'SELECT DATE(timestamp) AS d, LAG(COUNT(*)) OVER (ORDER BY DATE(timestamp)) FROM logs GROUP BY d',
      `1:64 ${wholeOnly('timestamp')}`,
    ],
    [
      'SELECT RANK() OVER w FROM logs GROUP BY project WINDOW w AS (ORDER BY COUNT(*), id)',
      `1:81 ${cure('id')}`,
    ],
    [
      'SELECT project, (SELECT COUNT(*) FROM projects p WHERE LENGTH(p.project) > l.id) FROM logs l GROUP BY project',
      `1:76 ${cure('l.id')}`,
    ],
    ['SELECT m.level FROM logs l, l.metadata m GROUP BY m.request', `1:8 ${cure('m.level')}`],
    ['FROM logs |> AGGREGATE COUNT(*) + id GROUP BY project', `1:35 ${cure('id')}`],
    ['FROM logs |> AGGREGATE id GROUP BY project', `1:24 ${cure('id')}`],
    ['SELECT COUNT(*) FROM logs GROUP BY 1', '1:36 GROUP BY takes no aggregate or window function'],
    ['SELECT TO_JSON(project) AS j, COUNT(*) FROM logs GROUP BY ALL', '1:50 GROUP BY ALL does not take JSON'],
    [
      'SELECT [TO_JSON(project)] AS j, COUNT(*) FROM logs GROUP BY ALL',
      '1:52 GROUP BY ALL does not take ARRAY<JSON>',
    ],
    [
      'SELECT id + RAND() AS r FROM logs GROUP BY ALL',
      '1:35 GROUP BY ALL takes no random value beside columns',
    ],
    ["SELECT COUNT(*) FROM logs GROUP BY 'project'", '1:36 GROUP BY does not take a literal'],
    [
      'SELECT id AS a, project AS a FROM logs GROUP BY a',
      '1:49 a is ambiguous: several columns of the select list have this name',
    ],
    [
      'SELECT project FROM logs GROUP BY project HAVING RANK() OVER (ORDER BY project) = 1',
      '1:50 HAVING takes no window function: QUALIFY does',
    ],
    [
      'SELECT DISTINCT project FROM logs ORDER BY LENGTH(project), id',
      '1:61 with SELECT DISTINCT, ORDER BY takes columns of the select list only, and id is not one of them',
    ],
  ])('%s: %s', (sql, problem) => {
    expect(problemsOf(sql)).toEqual([problem]);
  });

  test.each([
    ['logs ORDER BY a + 1', 45],
    ['logs GROUP BY id HAVING a > 1', 55],
    ['logs WHERE TRUE QUALIFY RANK() OVER (ORDER BY a) > 1', 77],
    ['logs ORDER BY (SELECT a)', 53],
  ])('a name of two columns: FROM %s', (clauses, column) => {
    const message = 'a is ambiguous: several columns of the select list have this name';
    expect(problemsOf(`SELECT id AS a, -id AS a FROM ${clauses}`)).toEqual([`1:${column} ${message}`]);
  });

  test('each of them is reported', () => {
    expect(problemsOf('SELECT id, project || id AS p, COUNT(*)\nFROM logs\nORDER BY timestamp')).toEqual([
      `1:8 ${cure('id')}`,
      `1:12 ${cure('project')}`,
      `1:23 ${cure('id')}`,
      `3:10 ${cure('timestamp')}`,
    ]);
  });
});

describe('ORDER BY takes what GROUP BY computes', () => {
  test.each([
    'SELECT COUNT(*) FROM logs GROUP BY DATE(timestamp) ORDER BY DATE(timestamp) DESC',
    'SELECT MOD(id, 2) AS x, COUNT(*) FROM logs GROUP BY x ORDER BY MOD(id, 2)',
    'SELECT UPPER(project), COUNT(*) FROM logs GROUP BY ALL ORDER BY upper(logs.project)',
    'CREATE TEMP FUNCTION twice(x STRING) AS (CONCAT(x, x)); SELECT COUNT(*) FROM logs GROUP BY twice(UPPER(project)) ORDER BY twice(UPPER(project))',
  ])('%s', (sql) => {
    expect(problemsOf(sql)).toEqual([]);
  });
});

describe('an aggregate or window function is refused where values are computed row by row', () => {
  const unnest = 'UNNEST takes no aggregate or window function: compute it in a subquery';
  const where =
    'WHERE chooses rows before they are grouped: conditions on aggregate functions belong in HAVING';
  const inAggregate = 'an aggregate function takes no other one: compute the inner one in a subquery';
  const inWindow = 'a window function takes no other one: compute the inner one in a subquery';
  const body = 'only CREATE TEMP AGGREGATE FUNCTION defines a function with an aggregate function in it';
  const sum = 'CREATE TEMP AGGREGATE FUNCTION f(x INT64) AS (SUM(x)); ';

  test.each([
    ['SELECT x FROM logs, UNNEST([COUNT(*)]) AS x', `1:29 ${unnest}`],
    ['SELECT x FROM logs, UNNEST([ROW_NUMBER() OVER ()]) AS x', `1:29 ${unnest}`],
    ['SELECT (SELECT MAX(x) FROM UNNEST(ARRAY_AGG(l.id)) AS x) FROM logs AS l', `1:35 ${unnest}`],
    ['SELECT id FROM logs WHERE id > 1 AND COUNT(*) > 1', `1:38 ${where}`],
    ['SELECT id FROM logs WHERE WITH(n AS SUM(id), n > 1)', `1:37 ${where}`],
    ['SELECT (SELECT COUNT(*) FROM UNNEST([1]) AS o WHERE o = SUM(l.id)) FROM logs AS l', `1:57 ${where}`],
    [`${sum}SELECT id FROM logs WHERE f(id) = 5`, `1:82 ${where}`],
    [
      'SELECT id FROM logs WHERE ROW_NUMBER() OVER () = 1',
      '1:27 WHERE chooses rows before window functions are computed: conditions on them belong in QUALIFY',
    ],
    [
      'SELECT 1 FROM logs AS a JOIN logs AS b ON COUNT(*) > 1',
      '1:43 ON takes no aggregate or window function',
    ],
    ['SELECT 1 FROM logs AS a JOIN logs AS b ON RANK() OVER () > 1', '1:43 ON takes no aggregate or window'],
    [
      'SELECT * FROM logs PIVOT (SUM(id) FOR COUNT(*) IN (1))',
      '1:39 FOR takes no aggregate or window function',
    ],
    ['SELECT SUM(COUNT(*)) FROM logs', `1:12 ${inAggregate}`],
    ['SELECT ARRAY_AGG(id ORDER BY COUNT(*)) FROM logs', `1:30 ${inAggregate}`],
    ['SELECT ANY_VALUE(id HAVING MAX COUNT(*)) FROM logs', `1:32 ${inAggregate}`],
    ['SELECT COUNT(*) AS n FROM logs HAVING SUM(n) = 1', `1:43 ${inAggregate}`],
    [`${sum}SELECT f(SUM(id)) FROM logs`, `1:65 ${inAggregate}`],
    [`${sum}SELECT SUM(f(id)) FROM logs`, `1:67 ${inAggregate}`],
    ['SELECT COUNT(*) OVER (ORDER BY ROW_NUMBER() OVER ()) FROM logs', `1:32 ${inWindow}`],
    ['SELECT COUNT(*) OVER (PARTITION BY ROW_NUMBER() OVER ()) FROM logs', `1:36 ${inWindow}`],
    ['SELECT SUM(ROW_NUMBER() OVER ()) OVER () FROM logs', `1:12 ${inWindow}`],
    ['SELECT COUNT(*) OVER w FROM logs WINDOW w AS (ORDER BY COUNT(*) OVER ())', `1:56 ${inWindow}`],
    [
      'SELECT COUNT(*) OVER (ORDER BY id) AS n FROM logs QUALIFY RANK() OVER (ORDER BY n) = 1',
      `1:81 ${inWindow}`,
    ],
    ['CREATE TEMP FUNCTION f(x INT64) AS (SUM(x)); SELECT f(id) FROM logs', `1:37 ${body}`],
    [`${sum}CREATE TEMP FUNCTION g(x INT64) AS (f(x)); SELECT g(id) FROM logs`, `1:92 ${body}`],
    [
      'CREATE TEMP AGGREGATE FUNCTION f(x INT64) AS (SUM(x) OVER ()); SELECT f(id) FROM logs',
      '1:47 a function of a query takes no window function, except for one in a subquery',
    ],
    ['FROM logs |> SET id = COUNT(*)', '1:23 aggregates are computed by the pipe operator AGGREGATE'],
    [
      'FROM logs |> EXTEND SUM(COUNT(*)) OVER () AS n',
      '1:25 aggregates are computed by the pipe operator AGGREGATE',
    ],
  ])('%s', (sql, problem) => {
    expect(problemsOf(sql)).toEqual([expect.stringContaining(problem)]);
  });

  test.each([
    'SELECT project FROM logs GROUP BY project HAVING 1 IN UNNEST(ARRAY_AGG(id))',
    'SELECT SUM((SELECT SUM(x) FROM UNNEST([l.id]) AS x)) FROM logs AS l',
    'SELECT project, SUM(COUNT(*)) OVER (ORDER BY MAX(id)) FROM logs GROUP BY project',
    'SELECT COUNT(*) AS n FROM logs QUALIFY SUM(n) OVER () > 1',
    'SELECT id FROM logs WHERE id > (SELECT COUNT(*) FROM projects)',
    'CREATE TEMP FUNCTION f(x INT64) AS ((SELECT SUM(y) FROM UNNEST([x]) AS y)); SELECT SUM(f(id)) FROM logs',
    'FROM logs |> EXTEND SUM(id) OVER () AS n |> WHERE RANK() OVER (ORDER BY n) = 1',
  ])('%s is not', (sql) => {
    expect(problemsOf(sql)).toEqual([]);
  });
});

describe('AGGREGATE takes aggregates, by keys that have names', () => {
  const items = 'AGGREGATE takes aggregate functions and what is computed of them';
  const unnamed = 'a key of several sets needs a name: compute it in |> EXTEND before';
  test.each([
    ['1 AS one', `1:24 ${items}`],
    ['RAND() AS r', `1:24 ${items}`],
    ['COUNT(*) AS n, project GROUP BY project', `1:39 ${items}`],
    ['UPPER(project) AS u GROUP BY project', `1:24 ${items}`],
    ['CONCAT(project, COUNT(*)) AS n GROUP BY project', `1:24 ${items}`],
    ['COUNT(*) OVER () AS n GROUP BY project', '1:24 AGGREGATE takes no window function'],
    ['COUNT(*) AS n GROUP BY ROLLUP (UPPER(project))', `1:55 ${unnamed}`],
    ['COUNT(*) AS n GROUP BY UPPER(project), CUBE (id)', `1:47 ${unnamed}`],
    [
      'COUNT(*) AS n GROUP AND ORDER BY id, GROUPING SETS (project)',
      '1:61 GROUP AND ORDER BY takes expressions only: use |> ORDER BY',
    ],
  ])('%s is refused', (sql, problem) => {
    expect(problemsOf(`FROM logs |> AGGREGATE ${sql}`)).toEqual([expect.stringContaining(problem)]);
  });

  test.each([
    'COUNT(*) + 1 AS n, STRUCT(MAX(id) AS x, 1 AS y) AS s GROUP BY UPPER(project)',
    'GROUPING(project) AS g GROUP BY ROLLUP (project)',
    'WITH(n AS COUNT(*), n + 1) AS n GROUP BY project DESC, ROLLUP (id)',
    'GROUP BY project',
  ])('%s is not', (sql) => {
    expect(problemsOf(`FROM logs |> AGGREGATE ${sql}`)).toEqual([]);
  });
});
