import { describe, expect, test } from 'vitest';
import { problemsOf } from './harness.ts';

describe('what follows from one unknown name is not reported', () => {
  test.each([
    [
      'WITH a AS (SELECT prject FROM logs) SELECT COUNTIF(project > "1") AS n FROM a',
      'prject; did you mean project?',
    ],
    ['WITH a AS (SELECT prject FROM logs) SELECT project, COUNT(*) FROM a GROUP BY project', 'prject'],
    ['WITH a AS (SELECT prject FROM logs), b AS (SELECT project FROM a) SELECT b.project FROM b', 'prject'],
    ['WITH a AS (SELECT prject FROM logs) SELECT project FROM a UNION ALL SELECT project FROM a', 'prject'],
    ['WITH a AS (SELECT prject FROM logs) SELECT * FROM a JOIN projects USING (project)', 'prject'],
    ['SELECT project FROM (SELECT l.prject FROM logs AS l) ORDER BY project', 'prject'],
    ['SELECT prject FROM logs ORDER BY project', 'prject'],
    ['SELECT prject, COUNT(*) FROM logs GROUP BY ALL', 'prject'],
    ['SELECT project, COUNT(*) FROM logs GROUP BY prject', 'prject'],
    ['SELECT project, COUNT(*) AS n FROM logs GROUP BY prject HAVING n > 1 ORDER BY project', 'prject'],
    ['SELECT s.project FROM (SELECT STRUCT(prject, id) AS s FROM logs)', 'prject'],
    ['SELECT x.project FROM (SELECT AS STRUCT prject FROM logs) AS x', 'prject'],
    ['SELECT FIRST_VALUE(prject) OVER (ORDER BY id) FROM logs', 'prject'],
    ['SELECT SUM(id) OVER (ORDER BY id ROWS prject PRECEDING) FROM logs', 'prject'],
    ["SELECT a FROM (SELECT id, project FROM logs) PIVOT (SUM(idd) FOR project IN ('a'))", 'idd'],
    ['SELECT * EXCEPT (prject), id + 1 AS x FROM logs', 'prject'],
    ['WITH a AS (SELECT * EXCEPT (prject) FROM logs) SELECT id FROM a', 'prject'],
    ['WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT m + 1 FROM a WHERE n < 3) SELECT n FROM a', 'm'],
    ['FROM logs |> EXTEND prject |> WHERE project = "a" |> SELECT id', 'prject'],
    ['FROM logs |> AGGREGATE COUNT(*) AS n GROUP BY prject |> SELECT project, n', 'prject'],
    ['CREATE TEMP FUNCTION f(x INT64) AS (y + 1); SELECT f(1), f(2)', 'y'],
  ])('%s', (sql, name) => {
    const [problem, another] = problemsOf(sql);
    expect(problem).toContain(`no column is named ${name}`);
    expect(another).toBeUndefined();
  });

  test.each([
    [
      "CREATE TEMP FUNCTION g() RETURNS INT64 LANGUAGE js AS 'return 1'; CREATE TEMP FUNCTION f() RETURNS INT64 LANGUAGE python AS 'x'; SELECT f() + g(), f() > 'a'",
      'functions in python are not supported, only in SQL and js',
    ],
    [
      "CREATE TEMP FUNCTION f(a INT64) RETURNS INT64 LANGUAGE js OPTIONS (library = 'gs://b/l.js') AS 'return 1'; CREATE TEMP FUNCTION g() AS (f(2)); SELECT g(), f(1)",
      'OPTIONS (library = …) is not supported: write the code of the library into the function',
    ],
    [
      "CREATE TEMP FUNCTION f() RETURNS INT64 LANGUAGE python AS 'x'; SELECT 1",
      'functions in python are not supported, only in SQL and js',
    ],
  ])('%s', (sql, message) => {
    expect(problemsOf(sql)).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    'SELECT FIRST_VALUE(x) OVER (ORDER BY y) FROM missing',
    'SELECT m.x, a FROM missing AS m, m.list AS a WITH OFFSET AS o',
    'SELECT t + INTERVAL 1 DAY + 2 FROM missing',
    'SELECT a.avg, COUNT(*) FROM (SELECT AVG(x) AS avg, y FROM missing GROUP BY y) AS a GROUP BY a.y, a.avg',
    'SELECT a, b FROM missing PIVOT (SUM(n) FOR k IN (1 AS a, 2 AS b)) ORDER BY c',
    'FROM missing |> WHERE x > 1 |> AGGREGATE SUM(n) AS n GROUP BY y |> ORDER BY n',
    'SELECT y FROM (FROM missing |> WHERE x > 1)',
    "SELECT * FROM GAP_FILL((SELECT t FROM missing), 't', INTERVAL 1 DAY)",
    'SELECT * FROM missing JOIN logs USING (id) WHERE missing.x = logs.project',
  ])('%s', (sql) => {
    const [problem, another] = problemsOf(sql);
    expect(problem).toContain('no table is named missing');
    expect(another).toBeUndefined();
  });

  test.each([
    'SELECT foo(id) AS s FROM logs HAVING s > 1',
    "SELECT * FROM (SELECT id, project FROM logs) PIVOT (foo(id) FOR project IN ('a'))",
    'SELECT SUM(foo(id)) + 1 FROM logs',
    'WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT foo(n) FROM a) SELECT n FROM a',
  ])('%s', (sql) => {
    expect(problemsOf(sql)[0]).toContain('the function FOO is not supported');
  });

  test('a parameter of an aggregate function that is not in an aggregate is named', () => {
    expect(
      problemsOf('CREATE TEMP AGGREGATE FUNCTION f(x INT64) AS (SUM(x) + x); SELECT f(id) FROM logs'),
    ).toEqual(['1:56 x is not in an aggregate function: put it in one, or declare it NOT AGGREGATE']);
  });

  test.each([
    ['g GEOGRAPHY', '1'],
    ['p FOO', '1'],
    ['d DATE, format STRING', 'FORMAT_DATE(format, d)'],
    ['x INT64', '(SELECT MAX(b) FROM t WHERE b < x)'],
  ])('a function of %s that is not called has none', (parameters, body) => {
    const before = 'CREATE TEMP TABLE t AS SELECT 1 AS b;';
    expect(problemsOf(`${before} CREATE TEMP FUNCTION f(${parameters}) AS (${body}); SELECT 1`)).toEqual([]);
  });

  test('what has another cause is', () => {
    expect(problemsOf('WITH a AS (SELECT prject AS p, id FROM logs) SELECT p, idd FROM a')).toEqual([
      '1:19 no column is named prject; did you mean project?',
      '1:56 no column is named idd; did you mean id?',
    ]);
  });
});

