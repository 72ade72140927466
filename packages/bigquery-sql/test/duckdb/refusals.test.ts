import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession, type Session } from '../../src/duckdb/open-session.ts';

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
  ['SELECT * FROM `p.d.INFORMATION_SCHEMA.TABLES`', 15, 'INFORMATION_SCHEMA is not supported'],
  ["SELECT 'a''b'", 11, 'expected a blank between two strings'],
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
    'a window function cannot be in ON, and cannot read columns of the query around',
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
  ['a chained call of a function with dots', "SELECT ('abc').(SAFE.LEFT)(-1) AS v", [null]],
  ['strings beside each other', "SELECT 'a' /* and */ \"b\"\n r'\\d' AS v", ['ab\\d']],
  ['the start of a week', "SELECT PARSE_DATE('%Y-%W', '2024-10') AS v", ['2024-03-04']],
  ['an array of JSON', "SELECT INT64_ARRAY(JSON '[1, 2.0]') AS v", [['1', '2']]],
  [
    'an array of JSON of several types',
    'SELECT LAX_STRING_ARRAY(JSON \'[1, "a", null]\') AS v',
    [['1', 'a', null]],
  ],
])('%s gives its value', async (_, sql, row) => {
  expect(await session.run(sql)).toMatchObject({ rows: [row] });
});
