import { describe, expect, test } from 'vitest';
import { notInBigQuery, replacements } from '../src/rules/functions/replacements.ts';
import { functionNames } from '../src/syntax.ts';
import { problemsOf } from './harness.ts';

describe('a function that BigQuery has not is refused, with what is written instead', () => {
  test.each([...replacements.keys()].map((name) => name.toUpperCase()))('%s', (name) => {
    const [problem, another] = problemsOf(`SELECT\n  ${name}(id) FROM logs`);
    expect(problem).toMatch(`2:3 the function ${name} is not one of BigQuery: write `);
    expect(another).toBeUndefined();
  });

  test.each(['SAFE.ARRAY_SUM([1])', 'array_Includes([1], 1)'])('%s', (call) => {
    expect(problemsOf(`SELECT ${call}`)[0]).toContain('is not one of BigQuery: write ');
  });

  test('a temporary function may have such a name', () => {
    expect(problemsOf('CREATE TEMP FUNCTION pi() AS (3); SELECT PI()')).toEqual([]);
  });

  test('none of them is listed as a function of BigQuery', () => {
    expect([...replacements.keys()].filter((name) => functionNames.has(name))).toEqual([]);
  });
});

test.each(notInBigQuery.map((name) => [name.toUpperCase(), replacements.get(name) ?? '']))(
  'what is written instead of %s is SQL that runs',
  (_, instead) => {
    // A name alone takes the same arguments.
    if (/^\w+$/.test(instead)) return expect(functionNames).toContain(instead.toLowerCase());
    const expression = instead
      .replaceAll('SAFE.function(…)', 'SAFE.LEFT(text, -1)')
      .replaceAll('otherwise', 'text')
      .replaceAll('condition', 'TRUE')
      .replaceAll('item.field', '[item]');
    const names = `SELECT [1.0] AS items, [1.0] AS a, [1.0] AS b, [1.0] AS values, 1 AS n, 1.0 AS value, 'a' AS text,
      'a' AS delimiter, 0 AS i, 1 AS expression, JSON '[1]' AS json, CURRENT_DATE() AS later, CURRENT_DATE() AS earlier`;
    expect(problemsOf(`SELECT ${expression} AS x FROM (${names})`)).toEqual([]);
  },
);

describe('what cannot be compared in BigQuery is refused', () => {
  test.each([
    ['SELECT [1] = [1]', '1:8 ARRAY<INT64> cannot be compared with =: compare TO_JSON_STRING(value)'],
    ['SELECT STRUCT([1]) IN (STRUCT([1]))', 'ARRAY<INT64> cannot be compared with ='],
    ['SELECT NULLIF([1], [2])', 'ARRAY<INT64> cannot be compared with ='],
    ['SELECT CASE [1] WHEN [1] THEN 1 END', 'ARRAY<INT64> cannot be compared with ='],
    ['SELECT (1, 2) IS DISTINCT FROM (1, 2)', 'cannot be compared with IS DISTINCT FROM'],
    ['SELECT MAX(x) FROM (SELECT [1] AS x)', 'MAX does not take (ARRAY<INT64>)'],
    ['SELECT MAX_BY(id, [id]) FROM logs', 'MAX_BY does not compare ARRAY<INT64>'],
    ['SELECT GREATEST([1], [2])', 'GREATEST does not take ARRAY<INT64>'],
    [
      'SELECT COUNT(DISTINCT (id, project)) FROM logs',
      'COUNT(DISTINCT …) does not take STRUCT<INT64, STRING>: write TO_JSON_STRING(value)',
    ],
    [
      'SELECT ARRAY_AGG(DISTINCT x) FROM (SELECT [1] AS x)',
      'ARRAY_AGG(DISTINCT …) does not take ARRAY<INT64>',
    ],
    [
      'SELECT COUNT(*) OVER (PARTITION BY (id, project)) FROM logs',
      'PARTITION BY does not take STRUCT<INT64, STRING>: write TO_JSON_STRING(value)',
    ],
    [
      'SELECT COUNT(*) OVER (PARTITION BY 1.5) FROM logs',
      'PARTITION BY does not take FLOAT64: CAST it AS STRING',
    ],
    ['SELECT [1] AS x UNION DISTINCT SELECT [2]', 'UNION DISTINCT does not take ARRAY<INT64>'],
    ['SELECT ARRAY_AGG(id ORDER BY 1) FROM logs', '1:30 in ARRAY_AGG, ORDER BY does not take a position'],
    ['SELECT STRING_AGG(project ORDER BY id, (NULL)) FROM logs', 'in STRING_AGG, ORDER BY does not take'],
    ['SELECT APPROX_COUNT_DISTINCT((id, id)) FROM logs', 'APPROX_COUNT_DISTINCT does not take (STRUCT'],
  ])('%s', (sql, problem) => {
    expect(problemsOf(sql)[0]).toContain(problem);
  });

  test.each([
    'SELECT STRUCT(1 AS a) = STRUCT(1 AS b)',
    'SELECT ARRAY_AGG(id ORDER BY 1 + 1) FROM logs',
    'SELECT (1, 2) IN UNNEST([(1, 2)])',
    'SELECT x FROM (SELECT [1] AS x) GROUP BY x',
    'SELECT DISTINCT x FROM (SELECT STRUCT([1] AS y) AS x)',
    "SELECT RANGE<DATE> '[2026-01-01, UNBOUNDED)' < RANGE<DATE> '[2026-01-02, UNBOUNDED)'",
  ])('%s is not', (sql) => {
    expect(problemsOf(sql)).toEqual([]);
  });
});