describe('a time zone that does not exist is refused with the nearest one', () => {
  test.each([
    [
      "DATETIME(timestamp, 'Europe/Berlinn')",
      '1:28 there is no time zone Europe/Berlinn; did you mean Europe/Berlin?',
    ],
    ["TIMESTAMP('2026-01-01', 'Berlin')", 'did you mean Europe/Berlin?'],
    ["DATE(timestamp, 'utc')", 'there is no time zone utc; did you mean UTC?'],
    ["TIME(timestamp, 'Asia/Kolkatta')", 'did you mean Asia/Kolkata?'],
    ["STRING(timestamp, 'PST')", 'there is no time zone PST; write one as Europe/Berlin, or as +05:30'],
    ["CURRENT_DATE('Europ/Rome')", 'did you mean Europe/Rome?'],
    ["FORMAT_TIMESTAMP('%F', timestamp, 'Amerika/New_York')", 'did you mean America/New_York?'],
    ["PARSE_TIMESTAMP('%F', project, 'Asia/Tokio')", 'did you mean Asia/Tokyo?'],
    ["EXTRACT(DAY FROM timestamp AT TIME ZONE 'Europe/Zurch')", 'did you mean Europe/Zurich?'],
    ["TIMESTAMP_TRUNC(timestamp, DAY, '+15')", 'there is no time zone +15'],
    ["CAST(timestamp AS STRING FORMAT 'YYYY' AT TIME ZONE 'GMT+1')", 'there is no time zone GMT+1'],
    ["TIMESTAMP '2026-01-01 00:00:00 Europe/Berlinn'", '1:8 there is no time zone Europe/Berlinn'],
    ["TIMESTAMP('2026-01-01 00:00:00 Europe/Berlinn')", 'did you mean Europe/Berlin?'],
    ["CAST('2026-01-01 00:00:00 Europe/Berlinn' AS TIMESTAMP)", 'did you mean Europe/Berlin?'],
    ["timestamp > '2026-01-01 00:00:00 Europe/Berlinn'", 'did you mean Europe/Berlin?'],
  ])('%s', (expression, problem) => {
    const [first, another] = problemsOf(`SELECT ${expression} FROM logs`);
    expect(first).toContain(problem);
    expect(another).toBeUndefined();
  });

  test.each([
    ...['+5:30', '-12:59', '+0530', '+5', 'UTC+1', 'UTC-03:00', 'UTC', 'GB', 'EST', 'PST8PDT', 'Etc/GMT+1'],
    ...['US/Pacific', 'Asia/Calcutta', 'Asia/Kolkata', 'Europe/Kyiv', 'America/Argentina/Buenos_Aires'],
  ])('%s exists', (zone) => {
    expect(problemsOf(`SELECT DATETIME(timestamp, '${zone}') FROM logs`)).toEqual([]);
  });

  test.each([
    "SAFE.TIMESTAMP('2026-01-01', 'X/Y')",
    "SAFE_CAST('2026-01-01 00:00:00 X/Y' AS TIMESTAMP)",
    "TIMESTAMP '2026-01-01 00:00:00 UTC+1'",
    "TIMESTAMP '2026-01-01T00:00:00Z'",
    'DATETIME(timestamp, @zone)',
  ])('%s is not refused', (expression) => {
    expect(problemsOf(`SELECT ${expression} AS x FROM logs`)).toEqual([]);
  });
});

