import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../src/compile.ts';
import { closeLambdas } from '../src/passes/for-duckdb/close-lambdas.ts';
import { printQuery } from '../src/tree/print.ts';
import { openDialect, tables } from './harness.ts';

// The harness compares the rows of every form of storage, without any pass, with all of them, and with each left out.
let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
}, 60_000);
afterAll(() => dialect.close());

describe('a table may be named as the columns of UNNEST are inside', () => {
  test.each([
    [
      'SELECT ARRAY(SELECT value.y FROM UNNEST([STRUCT(10 AS y)]) AS z) AS v FROM (SELECT 1 AS y) AS value',
      [['1']],
    ],
    [
      'SELECT (SELECT MAX(z.y + Value.y) FROM UNNEST([STRUCT(10 AS y)]) AS z, UNNEST([1, 2])) AS v FROM (SELECT 1 AS y) AS Value',
      '11',
    ],
    [
      'SELECT COUNT(*) FROM UNNEST([STRUCT(1 AS id), STRUCT(2 AS id)]) AS value WHERE EXISTS (SELECT 1 FROM UNNEST([STRUCT(2 AS id)]) AS item WHERE item.id = value.id)',
      '1',
    ],
    ['SELECT ARRAY(SELECT value + z FROM UNNEST([10]) AS z) AS v FROM UNNEST([1]) AS value', [['11']]],
    [
      'WITH value AS (SELECT 1 AS y) SELECT (SELECT MAX(z.y * value.y) FROM UNNEST([STRUCT(3 AS y)]) AS z) FROM value',
      '3',
    ],
    [
      'SELECT (SELECT MAX(`offset`.y + o) FROM UNNEST([7, 8]) AS z WITH OFFSET o) AS v FROM (SELECT 1 AS y) AS `offset`',
      '2',
    ],
  ])('%s', async (sql, value) => {
    expect(await dialect.query(sql)).toEqual([[Array.isArray(value) ? value[0] : value]]);
  });
});

describe('a column of an outer query', () => {
  test.each([
    [
      'of an item that is named as a column of an inner table',
      "SELECT (SELECT MAX(IF(events.id > 0, kind, NULL)) FROM events) AS kind FROM (SELECT 'outer' AS kind) AS detail",
      [['outer']],
    ],
    [
      'in EXISTS',
      'SELECT id FROM logs WHERE EXISTS (SELECT 1 FROM events WHERE DATE(events.happened) = DATE(logs.timestamp)) ORDER BY id',
      [['1'], ['2']],
    ],
    [
      'in IN',
      'SELECT id FROM logs WHERE 3 IN (SELECT EXTRACT(MONTH FROM logs.timestamp) FROM events) ORDER BY id',
      [['1'], ['2'], ['3']],
    ],
    [
      'in a scalar subquery over records',
      'SELECT id, (SELECT MAX(TIMESTAMP_DIFF(TIMESTAMP_TRUNC(logs.timestamp, DAY), logs.timestamp, SECOND)) FROM UNNEST(metadata) AS m, UNNEST(m.request) AS r) AS n FROM logs ORDER BY id',
      [
        ['1', '-43200'],
        ['2', null],
        ['3', null],
        ['4', null],
      ],
    ],
    [
      'in an array of structs that is unnested',
      'SELECT id, (SELECT STRING_AGG(CAST(x.day AS STRING)) FROM UNNEST(ARRAY(SELECT AS STRUCT DATE(logs.timestamp) AS day, tag FROM UNNEST(logs.tags) AS tag)) AS x) AS days FROM logs ORDER BY id',
      [
        ['1', '2024-03-10,2024-03-10'],
        ['2', null],
        ['3', '2024-03-09'],
        ['4', null],
      ],
    ],
    [
      'through two queries, beside columns of both',
      "SELECT id, (SELECT (SELECT INSTR(CONCAT(project, tag), t) FROM (SELECT tag) AS inside) FROM UNNEST(logs.tags) AS t ORDER BY t LIMIT 1) AS n FROM logs CROSS JOIN (SELECT 'xz' AS tag) WHERE id IN (1, 3) ORDER BY id",
      [
        ['1', '2'],
        ['3', '3'],
      ],
    ],
    [
      'beside another subquery',
      'SELECT id, (SELECT COUNT(*) FROM events AS e WHERE e.id < (SELECT MIN(id) FROM events) + logs.id) AS n FROM logs WHERE id < 3 ORDER BY id',
      [
        ['1', '1'],
        ['2', '2'],
      ],
    ],
    [
      'as a value that a function names, of rows that it does not read',
      "SELECT id, (SELECT MAX(POW(logs.id, 2)) FROM events) AS p, (SELECT MAX(LPAD(project, events.id, 'z')) FROM events) AS l FROM logs WHERE id < 3 ORDER BY id",
      [
        ['1', 1, 'zzza'],
        ['2', 4, 'zzza'],
      ],
    ],
    [
      'in an aggregate over an array of both sides of a join',
      "SELECT id, (SELECT STRING_AGG(x, '-' ORDER BY x) FROM UNNEST([logs.project, IFNULL(projects.tier, '!')]) AS x WHERE SAFE_CAST('1' AS INT64) = 1) AS o FROM logs LEFT JOIN projects ON logs.project = projects.project ORDER BY id",
      [
        ['1', 'PRO-a'],
        ['2', 'PRO-a'],
        ['3', '!-b'],
        ['4', '!'],
      ],
    ],
  ])('has its value %s', async (_title, sql, rows) => {
    expect(await dialect.query(sql)).toEqual(rows);
  });
});

