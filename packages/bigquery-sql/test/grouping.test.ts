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