describe('a message says what was meant', () => {
  test.each([
    [
      'SELECT SUM(x) FROM (SELECT 1 AS x) AS x',
      '1:12 x is the whole row of the table: write x.x, or give the table another alias',
    ],
    ['SELECT x + 1 FROM (SELECT 1 AS x) AS x', 'x is the whole row of the table'],
    ['SELECT 1 FROM (SELECT 1 AS x) AS x WHERE x = 1', 'x is the whole row of the table'],
    ['SELECT 1 FROM (SELECT 1 AS x) AS x ORDER BY x', 'x is the whole row of the table'],
    [
      'SELECT 1 FROM logs, metadata',
      '1:21 metadata is an array of logs: write logs.metadata, or UNNEST(metadata)',
    ],
    ['SELECT 1 FROM `p.d.__TABLES__`', '__TABLES__ is not supported'],
    [
      'SELECT DATE_DIFF(WEEK, day, day) FROM logs',
      'WEEK is a date part: DATE_DIFF takes (later, earlier, PART)',
    ],
    ['SELECT DATE_DIFF(DAY, CURRENT_DATE(), CURRENT_DATE())', 'DATE_DIFF takes (later, earlier, PART)'],
    ['SELECT DATE_TRUNC(MONTH, CURRENT_DATE())', 'DATE_TRUNC takes (value, PART), with a PART such as MONTH'],
    ['SELECT DATE_ADD(INTERVAL 1 DAY, CURRENT_DATE())', 'DATE_ADD takes (value, INTERVAL number PART)'],
    [
      'SELECT id FROM logs WINDOW w AS (ORDER BY id) QUALIFY ROW_NUMBER() OVER w = 1',
      'found "QUALIFY": QUALIFY comes before WINDOW',
    ],
    ['SELECT id FROM logs ORDER BY id WHERE id > 1', 'WHERE comes before ORDER BY'],
    ['SELECT id FROM logs HAVING id > 1 GROUP BY id', 'GROUP BY comes before HAVING'],
    ['SELECT id FROM logs WHERE id > 1 WHERE id < 3', 'there is one WHERE already'],
    ['SELECT id FROM (SELECT id FROM logs LIMIT 1) LIMIT 1 ORDER BY id', 'ORDER BY comes before LIMIT'],
    ['SELECT CNT(*) FROM logs', 'did you mean COUNT?'],
  ])('%s', (sql, problem) => {
    expect(problemsOf(sql)[0]).toContain(problem);
  });
});

