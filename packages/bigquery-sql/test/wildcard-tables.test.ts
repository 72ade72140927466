import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../src/compile.ts';
import { sessionSettings } from '../src/duckdb/session-settings.ts';
import { openSandbox } from '../src/sandbox/open-sandbox.ts';
import type { Field, TableSchema } from '../src/table-schema.ts';
import { printQuery } from '../src/tree/print.ts';
import { planOf } from './harness.ts';

const table = (name: string, ...columns: readonly string[]): TableSchema => ({
  name,
  fields: columns.map((column) => ({ name: column, type: 'INT64', mode: 'NULLABLE' })),
});
const tables = [
  table('events_20240101', 'id'),
  table('events_20240102', 'id', 'n'),
  // Of a wildcard, `*` is at least one character.
  table('events_', 'id'),
  table('other', 'id'),
];

const field = (name: string, type: Field['type'], rest: Partial<Field> = {}): Field => ({
  name,
  type,
  mode: 'NULLABLE',
  ...rest,
});
/** Two tables with a column `v` each, whose names end in `_Old` and `_New`: the latter is the first by name. */
const pair = (name: string, before: Partial<Field>, last: Partial<Field>): readonly TableSchema[] => [
  { name: `${name}_Old`, fields: [field('id', 'INT64'), field('v', 'INT64', last)] },
  { name: `${name}_New`, fields: [field('id', 'INT64'), field('v', 'INT64', before)] },
];
const record = (...fields: readonly Field[]): Partial<Field> => ({ type: 'RECORD', fields });
const [x, y, z] = [field('x', 'INT64'), field('y', 'INT64'), field('z', 'STRING')];
const drifted = [
  ...pair('swapped', record(y, x), record(x, y)),
  ...pair('lists', { ...record(y, x), mode: 'REPEATED' }, { ...record(x, y, z), mode: 'REPEATED' }),
  ...pair(
    'nested',
    record(field('r', 'RECORD', { fields: [y, x] })),
    record(field('r', 'RECORD', { fields: [x, y] })),
  ),
  ...pair('wider', { type: 'INT64' }, { type: 'FLOAT64' }),
  ...pair('exact', { type: 'NUMERIC' }, { type: 'FLOAT64' }),
  ...pair('narrower', { type: 'FLOAT64' }, { type: 'INT64' }),
  ...pair('texts', { type: 'STRING' }, { type: 'INT64' }),
  ...pair('days', { type: 'DATE' }, { type: 'DATETIME' }),
  ...pair('repeated', { type: 'STRING', mode: 'REPEATED' }, { type: 'STRING' }),
  ...pair('fields', record(field('x', 'STRING')), record(x, y)),
  ...pair('records', { type: 'INT64' }, record(x)),
];

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
beforeAll(async () => {
  await connection.run(sessionSettings.join(';'));
  await connection.run(
    `CREATE TABLE events_20240101 AS SELECT 1::BIGINT AS id; CREATE TABLE events_20240102 AS SELECT 2::BIGINT AS id, 7::BIGINT AS n; CREATE TABLE other AS SELECT 3::BIGINT AS id;
    CREATE TABLE swapped_Old AS SELECT 1::BIGINT AS id, {x: 1::BIGINT, y: 2::BIGINT} AS v; CREATE TABLE swapped_New AS SELECT 2::BIGINT AS id, unnest([{y: 6::BIGINT, x: 5::BIGINT}, NULL]) AS v;
    CREATE TABLE lists_Old AS SELECT 1::BIGINT AS id, [{x: 1::BIGINT, y: 2::BIGINT, z: 'q'}] AS v; CREATE TABLE lists_New AS SELECT 2::BIGINT AS id, [{y: 6::BIGINT, x: 5::BIGINT}] AS v;
    CREATE TABLE nested_Old AS SELECT 1::BIGINT AS id, {r: {x: 1::BIGINT, y: 2::BIGINT}} AS v; CREATE TABLE nested_New AS SELECT 2::BIGINT AS id, {r: {y: 6::BIGINT, x: 5::BIGINT}} AS v;
    CREATE TABLE wider_Old AS SELECT 1::BIGINT AS id, 0.5::DOUBLE AS v; CREATE TABLE wider_New AS SELECT 2::BIGINT AS id, 10::BIGINT AS v;
    CREATE TABLE exact_Old AS SELECT 1::BIGINT AS id, 0.25::DOUBLE AS v; CREATE TABLE exact_New AS SELECT 2::BIGINT AS id, 1.5::DECIMAL(38, 9) AS v;
    CREATE TABLE fields_Old AS SELECT 1::BIGINT AS id, {x: 1::BIGINT, y: 2::BIGINT} AS v; CREATE TABLE fields_New AS SELECT 2::BIGINT AS id, {x: 'text'} AS v;
    CREATE TABLE texts_Old AS SELECT 1::BIGINT AS id, 10::BIGINT AS v; CREATE TABLE texts_New AS SELECT 2::BIGINT AS id, '9' AS v`,
  );
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

// The columns are those of the last table by name, as in BigQuery.
test.each([
  [
    'SELECT id, n, _TABLE_SUFFIX AS day FROM `events_*` ORDER BY id',
    [
      ['1', null, '20240101'],
      ['2', '7', '20240102'],
    ],
  ],
  ["SELECT id FROM `p.d.events_*` WHERE _TABLE_SUFFIX > '20240101'", [['2']]],
  ["SELECT e FROM `events_*` AS e WHERE _TABLE_SUFFIX > '20240101'", [[{ id: '2', n: '7' }]]],
  [
    'SELECT * FROM `events_2024*` ORDER BY id',
    [
      ['1', null],
      ['2', '7'],
    ],
  ],
  ["FROM `events_*` |> WHERE _TABLE_SUFFIX > '20240101' |> EXTEND 1 AS x", [['2', '7', '1']]],
  [
    "FROM `events_*` |> EXTEND _TABLE_SUFFIX AS s |> WHERE _TABLE_SUFFIX = '20240101'",
    [['1', null, '20240101']],
  ],
  ["FROM `events_*` |> EXTEND _TABLE_SUFFIX |> WHERE _table_suffix = '20240101'", [['1', null, '20240101']]],
  ['FROM `events_*` |> AGGREGATE COUNT(*) AS n GROUP BY _TABLE_SUFFIX |> SELECT n |> LIMIT 1', [['1']]],
  ["SELECT e.id FROM `events_*` AS e WHERE e._table_suffix = '20240101'", [['1']]],
])('reads the tables that it names: %s', async (sql, rows) => {
  const compiled = compile({ sql, source: { file: 'q.sql', line: 1 } }, tables);
  for (const text of [printQuery(compiled.query), planOf(compiled).sql])
    expect((await connection.runAndReadAll(text)).getRowsJson(), text).toEqual(rows);
  expect(compiled.tables).toEqual(['events_20240101', 'events_20240102']);
});

test.each([
  ['SELECT v FROM `swapped_*` ORDER BY id, v.x', [[{ x: '1', y: '2' }], [null], [{ x: '5', y: '6' }]]],
  ['SELECT id FROM `swapped_*` WHERE v = (SELECT v FROM swapped_Old)', [['1']]],
  ['SELECT v.x FROM `swapped_*` WHERE v.y > 2', [['5']]],
  ['SELECT v FROM `lists_*` ORDER BY id', [[[{ x: '1', y: '2', z: 'q' }]], [[{ x: '5', y: '6', z: null }]]]],
  ['SELECT e.y FROM `lists_*`, UNNEST(v) AS e ORDER BY y', [['2'], ['6']]],
  ['SELECT v.r FROM `nested_*` ORDER BY id', [[{ x: '1', y: '2' }], [{ x: '5', y: '6' }]]],
  ['SELECT v FROM `wider_*` ORDER BY v', [[0.5], [10]]],
  ['SELECT MIN(v) FROM `exact_*`', [[0.25]]],
  ['SELECT v.y FROM `fields_*` ORDER BY 1', [[null], ['2']]],
  ['SELECT id FROM `texts_*` ORDER BY id', [['1'], ['2']]],
  ['SELECT id FROM (SELECT * FROM `texts_*`) ORDER BY id', [['1'], ['2']]],
  ['WITH t AS (SELECT * FROM `texts_*`) SELECT COUNT(*) FROM t', [['2']]],
  ['SELECT DISTINCT _TABLE_SUFFIX FROM `texts_*` ORDER BY 1', [['New'], ['Old']]],
  ["SELECT id FROM `TEXTS_*` WHERE _TABLE_SUFFIX = 'New'", [['2']]],
])('gives values the types of the last table: %s', async (sql, rows) => {
  const compiled = compile({ sql, source: { file: 'q.sql', line: 1 } }, drifted);
  for (const text of [printQuery(compiled.query), planOf(compiled).sql])
    expect((await connection.runAndReadAll(text)).getRowsJson(), text).toEqual(rows);
});

// BigQuery: Cannot read field 'v' of type STRING as INT64.
test.each([
  ['SELECT v FROM `texts_*`', 'v is STRING in texts_New and INT64 in texts_Old, the last table of texts_*'],
  ['SELECT * FROM `texts_*`', 'v is STRING'],
  ['SELECT id FROM `texts_*` WHERE v > 1', 'v is STRING'],
  ['SELECT t FROM `texts_*` AS t', 'v is STRING'],
  ['WITH t AS (SELECT * FROM `p.d.texts_*`) SELECT MAX(v) FROM t', 'v is STRING'],
  ['SELECT v FROM `narrower_*`', 'v is FLOAT64 in narrower_New and INT64 in narrower_Old'],
  ['SELECT v FROM `days_*`', 'v is DATE in days_New and DATETIME in days_Old'],
  ['SELECT v FROM `repeated_*`', 'v is ARRAY<STRING> in repeated_New and STRING in repeated_Old'],
  ['SELECT v.x FROM `fields_*`', 'v.x is STRING in fields_New and INT64 in fields_Old'],
  ['SELECT v FROM `fields_*`', 'v.x is STRING'],
  ['SELECT v.x FROM `records_*`', 'v is INT64 in records_New and STRUCT<x INT64> in records_Old'],
])('refuses a column whose types do not fit: %s', (sql, message) => {
  expect(() => compile({ sql, source: { file: 'q.sql', line: 1 } }, drifted)).toThrow(message);
});

test("callers' SQL reads no column whose types do not fit", () => {
  const open = (columns: string) =>
    openSandbox(
      {
        sql: `WITH t AS (SELECT ${columns} FROM \`p.d.texts_*\`) SELECT id FROM t`,
        source: { file: 'q.sql', line: 1 },
        parameters: [],
      },
      drifted,
    );
  expect(open('id').judge('SELECT id FROM t').compiled.tables).toEqual(['texts_New', 'texts_Old']);
  expect(() => open('*')).toThrow('v is STRING in texts_New and INT64 in texts_Old');
});

test('a prefix that no table has is refused', () => {
  expect(() =>
    compile({ sql: 'SELECT 1 FROM `nothing_*`', source: { file: 'q.sql', line: 1 } }, tables),
  ).toThrow('no table is named nothing_*');
});