test('calls over the columns of their own query are left as they are', () => {
  const sql =
    "SELECT NULLIF(LENGTH(project), id + 1), STRUCT(INSTR(project, 'a', id) AS i), (SELECT MAX(POW(e.id, 2)) FROM events AS e WHERE e.id = logs.id) FROM logs";
  const { query } = compile({ sql, source: { file: 'test.sql', line: 1 } }, tables);
  expect(closeLambdas(query)).toBe(query);
  expect(printQuery(query)).not.toMatch(/\[row\(|CASE WHEN TRUE/);
});

describe('a subquery', () => {
  test.each([
    [
      'as either argument of NULLIF',
      "SELECT NULLIF(id > 1, id IN (SELECT id FROM events WHERE detail.kind = 'b')) AS a, NULLIF((SELECT MAX(x) FROM UNNEST(tags) AS x), (SELECT MIN(x) FROM UNNEST(tags) AS x)) AS b, NULLIF(EXISTS (SELECT 1 FROM UNNEST(tags)), FALSE) AS c FROM logs ORDER BY id",
      [
        [null, 'y', true],
        [null, null, null],
        [true, null, true],
        [true, null, null],
      ],
    ],
    [
      'inside other functions',
      "SELECT FORMAT('%t|%5d', NULLIF(id, (SELECT COUNT(*) FROM UNNEST(tags))), (SELECT COUNT(*) FROM UNNEST(tags))) AS f, UPPER(NULLIF(project, (SELECT MAX(t) FROM UNNEST(tags) AS t))) AS u FROM logs WHERE id IN (1, 3) ORDER BY id",
      [
        ['1|    2', 'A'],
        ['3|    1', 'B'],
      ],
    ],
    [
      'as a time zone',
      "SELECT CAST(TIMESTAMP(DATETIME '2024-07-01 00:00:00', (SELECT 'Europe/Berlin')) AS STRING) AS t",
      [['2024-06-30 22:00:00+00']],
    ],
    [
      'in HAVING',
      'SELECT project, COUNT(*) AS n FROM logs GROUP BY project HAVING NULLIF(COUNT(*), (SELECT 2)) = 1 ORDER BY project',
      [
        [null, '1'],
        ['b', '1'],
      ],
    ],
  ])('gives its value %s', async (_title, sql, rows) => {
    expect(await dialect.query(sql)).toEqual(rows);
  });
});

describe('a subquery as the key of a RANGE frame', () => {
  const frame = '(ORDER BY (SELECT COUNT(*) FROM UNNEST(tags)) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)';
  test.each([
    ['of a window', `SELECT id, SUM(id) OVER ${frame} AS s FROM logs ORDER BY id`, ['4', '6', '9', '6']],
    [
      'of a named window',
      `SELECT id, SUM(id) OVER w AS s FROM logs WINDOW w AS ${frame} ORDER BY id`,
      ['4', '6', '9', '6'],
    ],
    ['in QUALIFY', `SELECT id, 0 AS s FROM logs QUALIFY SUM(id) OVER ${frame} = 9`, ['0']],
    [
      'over groups',
      'SELECT id, SUM(COUNT(*)) OVER (ORDER BY (SELECT MAX(x) FROM UNNEST([id, 2]) AS x) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM logs GROUP BY id ORDER BY id',
      ['2', '2', '3', '2'],
    ],
    [
      'after a pipe',
      `FROM logs |> EXTEND SUM(id) OVER ${frame} AS s |> SELECT id, s |> ORDER BY id`,
      ['4', '6', '9', '6'],
    ],
  ])('gives the sums %s', async (_title, sql, values) => {
    const rows = await dialect.query(sql);
    expect(rows.map(([, value]) => value)).toEqual(values);
  });
});
