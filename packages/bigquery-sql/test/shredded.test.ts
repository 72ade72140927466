import { afterAll, beforeAll, expect, test } from 'vitest';
import { storedColumns } from '../src/duckdb/layout/shredded-columns.ts';
import { runPasses } from '../src/passes/passes.ts';
import { renderRows } from '../src/passes/row-text.ts';
import { call } from '../src/tree/build.ts';
import { freshNames } from '../src/tree/fresh-names.ts';
import { printQuery } from '../src/tree/print.ts';
import { compileStored, openDialect, planOf, tables } from './harness.ts';

// The harness runs each query on declared and on shredded tables and compares the rows.
let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
});
afterAll(() => dialect.close());

test.each([
  ['a record that is NULL has no fields', 'SELECT id, detail.kind FROM events ORDER BY id', 4],
  ['a record is a value', 'SELECT id, detail FROM events ORDER BY id', 4],
  ['a field of a record is an array', 'SELECT id, detail.source FROM events ORDER BY id', 4],
  [
    'a key that REPLACE makes NULL',
    'SELECT * FROM (SELECT * REPLACE (IF(id = 4, NULL, happened) AS happened) FROM events) ORDER BY happened DESC, id LIMIT 4',
    4,
  ],
  [
    'a record that REPLACE hides',
    'SELECT * REPLACE (CAST(NULL AS STRING) AS detail) FROM events ORDER BY id',
    4,
  ],
  [
    "text in a record's place",
    "SELECT id, detail FROM (SELECT * REPLACE ('x' AS detail) FROM events) ORDER BY id",
    4,
  ],
  ['a LIMIT beyond all numbers', 'SELECT * FROM events ORDER BY happened, id LIMIT 9223372036854775807', 4],
  [
    'an OFFSET beyond all numbers',
    'SELECT * FROM events ORDER BY happened LIMIT 2 OFFSET 9223372036854775807',
    0,
  ],
  [
    'a join in parentheses of which one item is left',
    'SELECT e.id, s.host FROM (events e CROSS JOIN UNNEST(e.detail.source) s) LEFT JOIN projects p ON FALSE ORDER BY id',
    2,
  ],
  [
    'a field of a record that is a key of groups',
    'SELECT detail, COUNT(*) AS n FROM events GROUP BY detail HAVING detail.kind IS NOT NULL ORDER BY detail.kind',
    3,
  ],
  ['its length is known', 'SELECT id, ARRAY_LENGTH(detail.source) FROM events ORDER BY id', 4],
  [
    'UNNEST of a record below a record',
    'SELECT id, s.host, s FROM events e, e.detail.source s ORDER BY id',
    2,
  ],
  [
    'LEFT JOIN with a condition',
    "SELECT id, s.host, s FROM events e LEFT JOIN UNNEST(e.detail.source) s ON s.host = 'x' ORDER BY id",
    4,
  ],
  [
    'a field of each element',
    'SELECT id, host FROM events e LEFT JOIN UNNEST(e.detail.source.host) AS host ORDER BY id',
    4,
  ],
  [
    'an array of each element, in a subquery and beside IN',
    'SELECT id, (SELECT MAX(p) FROM UNNEST(detail.source.ports) p), 80 IN UNNEST(e.detail.source.ports) FROM events e ORDER BY id',
    4,
  ],
  ['JOIN with a condition', "SELECT id FROM events e JOIN UNNEST(e.detail.source) s ON s.host = 'x'", 1],
  [
    'WITH OFFSET',
    'SELECT id, pos FROM events e LEFT JOIN UNNEST(e.detail.source) s WITH OFFSET AS pos ORDER BY id',
    4,
  ],
  [
    'an array below the element',
    'SELECT id, port FROM events e, e.detail.source s, s.ports AS port ORDER BY id, port',
    2,
  ],
  [
    'EXISTS',
    "SELECT id FROM events e WHERE EXISTS (SELECT 1 FROM UNNEST(e.detail.source) s WHERE s.host = 'x')",
    1,
  ],
  [
    'a subquery over the element',
    'SELECT id, (SELECT s.host FROM UNNEST(e.detail.source) s) FROM events e ORDER BY id',
    4,
  ],
  [
    'ARRAY of the elements',
    'SELECT id, ARRAY(SELECT s.host FROM UNNEST(e.detail.source) s) FROM events e ORDER BY id',
    4,
  ],
  ['an index', 'SELECT id, detail.source[SAFE_OFFSET(0)].host FROM events ORDER BY id', 4],
  ['a whole row', 'SELECT TO_JSON_STRING(e) FROM events e ORDER BY id', 4],
  ['every column', 'SELECT * FROM events ORDER BY id', 4],
  ['every column but one', 'SELECT * EXCEPT (id) FROM events ORDER BY happened, detail.kind', 4],
  ['the fields of a record', 'SELECT id, detail.* FROM events ORDER BY id', 4],
  [
    'a common table hands records on',
    'WITH e AS (SELECT id, detail AS d FROM events) SELECT id, s.host FROM e, e.d.source s ORDER BY id',
    2,
  ],
  [
    'a set operation',
    'SELECT id, detail FROM events WHERE id = 1 UNION ALL SELECT id, detail FROM events WHERE id = 2 ORDER BY id',
    2,
  ],
  ['a group', 'SELECT detail.kind, COUNT(*) FROM events GROUP BY 1 ORDER BY 1', 4],
  ['an aggregate of records', 'SELECT ANY_VALUE(detail.kind), COUNT(detail) FROM events WHERE id = 1', 1],
  [
    'an outer join',
    'SELECT p.project, e.detail FROM projects p LEFT JOIN events e ON e.id = 1 AND p.project = "a" ORDER BY 1',
    2,
  ],
  ['the latest rows', 'SELECT id, detail FROM events ORDER BY happened DESC, id LIMIT 2', 2],
  ['the first rows after some', 'SELECT id, detail FROM events ORDER BY happened, id LIMIT 1 OFFSET 1', 1],
  ['fewer rows than LIMIT', 'SELECT id, detail FROM events WHERE id > 9 ORDER BY happened DESC LIMIT 2', 0],
  [
    'the latest rows of a common table',
    'WITH e AS (SELECT * FROM events WHERE id < 4) SELECT * FROM e ORDER BY happened DESC, id LIMIT 2',
    2,
  ],
])('gives every row: %s', async (_, sql, count) => {
  expect(await dialect.query(sql)).toHaveLength(count);
});

