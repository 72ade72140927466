import { describe, expect, test } from 'vitest';
import { problemsOf } from './harness.ts';

describe('unsupported syntax is reported with its position', () => {
  test.each([
    ['SELECT read_csv(id) FROM logs', '1:8 the function READ_CSV is not supported'],
    ['SELECT pg_sleep(1)', '1:8 the function PG_SLEEP is not supported'],
    ['SELECT AVG(project) FROM logs', '1:8 AVG does not take (STRING)'],
    ["SELECT CAST(DATE '2024-01-01' AS TIME)", '1:8 cannot cast DATE to TIME'],
    ["SELECT SAFE_CAST(DATE '2024-01-01' AS TIME)", '1:8 cannot cast DATE to TIME'],
    [
      'SELECT TIME(project) FROM logs',
      '1:8 TIME does not take (STRING); it takes (TIMESTAMP), (DATETIME), (TIME)',
    ],
    ['SELECT * EXCEPT (id) REPLACE (1 AS ID) FROM logs', '1:36 EXCEPT leaves out ID, which REPLACE names'],
    ['SELECT SUM(id) OVER w FROM logs WINDOW w AS (ORDER BY id), W AS ()', '1:60 WINDOW names W twice'],
    [
      "SELECT PERCENTILE_CONT(x, 0.5) OVER () FROM (SELECT BIGNUMERIC '1' AS x)",
      '1:8 PERCENTILE_CONT of BIGNUMERIC is not supported: CAST it AS FLOAT64',
    ],
    ["SELECT PARSE_DATE('%Y %U %A', '2024 10 Monday')", '1:8 %A is not supported in this format'],
    ["SELECT PARSE_DATETIME('%w/%W/%Y', '1/10/2024')", '1:8 %w is not supported in this format'],
    ['SELECT NOW()', '1:8 the function NOW is not one of BigQuery: write CURRENT_TIMESTAMP()'],
    ['SELECT logs.id FROM logs AS l', '1:8 no column is named logs; FROM has l'],
    [
      'SELECT COUNT(*) AS n FROM logs WHERE n > 1',
      '1:38 no column is named n: WHERE comes before SELECT, which gives that name; write the expression here, or the condition in HAVING or QUALIFY',
    ],
    ["SELECT 1 LIKE 'a'", '1:8 LIKE does not take (INT64, STRING): CAST what is not a STRING AS STRING'],
    [
      'SELECT * FROM ML.PREDICT(MODEL m, TABLE logs)',
      '1:15 the table function ML.PREDICT is not supported: save its rows in a table that the query reads',
    ],
    ["SELECT DATE '2026-02-29'", "1:8 invalid DATE literal: 2026-02-29; write it as in '2026-01-31'"],
    [
      "SELECT DATETIME '2026-1-1 24:60:00'",
      "1:8 invalid DATETIME literal: 2026-1-1 24:60:00; write it as in '2026-01-31 12:00:00'",
    ],
    ["SELECT TIME 'noon'", "1:8 invalid TIME literal: noon; write it as in '12:00:00'"],
    ["SELECT DATE '2026-1-1' < 'today'", "1:8 invalid DATE literal: today; write it as in '2026-01-31'"],
    [
      "SELECT DATE '2026-1-1' < '2026-1-1x'",
      "1:8 invalid DATE literal: 2026-1-1x; write it as in '2026-01-31'",
    ],
    [
      "SELECT DATE '2026-1-1' IN ('2026-01-02', 'today')",
      "1:42 invalid DATE literal: today; write it as in '2026-01-31'",
    ],
    [
      "SELECT TIMESTAMP '2026-1-1' NOT IN ('2026-01-02 12:00:00Z', '2026-02-30')",
      "1:61 invalid TIMESTAMP literal: 2026-02-30; write it as in '2026-01-31 12:00:00+00'",
    ],
    ['SELECT\n  nothing FROM logs', '2:3 no column is named nothing'],
    ['SELECT id FROM elsewhere', '1:16 no table is named elsewhere'],
    [
      'SELECT l.project FROM logs l JOIN projects p USING (project) WHERE id = "a"',
      '1:68 INT64 = STRING cannot be compared: CAST one',
    ],
    ['SELECT project FROM logs, projects', "1:8 project is ambiguous: qualify it with the table's name"],
    ['SELECT STRUCT(1 AS a, 2 AS A).a', '1:31 a is ambiguous: the STRUCT has several fields of this name'],
    [
      'SELECT a FROM UNNEST([STRUCT(1 AS a, 2 AS a)])',
      "1:8 a is ambiguous: qualify it with the table's name",
    ],
    [
      'SELECT metadata.level FROM logs',
      '1:17 cannot read level from an array: UNNEST it, or take one element with [OFFSET(0)]',
    ],
    ['SELECT m.nothing FROM logs t, t.metadata m', '1:10 no field is named nothing'],
    ['SELECT @current_timestamp', "1:8 a parameter can't be named current_timestamp"],
    ['SELECT @Querygate_constant_1', "1:8 a parameter can't be named Querygate_constant_1"],
    [
      'SELECT TIMESTAMP_TRUNC(timestamp, FORTNIGHT) FROM logs',
      '1:8 TIMESTAMP_TRUNC does not support FORTNIGHT',
    ],
    ['SELECT 1; SELECT 2', '1:11 expected the end of the query, which is one statement, found "SELECT"'],
    ['DROP TABLE logs', '1:1 expected a query, which only reads, found "DROP"'],
    ['SELECT 1 +', '1:11 expected an expression, found the end of the text'],
  ])('%s: %s', (sql, problem) => {
    expect(problemsOf(sql)).toEqual([problem]);
  });

  test('every problem is reported, with lines counted from the start of the query', () => {
    expect(problemsOf('SELECT foo(1),\n  bar(nothing)\nFROM logs', 10)).toEqual([
      '10:8 the function FOO is not supported',
      '11:3 the function BAR is not supported',
    ]);
  });
});

test('functions that call others repeatedly are refused before they grow exponentially', () => {
  const functions = Array.from({ length: 30 }, (_, at) => {
    const body = at === 0 ? 'x + x' : `f${at}(x) + f${at}(x)`;
    return `CREATE TEMP FUNCTION f${at + 1}(x INT64) AS (${body});`;
  });
  expect(problemsOf(`${functions.join('\n')}\nSELECT f30(1) AS y`)[0]).toContain('are more than 1000');
});
