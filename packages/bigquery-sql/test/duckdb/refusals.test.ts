import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession, type Session } from '../../src/duckdb/open-session.ts';
import type { Failure } from '../../src/duckdb/outcome.ts';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
let session: Session;
beforeAll(async () => {
  await connection.run('CREATE TABLE t AS SELECT 1::BIGINT AS id, [2::BIGINT] AS items');
  await connection.run('CREATE TABLE u AS SELECT 1::BIGINT AS id');
  session = await openSession(connection);
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

async function refusalOf(sql: string) {
  const outcome = await session.run(sql);
  if (!('error' in outcome)) throw new Error(`it ran: ${sql}`);
  const { stage, column, message } = outcome.error;
  return { stage, column, message };
}

test.each([
  ['SELECT * FROM t MATCH_RECOGNIZE (PATTERN (a))', 17, 'MATCH_RECOGNIZE is not supported'],
  ['SELECT * FROM GRAPH_TABLE(g MATCH (a) RETURN a.id)', 15, 'GRAPH_TABLE is not supported'],
  ['GRAPH g MATCH (a) RETURN a', 1, 'GRAPH is not supported'],
  ['SELECT ST_GEOGPOINT(1, 2)', 8, 'the function ST_GEOGPOINT is not supported'],
  ['SELECT ML.PREDICT(1)', 8, 'the function ML.PREDICT is not supported'],
  ["SELECT KEYS.NEW_KEYSET('a')", 8, 'the function KEYS.NEW_KEYSET is not supported'],
  ['SELECT * FROM `p.d.INFORMATION_SCHEMA.JOBS`', 15, 'INFORMATION_SCHEMA.JOBS is not supported'],
  ["SELECT 'a''b'", 11, 'expected a blank between two strings'],
  ['SELECT id FROM t LIMIT -1', 18, 'LIMIT and OFFSET take no negative number'],
  ['SELECT id.UPPER() FROM t', 8, 'if id is a value, write (id).UPPER()'],
  ["SELECT id ILIKE 'a' FROM t", 17, "write LOWER(…) LIKE '…'"],
  ['SELECT LISTAGG(id) FROM t', 8, 'write STRING_AGG'],
  ["SELECT DATE_PART('year', id) FROM t", 8, 'write EXTRACT(part FROM value)'],
  [
    'CREATE TEMP TABLE FUNCTION f() AS (SELECT 1); SELECT 1',
    1,
    'CREATE TEMP TABLE FUNCTION is not supported',
  ],
  [
    'CREATE TEMP AGGREGATE FUNCTION f(x INT64) AS (SUM(x)); SELECT f(id) OVER () FROM t',
    74,
    'f is a function of this query, which takes only arguments',
  ],
  ['SELECT id FROM t LIMIT ROW_NUMBER() OVER ()', 24, 'LIMIT takes a literal or a parameter'],
  [
    'SELECT 1 FROM t LEFT JOIN u ON u.id IN (SELECT x FROM UNNEST(items) AS x)',
    32,
    'ON of LEFT, RIGHT and FULL JOIN takes no subquery over rows',
  ],
  [
    'SELECT (SELECT COUNT(*) FROM UNNEST(items) AS x LEFT JOIN u ON u.id = x + t.id) FROM t',
    30,
    'LEFT, RIGHT and FULL JOIN are not supported here',
  ],
  ['SELECT SUM(ROW_NUMBER() OVER ()) FROM t', 12, 'an aggregate function takes no window function'],
  [
    'SELECT (SELECT SUM(u.id) OVER (ORDER BY t.id) FROM u LIMIT 1) FROM t',
    16,
    'a window function cannot read columns of the query around its subquery',
  ],
  [
    'SELECT (SELECT x FROM UNNEST(items) AS x QUALIFY RANK() OVER (ORDER BY t.id) = 1) FROM t',
    50,
    'a window function cannot read columns of the query around its subquery',
  ],
])('%s is refused by the name of what is not supported, at its place', async (sql, column, message) => {
  const refusal = await refusalOf(sql);
  expect(refusal).toMatchObject({ stage: 'refused', column });
  expect(refusal.message).toContain(message);
});

test.each([
  [
    'a function in SQL that aggregates',
    'CREATE TEMP AGGREGATE FUNCTION f(x INT64, k INT64 NOT AGGREGATE) AS (SUM(x) * k); SELECT f(x, 2) AS v FROM UNNEST([1, 2]) AS x',
    ['6'],
  ],
  ['a chained call', "SELECT ('abc').UPPER().SUBSTR(2) AS v", ['BC']],
  ['a chained aggregate', 'SELECT (x).COUNT(DISTINCT) AS v FROM UNNEST([1, 1, 2]) AS x', ['2']],
  [
    'a chained aggregate of some rows in an order',
    "SELECT (x).ARRAY_AGG(IGNORE NULLS ORDER BY x LIMIT 1) AS v FROM UNNEST(['b', NULL, 'a']) AS x",
    [['a']],
  ],
  ['a chained call of a function with dots', "SELECT ('abc').(SAFE.LEFT)(-1) AS v", [null]],
  ['bytes beside each other', "SELECT TO_HEX(b'a' rb'b'\nB'\\xff') AS v", ['6162ff']],
  ['strings beside each other', "SELECT 'a' /* and */ \"b\"\n r'\\d' AS v", ['ab\\d']],
  ['the start of a week', "SELECT PARSE_DATE('%Y-%W', '2024-10') AS v", ['2024-03-04']],
])('%s gives its value', async (_, sql, row) => {
  expect(await session.run(sql)).toMatchObject({ rows: [row] });
});

test.each([
  ['9223372036854775807 + id', 'int64 overflow: 9223372036854775807 + 1'],
  ['9223372036854775807 * (id + 1)', 'int64 overflow: 9223372036854775807 * 2'],
  ['ABS(-9223372036854775807 - id)', 'int64 overflow: ABS(-9223372036854775808)'],
  ['-(-9223372036854775807 - id)', 'int64 overflow: -(-9223372036854775808)'],
  ['(SELECT SUM(9223372036854775807 * x) FROM UNNEST([id, 1]) AS x)', 'int64 overflow: 18446744073709551614'],
  ["CAST(id * CAST('NaN' AS FLOAT64) AS INT64)", 'int64 out of range: nan'],
  ["id + NUMERIC '99999999999999999999999999999'", 'numeric overflow in addition'],
  [
    "ROUND(id * NUMERIC '99999999999999999999999999999.9')",
    'numeric overflow: 100000000000000000000000000000',
  ],
  ["CAST(REPEAT(b'\\xff', id) AS STRING)", 'Invalid cast of bytes to UTF8 string'],
  ["FROM_BASE64(REPEAT('!', id))", 'Failed to decode invalid base64 string'],
  ["REGEXP_CONTAINS('a', REPEAT('(', id))", 'Cannot parse regular expression: missing ): ('],
  ['(SELECT x.id FROM t AS x, UNNEST([1, 2]))', 'a subquery that is a value has more than one row'],
  ["TIMESTAMP_TRUNC(TIMESTAMP_SECONDS(id), DAY, IF(id > 0, 'Mars', 'UTC'))", 'Invalid time zone: Mars'],
  ["FORMAT_TIMESTAMP('%F', TIMESTAMP_SECONDS(0), REPEAT('x', id))", 'Invalid time zone: x'],
  ["CAST(REPEAT('2024-13-01', id) AS TIMESTAMP)", 'Bad timestamp value: 2024-13-01'],
  ["TIMESTAMP(REPEAT('2024-01-01 00:00:00Z', id), 'UTC')", 'Bad datetime value: 2024-01-01 00:00:00Z'],
  ['SQRT(-id)', 'Argument to SQRT cannot be negative'],
])('%s fails in the words of GoogleSQL', async (expression, message) => {
  const { error } = (await session.run(`SELECT ${expression} FROM t`)) as Failure;
  expect(error).toMatchObject({ stage: 'run time', message });
});

test('what a function in JavaScript returns is not shown with the SQL of DuckDB', async () => {
  const define = 'CREATE TEMP FUNCTION f(x STRING) RETURNS DATE LANGUAGE js AS';
  const code = 'Date.prototype.toISOString = () => "99999-99-99"; return new Date(0)';
  const { error } = (await session.run(`${define} '${code}'; SELECT f('a')`)) as Failure;
  expect(error).toMatchObject({
    stage: 'run time',
    message: expect.stringMatching(/^Bad date value: [\d-]+$/),
  });
});

test('what QuickJS throws without memory is explained', async () => {
  const define = 'CREATE TEMP FUNCTION f(x STRING) RETURNS STRING LANGUAGE js AS';
  const { error } = (await session.run(`${define} 'throw null'; SELECT f('a')`)) as Failure;
  expect(error.message).toBe('f: it threw null, or it uses too much memory or too deep a stack');
});

test.each([
  [null, '@a: null has no type: write NULL in the SQL'],
  [undefined, '@a: undefined has no type'],
  [[1, null], '@a: null has no type'],
  [new Uint8Array([255]), 'write FROM_BASE64'],
  [{ b: 1 }, '@a: it must be a string, a boolean, a number, a bigint, a Date, or a list of such values'],
  [[[1]], '@a: it must be a string'],
  [[true, 'x'], '@a: its values are BOOL and STRING; all values of a list have one type'],
  [new Date(Number.NaN), '@a: its Date is not in the years 1 to 9999'],
  [2n ** 64n, '@a: 18446744073709551616 is beyond INT64'],
])('the parameter %o is refused by its name', async (value, message) => {
  const parameters = { a: value as unknown as string };
  for (const outcome of [
    await session.run('SELECT @a', { parameters }),
    await session.explain('SELECT @a', { parameters }),
  ]) {
    const { error } = outcome as Failure;
    expect(error.stage).toBe('refused');
    expect(error.message).toContain(message);
  }
});

test('a list of integers and fractions is one of FLOAT64', async () => {
  const outcome = await session.run('SELECT @a AS v', { parameters: { a: [1, 0.5] } });
  expect(outcome).toMatchObject({ columns: [{ type: 'ARRAY<FLOAT64>' }], rows: [[[1, 0.5]]] });
});