const shredded = tables.map((table) => ({ ...table, columns: storedColumns(table, new Set()) }));
const compiled = (sql: string) => compileStored(sql, shredded);
const textOf = (sql: string, known = {}) => planOf(compiled(sql), known).sql;

test('an element of a shredded record is read without UNNEST', () => {
  const text = textOf('SELECT s.host FROM events e CROSS JOIN UNNEST(e.detail.source) AS s');
  expect(text).toContain('"events"."detail.source.host"');
  expect(text).not.toMatch(/unnest|struct_pack|LATERAL/i);
});

test('wide rows are read only for the first keys', () => {
  const sql = 'WITH e AS (SELECT * FROM events WHERE id > 1) SELECT * FROM e ORDER BY happened DESC LIMIT 5';
  expect(textOf(sql)).toMatch(
    /"happened" >= \(SELECT min\("\w+"\."key"\) AS "key" FROM \(SELECT "\w+"\."happened" AS "key" .* LIMIT CAST\(5 AS BIGINT\)\) AS "\w+"\)/,
  );
});

test.each([
  ['in the select list', 'SELECT id, detail FROM events', true],
  [
    'of the rows after LIMIT with a top-n condition',
    'SELECT id, detail FROM events ORDER BY happened LIMIT 5',
    true,
  ],
  [
    'not before ORDER BY and LIMIT on an expression',
    'SELECT id, detail FROM events ORDER BY id + 1 LIMIT 5',
    false,
  ],
  [
    'not in a part of a set operation',
    'SELECT * FROM (SELECT id, detail FROM events) UNION ALL SELECT 1, NULL',
    false,
  ],
])('shredded records are rendered %s', (_, sql, isRendered) => {
  const { query } = compiled(sql);
  const options = { known: {}, fresh: freshNames(query) };
  const rendered = renderRows(
    runPasses(query, options),
    (value) => (value.kind === 'record' ? call('rendered', [value.present]) : value),
    options,
  );
  const isInPlace = rendered.kind === 'select' && rendered.from?.kind === 'table';
  expect(isInPlace && printQuery(rendered).includes('rendered(')).toBe(isRendered);
});