test.each([
  ['SELECT id FROM logs LIMIT (SELECT 1)', '1:27 LIMIT takes a literal or a parameter, and no subquery'],
  ['SELECT id FROM logs LIMIT 1 OFFSET CAST((SELECT 1) AS INT64)', '1:36 OFFSET takes a literal'],
  ["SELECT BIGNUMERIC '1,5'", '1:8 invalid BIGNUMERIC literal: 1,5'],
  ["SELECT BIGNUMERIC ' -1.5e3 '", undefined],
  ['SELECT WITH(a AS 1, A AS a * 10, a)', '1:21 WITH names A twice'],
  ["SELECT JSON_VALUE(JSON '{}', '$.' || project) FROM logs", '1:30 a JSONPath is a literal or a parameter'],
  ["SELECT JSON_QUERY('{}', (SELECT '$')) FROM logs, logs AS l", undefined],
  ["SELECT JSON_EXTRACT_ARRAY('[]', MAX(project)) FROM logs", '1:33 a JSONPath is a literal or a parameter'],
  [
    "SELECT * FROM (SELECT id, project, JSON '1' AS j FROM logs) PIVOT (SUM(id) FOR project IN ('a'))",
    '1:61 PIVOT groups by j, and does not take JSON: SELECT the other columns before',
  ],
  [
    "SELECT * FROM (SELECT id, project, STRUCT(JSON '1' AS x) AS j FROM logs) PIVOT (SUM(id) FOR project IN ('a'))",
    'PIVOT groups by j, and does not take STRUCT<x JSON>',
  ],
  ["SELECT * FROM (SELECT id, project, [1] AS j FROM logs) PIVOT (SUM(id) FOR project IN ('a'))", undefined],
  [
    'CREATE TEMP FUNCTION f(x INT64) AS (x); SELECT SAFE.f(id) FROM logs',
    '1:48 SAFE. takes no function of the query, and f is one',
  ],
])('what ran here and fails in BigQuery is refused: %s', (sql, problem) => {
  expect(problemsOf(sql)).toEqual(problem === undefined ? [] : [expect.stringContaining(problem)]);
});

describe('a bucket of another type is refused, with the function for it', () => {
  const values = {
    DATE: "DATE '2024-02-29'",
    DATETIME: "DATETIME '2024-02-29 10:00:00'",
    TIMESTAMP: "TIMESTAMP '2024-02-29 10:00:00+00'",
  };
  const types = Object.keys(values) as (keyof typeof values)[];
  test.each(types.flatMap((own) => types.map((type) => [own, type] as const)))(
    '%s_BUCKET of %s',
    (own, type) => {
      const expected =
        own === type ? [] : [`1:8 ${own}_BUCKET takes a ${own}: write ${type}_BUCKET for a ${type}`];
      for (const origin of ['', `, ${values[type]}`])
        expect(problemsOf(`SELECT ${own}_BUCKET(${values[type]}, INTERVAL 1 DAY${origin})`)).toEqual(
          expected,
        );
    },
  );

  test.each(types)('a text and a NULL are of the type of %s_BUCKET', (own) => {
    for (const value of ["'2024-02-29'", 'NULL'])
      expect(problemsOf(`SELECT ${own}_BUCKET(${value}, INTERVAL 1 DAY)`)).toEqual([]);
  });
});
