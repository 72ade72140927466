import { expect, test } from 'vitest';
import { problemsOf } from './harness.ts';
import { ownSession } from './support/own-session.ts';

const { answer } = ownSession();

const row =
  "FROM (SELECT 'ab' AS s, 1 AS i, NUMERIC '1.5' AS n, [1] AS a, JSON '{}' AS j, DATE '2024-01-01' AS d, TIMESTAMP '2024-01-01' AS ts)";

test.each([
  ["REGEXP_EXTRACT(s, '(a)(b)')", /several groups/],
  ["REGEXP_INSTR(s, '(a)(b)')", /several groups/],
  ["REGEXP_REPLACE(s, 'a', '\\\\1')", /has no group for \\1/],
  ["JSON_SET(j, 'a', 1)", /a JSONPath begins with \$/],
  ["JSON_QUERY(j, 'lax recursive a')", /a JSONPath begins with \$/],
  ["JSON_REMOVE(j, '$')", /remove the whole value/],
  ["ROUND(n, 1, 'HALF')", /the mode is ROUND_HALF_AWAY_FROM_ZERO or/],
  ["DATE('2024-02-30')", /invalid DATE literal/],
  ["TIMESTAMP('2024-02-30')", /invalid TIMESTAMP literal/],
  ['ts + INTERVAL 1 MONTH', /takes no months and years/],
  ["CAST(ts AS STRING FORMAT 'YYYY-QQ')", /FORMAT 'YYYY-QQ': Unsupported/],
  ["CAST(s AS DATE FORMAT 'YYYY-XX')", /FORMAT 'YYYY-XX'/],
  ["CAST(i AS STRING FORMAT '9,9,X')", /FORMAT '9,9,X'/],
  ['TIMESTAMP_BUCKET(ts, INTERVAL 1 MONTH)', /the width takes no months/],
  ['DATE_BUCKET(d, INTERVAL 1 HOUR)', /the width takes no parts of a day/],
  ['DATE_BUCKET(d, INTERVAL 0 DAY)', /the width must be more than 0/],
  ['GENERATE_ARRAY(1, i, 0)', /the step must not be 0/],
  ['GENERATE_DATE_ARRAY(d, d, INTERVAL 0 DAY)', /the step must not be 0/],
  ['a[OFFSET(-1)]', /has the OFFSET 0/],
  ['a[ORDINAL(0)]', /has the ORDINAL 1/],
  ['RANGE_BUCKET(i, [3, 1, 2])', /ascending order/],
  ["TRANSLATE(s, 'aa', 'bc')", /occurs twice/],
  ['LEFT(s, -1)', /the length must not be negative/],
  ['REPEAT(s, -1)', /the number must not be negative/],
  ['SUBSTR(s, 1, -1)', /the length must not be negative/],
  ['RPAD(s, -1)', /the length must not be negative/],
  ["DATETIME(ts, CONCAT('Europe/', 'Berln'))", /did you mean Europe\/Berlin/],
])('%s is refused before it runs', (expression, message) => {
  expect(problemsOf(`SELECT ${expression} AS x ${row}`).join()).toMatch(message);
});

test.each([
  ["SAFE.REGEXP_EXTRACT(s, '(a)(b)')", null],
  ['SAFE.LEFT(s, -1)', null],
  ["SAFE.DATE('2024-02-30')", null],
  ['SAFE.TIMESTAMP_BUCKET(ts, INTERVAL 1 MONTH)', null],
  ["SAFE_CAST(i AS STRING FORMAT '9,9,X')", null],
  ['LEFT(CAST(NULL AS STRING), -1)', null],
  ["CAST(CAST(NULL AS INT64) AS STRING FORMAT '9,9,X')", null],
  ['a[SAFE_OFFSET(-1)]', null],
  ["REGEXP_EXTRACT(s, r'(?:a)([(b])')", 'b'],
  ["REGEXP_REPLACE(s, '(a)', r'\\1\\\\\\0')", 'a\\ab'],
  ['RANGE_BUCKET(i, [1, 1, 2])', '2'],
])('%s is answered', async (expression, value) => {
  expect(await answer(`SELECT ${expression} AS x ${row}`)).toEqual([[value]]);
});

test('REGEXP_INSTR has its literal pattern compiled when the query is planned', async () => {
  expect(await answer(`SELECT REGEXP_INSTR(s, '*') AS x ${row} WHERE FALSE`)).toMatch(/repetition operator/);
});

test.each([
  ["n INT64 DEFAULT -1; SELECT IF(n < 0, 'none', LEFT('ab', n))", 'none'],
  ["n INT64 DEFAULT -1; SELECT CASE WHEN n >= 0 THEN SUBSTR('ab', 1, n) ELSE 'none' END", 'none'],
  ["n INT64 DEFAULT -1; SELECT IF(n < 0, 'none', ['ab'][OFFSET(n)])", 'none'],
  ['n INT64 DEFAULT 0; SELECT IF(n = 0, [], GENERATE_ARRAY(1, 5, n))', []],
  ["n INT64 DEFAULT 0; SELECT IF(n <= 0, NULL, DATE_BUCKET(DATE '2024-01-01', INTERVAL n DAY))", null],
  ["n INT64 DEFAULT 0; SELECT IF(n = 0, NULL, TIMESTAMP '2024-01-01' + INTERVAL n MONTH)", null],
  ["s STRING DEFAULT ''; SELECT IF(s = '', NULL, DATE(s))", null],
  ["s STRING DEFAULT '1 a'; SELECT IF(s = '1 a', NULL, TIMESTAMP(s))", null],
  ["s STRING DEFAULT ''; SELECT IF(s = '', 'none', REGEXP_REPLACE('ab', s, '\\\\1'))", 'none'],
  ["s STRING DEFAULT ''; SELECT IF(s = '', 'none', STRING(TIMESTAMP '2024-01-01', s))", 'none'],
  ["s STRING DEFAULT 'X'; SELECT IF(s = 'X', 'none', CAST(DATE '2024-01-01' AS STRING FORMAT s))", 'none'],
  ["n INT64 DEFAULT -1; SELECT SAFE.LEFT('ab', n)", null],
  ["n INT64 DEFAULT -1; SELECT LEFT('ab', n)", 'LEFT of a negative length'],
])('the value of a variable is refused only where a call reads it: %s', async (script, value) => {
  const result = await answer(`DECLARE ${script}`);
  expect(typeof result === 'string' ? result : result[0]?.[0]).toEqual(value);
});

test('an argument of a function is refused only where a call reads it', async () => {
  const left = "CREATE TEMP FUNCTION f(s STRING, n INT64) AS (IF(n < 0, 'none', LEFT(s, n)));";
  expect(await answer(`${left} SELECT f('ab', -1), f('ab', 1)`)).toEqual([['none', 'a']]);
});
