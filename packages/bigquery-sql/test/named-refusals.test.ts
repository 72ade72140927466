import { describe, expect, test } from 'vitest';
import { compile } from '../src/index.ts';
import { problemsOf, tables } from './harness.ts';

describe('what BigQuery or another database has, and is not supported, is refused by its name', () => {
  test.each([
    ["SELECT id FROM logs ORDER BY project COLLATE 'de'", "COLLATE takes 'und:ci' or 'binary'"],
    ["SELECT 'a' COLLATE 'und:ci'", 'found "COLLATE": it belongs to ORDER BY'],
    ['SELECT KLL_QUANTILES.INIT(id) FROM logs', 'the function KLL_QUANTILES.INIT is not supported'],
    ['SELECT ST_DISTANCE(ST_GEOGPOINT(1, 2), ST_GEOGPOINT(1, 2))', 'ST_DISTANCE is not supported'],
    ["SELECT EXTRACT(YEAR FROM '2024-01-02')", "EXTRACT takes no text: write DATE '…'"],
    ["SELECT RANGE(DATE '2024-01-01', DATETIME '2024-01-02')", 'RANGE does not take (DATE, DATETIME)'],
    ["SELECT RANGE(DATE '2024-01-01', '2024-01-02')", 'RANGE does not take (DATE, STRING)'],
    ["SELECT TEXT_ANALYZE('a')", 'TEXT_ANALYZE is not supported: use SEARCH'],
    [
      'WITH a AS (SELECT 1) SELECT * FROM a FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP()',
      'FOR SYSTEM_TIME AS OF is of a table, and a is a query',
    ],
    ["SELECT * FROM logs FOR SYSTEM_TIME AS OF b'a'", 'FOR SYSTEM_TIME AS OF takes TIMESTAMP, not BYTES'],
    ['SELECT * FROM logs FOR SYSTEM_TIME AS OF NULL', 'FOR SYSTEM_TIME AS OF takes TIMESTAMP, not NULL'],
    [
      'SELECT * FROM projects AS p, logs FOR SYSTEM_TIME AS OF (SELECT MAX(timestamp) FROM logs)',
      'FOR SYSTEM_TIME AS OF takes literals, parameters and functions of them',
    ],
    ["SELECT * FROM (SELECT 1) FOR SYSTEM_TIME AS OF '2026-01-01'", 'only a table has FOR SYSTEM_TIME AS OF'],
    ["SELECT * FROM logs AS OF '2026-01-01'", 'earlier rows of a table are not kept'],
    ['SELECT * FROM logs MATCH_RECOGNIZE (ORDER BY id)', 'MATCH_RECOGNIZE is not supported'],
    ['SELECT * FROM logs AS l MATCH_RECOGNIZE (ORDER BY id)', 'MATCH_RECOGNIZE is not supported'],
    ['SELECT * FROM UNNEST([1]) AS n MATCH_RECOGNIZE (ORDER BY n)', 'MATCH_RECOGNIZE is not supported'],
    ['FROM logs |> MATCH_RECOGNIZE (ORDER BY id)', 'the pipe operator MATCH_RECOGNIZE is not supported'],
    ['FROM logs |> FORK (|> SELECT id)', 'the pipe operator FORK is not supported'],
    ['FROM logs |> EXPORT DATA OPTIONS ()', 'the pipe operator EXPORT is not supported'],
    ['CREATE MATERIALIZED VIEW v AS SELECT 1', 'CREATE MATERIALIZED VIEW is not supported'],
    ['CREATE OR REPLACE MODEL m AS SELECT 1', 'CREATE MODEL is not supported'],
    ['CREATE SEARCH INDEX i ON t(ALL COLUMNS)', 'CREATE SEARCH INDEX is not supported'],
    ['CREATE FUNCTION f() AS (1)', 'CREATE FUNCTION is not supported'],
    ["SELECT ML.GENERATE_TEXT(MODEL m, 'a')", 'MODEL is not supported: there are no models here'],
    ['SELECT * FROM UNNEST([1], [2])', 'UNNEST of several arrays is not supported: join them'],
    ['SELECT SUM(MAX(id) GROUP BY project) FROM logs', 'GROUP BY in a function is not supported: group in'],
    ['SELECT @{a = 1} id FROM logs', 'found "{": hints are not supported'],
    ['SELECT * FROM logs JOIN @{a = 1} logs AS l USING (id)', 'found "@": hints are not supported'],
    ['SELECT * FROM logs TABLESAMPLE SYSTEM (1 PERCENT) REPEATABLE (1)', 'samples are different in each run'],
    ['LEAVE', 'LEAVE is not supported: of a script'],
    ['UNDROP SCHEMA s', 'expected a query, which only reads, found "UNDROP"'],
    ["SET @@time_zone = 'UTC'; SELECT 1", 'SET of the system variable @@time_zone is not supported'],
    ['IF TRUE THEN INSERT INTO t VALUES (1); END IF; SELECT 1', 'INSERT in IF is not supported'],
    ['CREATE TEMP TABLE t (a INT64); SELECT * FROM t', 'CREATE TEMP TABLE with a list of columns'],
    [
      'CREATE TEMP TABLE t OPTIONS () AS SELECT 1; SELECT 1',
      'OPTIONS of CREATE TEMP TABLE are not supported',
    ],
    [
      "CREATE TEMP FUNCTION f() RETURNS INT64 LANGUAGE python WITH CONNECTION `a.b` AS '1'; SELECT f()",
      'functions in python are not supported',
    ],
    [
      'CREATE TEMP FUNCTION f(a INT64 DEFAULT 1) AS (a); SELECT f()',
      'DEFAULT of a parameter is not supported',
    ],
    ['WITH a AS MATERIALIZED (SELECT 1) SELECT 1', 'found "MATERIALIZED": leave it out'],
    [
      'SELECT WITH DIFFERENTIAL_PRIVACY COUNT(*, contribution_bounds_per_group => (0, 1)) FROM logs',
      'SELECT WITH DIFFERENTIAL_PRIVACY is not supported',
    ],
    ['SELECT SUM(id WHERE id > 1) FROM logs', 'WHERE in a function is not supported: write IF'],
    ['SELECT SUM(id) FILTER (WHERE id > 1) FROM logs', 'FILTER is not supported: write IF'],
    ['SELECT id FROM logs ORDER BY ALL', 'found "ALL": write the columns'],
    ["SELECT timestamp AT TIME ZONE 'UTC' FROM logs", 'found "AT": write DATETIME(timestamp, zone)'],
    ['SELECT * FROM logs AS l (a, b)', 'an alias takes no list of columns'],
    ['SELECT * FROM (VALUES (1)) AS t', 'VALUES is not supported: write UNNEST'],
    ['EXPLAIN SELECT 1', 'EXPLAIN is not supported'],
    ['SHOW TABLES', 'SHOW is not supported'],
    ['VALUES (1)', 'VALUES is not supported'],
    ['SELECT RANGE_SESSIONIZE(TABLE logs)', 'a table is an argument of table functions'],
    ['SELECT ARRAY_FILTER([1], e -> e > 1)', 'lambda expressions are not supported'],
    ["SELECT metadata -> 'a' FROM logs", "write JSON_VALUE(json, '$.name')"],
    ['SELECT STRING_AGG(id) WITHIN GROUP (ORDER BY id) FROM logs', 'write the ORDER BY within'],
    ['SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY id) FROM logs', 'write PERCENTILE_CONT(value,'],
    ["SELECT TRY_CAST('1' AS INT64)", 'write SAFE_CAST(value AS TYPE)'],
    ['SELECT * EXCEPT id FROM logs', 'write * EXCEPT (columns)'],
    ['SELECT id FROM logs LIMIT 5%', 'LIMIT takes a number of rows'],
    ['SELECT id FORM logs', 'did you mean FROM for form?'],
    ['SELECT id FROM logs GRUP BY id', 'did you mean GROUP for grup?'],
    ['SELECT id FROM logs WEHRE id = 1', 'did you mean WHERE for wehre?'],
    [`SELECT * FROM \${ref("logs")}`, 'templates are not run here'],
    ['SELECT * FROM %s', 'templates are not run here'],
    ['SELECT * FROM $logs', 'a parameter cannot name a table'],
    ['SELECT * FROM @logs', 'a parameter cannot name a table'],
    ["SELECT * FROM REF('logs')", 'REF is of a template'],
    ['SELECT * FROM __TABLES__', 'INFORMATION_SCHEMA.TABLES has the names'],
    ['SELECT _PARTITIONTIME FROM logs', 'no column is named _PARTITIONTIME: tables have no partitions here'],
    ['SELECT @@time_zone', 'functions take a zone, which is UTC without one'],
    ['SELECT CAST(id AS varchar) FROM logs', 'the type varchar is not supported: write STRING'],
    ['SELECT CAST(id AS integr) FROM logs', 'did you mean INTEGER?'],
    ['SELECT EXTRACT(HOURS FROM timestamp) FROM logs', 'did you mean HOUR?'],
    ['SELECT EXTRACT(EPOCH FROM timestamp) FROM logs', 'write UNIX_SECONDS(timestamp)'],
    ['SELECT MODE(id) FROM logs', 'write APPROX_TOP_COUNT(value, 1)'],
    ["SELECT [project] = 'a' FROM logs", 'search an array with value IN UNNEST(array)'],
    ["SELECT [project] LIKE 'a' FROM logs", 'FROM UNNEST(array) AS item WHERE item LIKE pattern'],
    ["SELECT TO_JSON(id) IN ('a') FROM logs", 'convert the JSON value with'],
    ['SELECT SUM(TO_JSON(id)) FROM logs', 'write LAX_INT64(json)'],
    ['SELECT timestamp + 1 FROM logs', 'write TIMESTAMP_ADD(value, INTERVAL n DAY)'],
    ["SELECT project & 'b' FROM logs", 'texts are joined by ||'],
    [
      "SELECT logs.id + 'b' FROM logs",
      "invalid DATE literal: b; write it as in '2026-01-31'; texts are joined by ||, after CAST(id AS STRING)",
    ],
    ["SELECT 'rows: ' + COUNT(*) FROM logs", 'texts are joined by ||, after CAST(value AS STRING)'],
    ['SELECT v IN (1, 2) FROM (SELECT 1 AS v) AS v', 'v is the whole row of the table: write v.v'],
    ['SELECT CASE v WHEN 2 THEN 1 END FROM (SELECT 1 AS v) AS v', 'v is the whole row of the table'],
    [
      "SELECT PERCENTILE_CONT(id, BIGNUMERIC '0.5') OVER () FROM logs",
      'must be INT64, FLOAT64 or NUMERIC from 0',
    ],
    ['SELECT * FROM logs, LATERAL (SELECT 1)', 'found "LATERAL": write a comma and UNNEST'],
    [
      'SELECT * FROM logs AS l, (SELECT l.id)',
      'no column is named l here: in FROM, a query and the right side of RIGHT JOIN and FULL JOIN read nothing of the items beside them',
    ],
    [
      'SELECT * FROM logs RIGHT JOIN UNNEST([id]) ON TRUE',
      'no column is named id here: in FROM, a query and the right side',
    ],
    [
      'SELECT * FROM (SELECT 1 AS a, 2.5 AS b) UNPIVOT (v FOR k IN (a, b))',
      'UNPIVOT takes columns of one type, and these are INT64 and FLOAT64: CAST one in a query before it',
    ],
    [
      'SELECT 1 AS a, 2 AS b UNION ALL BY NAME ON (b) SELECT 3 AS b, 4 AS a',
      'UNION ALL BY NAME needs exactly the listed columns in each query: a is not listed; INNER before it',
    ],
    ['SELECT * FROM logs NATURAL JOIN logs', 'found "NATURAL": write JOIN'],
    ['SELECT DISTINCT ON (id) id FROM logs', 'found "ON": keep one row'],
    ['SELECT id = ANY (SELECT 1) FROM logs', 'found "ANY": write IN'],
    ['SELECT SUM(id) OVER (ORDER BY id GROUPS 1 PRECEDING) FROM logs', 'found "GROUPS": frames are of ROWS'],
    ['SELECT id FROM logs LIMIT 1 OFFSET 1 ROWS', 'found "ROWS": leave ROWS out'],
    [
      'CREATE TEMP FUNCTION f() RETURNS INT64 REMOTE WITH CONNECTION `c`; SELECT f()',
      'found "REMOTE": remote functions are not supported',
    ],
  ])('%s', (sql, problem) => {
    expect(problemsOf(sql)[0]).toContain(problem);
  });
});

test.each([
  "SELECT * FROM logs FOR SYSTEM_TIME AS OF '2026-01-01'",
  'SELECT * FROM logs FOR SYSTEM_TIME AS OF TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)',
])('a time that is not now is refused where tables have only their rows of now: %s', (sql) => {
  const problem =
    'sql:1:42 FOR SYSTEM_TIME AS OF is not supported, because logs has only its rows of now: write CURRENT_TIMESTAMP()';
  expect(() => compile(sql, { tables })).toThrow(problem);
});