test('top-n rows of a subquery are compared with a subquery, not with a bound threshold', () => {
  const sql =
    "SELECT COUNT(*) FROM (SELECT * FROM events ORDER BY happened DESC LIMIT 5) AS e WHERE TO_JSON_STRING(e) <> ''";
  expect(textOf(sql)).toMatch(
    />= \(SELECT min\("\w+"."key"\) AS "key" FROM \(SELECT "\w+"."happened" AS "key" .* LIMIT/,
  );
});

test.each([
  ['a key that may be NULL', 'SELECT * FROM logs ORDER BY timestamp DESC LIMIT 5'],
  ['rows that are not wide', 'SELECT id FROM events ORDER BY happened DESC LIMIT 5'],
  [
    'a key of the nullable side of an outer join',
    'SELECT e.* FROM projects p LEFT JOIN events e ON true ORDER BY happened LIMIT 5',
  ],
  ['groups', 'SELECT happened, ANY_VALUE(detail) FROM events GROUP BY happened ORDER BY happened LIMIT 5'],
])('%s: no threshold', (_, sql) => {
  expect(textOf(sql)).not.toContain('"key"');
});

test('row-independent values are bound as constants', () => {
  const text = textOf(
    'SELECT id FROM events WHERE happened > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)',
  );
  expect(text).toContain('$querygate_constant_1');
  expect(text).not.toContain('bq.');
});

test('a branch that a known parameter excludes is left out', () => {
  const sql = "SELECT CASE @a WHEN 'x' THEN UPPER(detail.kind) ELSE LOWER(detail.kind) END FROM events";
  expect(textOf(sql, { a: 'x' })).toMatch(/upper/i);
  expect(textOf(sql, { a: 'x' })).not.toMatch(/lower|CASE/i);
  expect(textOf(sql, { a: 'y' })).not.toMatch(/upper/i);
});

test('an unread common table expression is left out', () => {
  expect(textOf('WITH a AS (SELECT id FROM events), b AS (SELECT 2 AS x) SELECT x FROM b')).not.toContain(
    'events',
  );
});

const perProject = (columns: string, tail = 'GROUP BY project') =>
  `WITH s AS (SELECT ${columns} FROM logs ${tail})`;

test('an unread column of a grouped query is not computed', async () => {
  const sql = `${perProject('project, COUNT(*) AS n, MAX(id) AS latest')} SELECT project, n FROM s ORDER BY 1`;
  expect(textOf(sql)).not.toContain('max(');
  expect(await dialect.query(sql)).toEqual([
    [null, '1'],
    ['a', '2'],
    ['b', '1'],
  ]);
});

test('unread columns of a common table expression are left out', async () => {
  const sql = `WITH e AS (SELECT id, happened, detail FROM events) SELECT e.detail.kind FROM e WHERE id > 1 ORDER BY id`;
  expect(textOf(sql)).not.toContain('happened');
  expect(await dialect.query(sql)).toEqual([['b'], [null], ['c']]);
});

test.each([
  ['a key', `${perProject('project, COUNT(*) AS n')} SELECT n FROM s ORDER BY n`, [['1'], ['1'], ['2']]],
  [
    'a key of GROUP BY ALL',
    `${perProject('project, COUNT(*) AS n', 'GROUP BY ALL')} SELECT n FROM s ORDER BY n`,
    [['1'], ['1'], ['2']],
  ],
  [
    'columns read by *',
    `${perProject('project, MAX(id) AS m')} SELECT COUNT(*) FROM (SELECT * FROM s)`,
    [['3']],
  ],
  [
    'a key that is an expression',
    `${perProject('CONCAT(project, "x") AS p, COUNT(*) AS n', 'GROUP BY CONCAT(project, "x")')} SELECT n FROM s ORDER BY n`,
    [['1'], ['1'], ['2']],
  ],
  [
    'a column that HAVING reads',
    `${perProject('project, COUNT(*) AS n', 'GROUP BY project HAVING n > 1')} SELECT project FROM s`,
    [['a']],
  ],
  [
    'a column of SELECT DISTINCT',
    `WITH s AS (SELECT DISTINCT project, COUNT(*) AS n FROM logs GROUP BY project) SELECT n FROM s ORDER BY n`,
    [['1'], ['1'], ['2']],
  ],
  [
    'the second part of a union',
    `WITH s AS (SELECT MAX(id) AS a FROM logs GROUP BY project UNION ALL SELECT MIN(id) AS b FROM logs GROUP BY project)
     SELECT SUM(a) FROM s`,
    [['17']],
  ],
  [
    'a column of a whole row',
    `${perProject('project, COUNT(*) AS n')} SELECT s.n FROM (SELECT AS STRUCT s AS s FROM s) ORDER BY 1`,
    [['1'], ['1'], ['2']],
  ],
  [
    'a column that a later common table expression reads',
    `${perProject('project, COUNT(*) AS n')}, t AS (SELECT SUM(n) AS total FROM s) SELECT total FROM t`,
    [['4']],
  ],
])('%s is kept', async (_, sql, rows) => {
  expect(await dialect.query(sql)).toEqual(rows);
});

test('only quantiles that are read are computed', async () => {
  const sql = `WITH s AS (SELECT project, APPROX_QUANTILES(id, 100) AS q FROM logs GROUP BY project)
    SELECT project, q[OFFSET(95)], q[OFFSET(0)] FROM s ORDER BY project`;
  expect(textOf(sql)).toContain("[CAST('0.95' AS DOUBLE), CAST('0' AS DOUBLE)])");
  expect(await dialect.query(sql)).toEqual([
    [null, '4', '4'],
    ['a', '2', '1'],
    ['b', '3', '3'],
  ]);
  const whole = 'WITH s AS (SELECT APPROX_QUANTILES(id, 4) AS q FROM logs) SELECT q[OFFSET(1)], q FROM s';
  expect(textOf(whole)).toContain("[CAST('0' AS DOUBLE), CAST('0.25' AS DOUBLE), CAST('0.5' AS DOUBLE)");
});

test('text may contain the characters that mark constants', async () => {
  expect(await dialect.query(String.raw`SELECT UPPER('a\x01b\x02c'), id FROM logs WHERE id = 1`)).toEqual([
    ['A\u0001B\u0002C', '1'],
  ]);
});
