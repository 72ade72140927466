import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../src/index.ts';
import { openDialect, problemsOf } from './harness.ts';

let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
});
afterAll(() => dialect.close());

test('a script of variables, conditions and temporary tables is one query', async () => {
  const script = `DECLARE least, most INT64 DEFAULT 2;
    DECLARE day DATE;
    DECLARE last_id DEFAULT (SELECT MAX(id) FROM logs);
    CREATE TEMP FUNCTION twice(x INT64) AS (x * 2);
    SET least = least - CAST(@less AS INT64);
    CREATE TEMP TABLE tagged AS SELECT id, tag FROM logs, UNNEST(tags) AS tag WHERE id >= least;
    IF last_id > 100 THEN SET day = DATE '2001-01-01';
    ELSEIF last_id = 4 THEN
      SET day = '2002-02-02';
      IF least = 1 THEN SET most = twice(last_id); SET least = most + 1; END IF;
    ELSE SET day = NULL; SET most = -1;
    END IF;
    CREATE OR REPLACE TEMP TABLE counted PARTITION BY RANGE_BUCKET(id, [1, 9]) CLUSTER BY id, n AS SELECT id, COUNT(*) AS n FROM tagged GROUP BY id;
    SELECT t.id, tag, n, least, most, day, last_id FROM tagged AS t JOIN counted USING (id) WHERE t.id < most ORDER BY 1, 2`;
  expect(await dialect.query(script, { less: '1' })).toEqual([
    ['1', 'x', '2', '9', '8', '2002-02-02', '4'],
    ['1', 'y', '2', '9', '8', '2002-02-02', '4'],
    ['3', 'z', '1', '9', '8', '2002-02-02', '4'],
  ]);
});

test('a column hides a variable, and a variable keeps its type', async () => {
  const sql = `DECLARE id FLOAT64 DEFAULT 1; DECLARE n NUMERIC DEFAULT 1; DECLARE nothing STRING;
    SELECT id, (SELECT id) AS same, n / 3 AS third, nothing FROM logs WHERE id = 2`;
  expect(await dialect.query(sql)).toEqual([['2', '2', '0.333333333', null]]);
});

test('a variable that is computed from rows may be part of a key', async () => {
  const sql = `DECLARE x DEFAULT (SELECT MIN(id) FROM logs);
    SELECT id = x AS is_first, id + x > 2, COUNT(*) FROM logs GROUP BY is_first, id + x > 2 HAVING is_first OR x = 1 ORDER BY 1`;
  expect(await dialect.query(sql)).toEqual([
    [false, true, '3'],
    [true, false, '1'],
  ]);
});

test('a JSONPath is a variable that is computed from rows', async () => {
  const p = "DECLARE p STRING DEFAULT (SELECT ANY_VALUE(x) FROM UNNEST(['$.a']) AS x);";
  const sql = `${p} SELECT JSON_VALUE('{"a":1}', p), JSON_VALUE('{"ab":2}', CONCAT(p, 'b')) FROM logs WHERE id = 1`;
  expect(await dialect.query(sql)).toEqual([['1', '2']]);
});

test.each([
  'CREATE TEMP TABLE t AS SELECT RAND() AS r; SELECT r BETWEEN 0 AND 1 FROM t',
  'CREATE TEMP TABLE t AS SELECT id, RAND() AS r FROM logs; CREATE TEMP TABLE u AS SELECT id, r AS s FROM t; SELECT LOGICAL_AND(r = s) AND COUNT(DISTINCT r) = 4 FROM t JOIN u USING (id)',
  'CREATE TEMP TABLE t AS SELECT RAND() AS r; SELECT COUNT(DISTINCT (SELECT r FROM t WHERE id > 0)) = 1 FROM logs',
  'DECLARE x, y DEFAULT RAND(); SELECT x = y AND x = x',
  'DECLARE x DEFAULT GENERATE_UUID(); SELECT COUNT(DISTINCT x) = 1 AND COUNT(DISTINCT CONCAT(x, id)) = 4 FROM logs',
  'DECLARE x DEFAULT RAND(); DECLARE y FLOAT64; SET y = x; IF x < 0.5 THEN SET y = x + 2; END IF; SELECT (x < 0.5) = (y >= 2) AND y IN (x, x + 2)',
])('a random value of a script is drawn once: %s', async (sql) => {
  expect(await dialect.query(sql)).toEqual([[true]]);
});

test('values that are set from each other do not grow exponentially', () => {
  const sets = Array.from({ length: 60 }, () => 'SET a = a + b; SET b = b + a;').join('\n');
  const { sql } = compile(`DECLARE a, b INT64 DEFAULT CAST(@n AS INT64);\n${sets}\nSELECT a, b`);
  expect(sql.length).toBeLessThan(100_000);
});

test.each([
  ['SET x = 1; SELECT 1', '1:5 no variable is named x'],
  ['DECLARE x INT64; DECLARE X STRING; SELECT 1', '1:26 X is declared twice'],
  ["DECLARE x INT64 DEFAULT 'a'; SELECT x", '1:25 a variable of type INT64 takes no STRING'],
  ['DECLARE x DATE; SET x = 5; SELECT x', '1:25 a variable of type DATE takes no INT64'],
  [
    'DECLARE s STRUCT<a INT64>; SET s.a = 5; SELECT s',
    '1:33 SET of a field is not supported: SET s to a STRUCT of all its fields',
  ],
  ['IF 1 THEN END IF; SELECT 1', '1:4 IF takes BOOL, not INT64'],
  [
    'CREATE TEMP TABLE t AS SELECT 1; SELECT * FROM t',
    '1:24 t: each column of a table needs a name of its own',
  ],
  [
    'DECLARE x ARRAY<NUMERIC(5, 2)> DEFAULT [1.239]; SELECT x',
    '1:11 a variable takes a type without parameters: CAST its values instead',
  ],
  [
    'CREATE TEMP TABLE logs AS SELECT 1 AS id; SELECT * FROM stored.logs',
    '1:57 no table is named stored.logs; did you mean logs?',
  ],
  ['DECLARE x INT64; CREATE TEMP FUNCTION f() AS (x); SELECT f()', '1:47 no column is named x'],
])('%s is refused: %s', (sql, problem) => {
  expect(problemsOf(sql)).toEqual([problem]);
});