describe('a date part in another place, or in quotes, is said with how the function is called', () => {
  const trunc = 'DATE_TRUNC takes (value, PART), with a PART such as HOUR';
  const diff = 'DATE_DIFF takes (later, earlier, PART), with a PART such as DAY';
  test.each([
    ["DATE_TRUNC('hour', timestamp)", `1:19 'hour' is a date part: ${trunc}, without quotes`],
    ["SAFE.DATE_TRUNC('hour', timestamp)", `'hour' is a date part: ${trunc}, without quotes`],
    ["DATE_TRUNC('Hours', CURRENT_TIMESTAMP())", `'Hours' is a date part: ${trunc}, without quotes`],
    ["DATE_TRUNC(timestamp, 'hour')", `${trunc}, without quotes`],
    ['DATE_TRUNC(hour, timestamp)', `hour is a date part: ${trunc}`],
    ['DATE_TRUNC(project, timestamp)', 'timestamp is a column: DATE_TRUNC takes (value, PART)'],
    ['DATE_TRUNC(timestamp, project)', 'project is a column: DATE_TRUNC takes (value, PART)'],
    ['DATE_TRUNC(timestamp, hours)', 'DATE_TRUNC does not support HOURS; did you mean HOUR?'],
    ['DATE_TRUNC(INTERVAL 1 HOUR, timestamp)', 'timestamp is a column: DATE_TRUNC takes (value, PART)'],
    ["TIMESTAMP_TRUNC('day', timestamp)", "'day' is a date part: TIMESTAMP_TRUNC takes (value, PART)"],
    ["LAST_DAY('month', CURRENT_DATE())", "'month' is a date part: LAST_DAY takes (value, PART)"],
    ["DATE_DIFF('day', timestamp, timestamp)", `'day' is a date part: ${diff}, without quotes`],
    ["TIMESTAMP_DIFF(timestamp, timestamp, 'hour')", 'with a PART such as HOUR, without quotes'],
    ['TIMESTAMP_DIFF(timestamp, timestamp)', 'TIMESTAMP_DIFF takes (later, earlier, PART)'],
    [
      "DATE_ADD('day', 1, timestamp)",
      "'day' is a date part: DATE_ADD takes (value, INTERVAL number PART), as in INTERVAL 1 DAY",
    ],
    ['DATE_ADD(timestamp, 1, hour)', 'hour is a date part: DATE_ADD takes (value, INTERVAL number PART)'],
    ["TIMESTAMP_SUB(timestamp, '2 hours')", 'INTERVAL number PART), as in INTERVAL 1 HOUR'],
    ["NORMALIZE('NFC', project)", 'project is a column: NORMALIZE takes (text, MODE)'],
    ["DATE_PART('hour', timestamp)", 'write EXTRACT(part FROM value)'],
    ['HOUR(timestamp)', 'write EXTRACT(HOUR FROM value)'],
    ["EXTRACT('hour' FROM timestamp)", 'expected a part such as DAY, without quotes, found a string'],
    ["FORMAT_TIMESTAMP(timestamp, '%F')", 'the format of FORMAT_TIMESTAMP, its first argument, must be'],
    ["PARSE_DATE(project, '%F')", 'the format of PARSE_DATE, its first argument, must be'],
  ])('%s', (expression, message) => {
    const [problem, another] = problemsOf(`SELECT ${expression} FROM logs`);
    expect(problem).toContain(message);
    expect(another).toBeUndefined();
  });

  test('a text that is no part of the call is a value', () => {
    expect(problemsOf("SELECT NORMALIZE('day', NFC), NORMALIZE('hour')")).toEqual([]);
  });
});
