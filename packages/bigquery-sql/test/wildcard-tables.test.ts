import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compile } from '../src/compile.ts';
import { sessionSettings } from '../src/duckdb/session-settings.ts';
import type { TableSchema } from '../src/table-schema.ts';
import { printQuery } from '../src/tree/print.ts';
import { planOf } from './harness.ts';

const table = (name: string, ...columns: readonly string[]): TableSchema => ({
  name,
  fields: columns.map((column) => ({ name: column, type: 'INT64', mode: 'NULLABLE' })),
});
const tables = [table('events_20240101', 'id'), table('events_20240102', 'id', 'n'), table('other', 'id')];

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
beforeAll(async () => {
  await connection.run(sessionSettings.join(';'));
  await connection.run(
    'CREATE TABLE events_20240101 AS SELECT 1::BIGINT AS id; CREATE TABLE events_20240102 AS SELECT 2::BIGINT AS id, 7::BIGINT AS n; CREATE TABLE other AS SELECT 3::BIGINT AS id',
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
  [
    'SELECT * FROM `events_2024*` ORDER BY id',
    [
      ['1', null],
      ['2', '7'],
    ],
  ],
  ["SELECT e.id FROM `events_*` AS e WHERE e._table_suffix = '20240101'", [['1']]],
])('reads the tables that it names: %s', async (sql, rows) => {
  const compiled = compile({ sql, source: { file: 'q.sql', line: 1 } }, tables);
  for (const text of [printQuery(compiled.query), planOf(compiled).sql])
    expect((await connection.runAndReadAll(text)).getRowsJson(), text).toEqual(rows);
  expect(compiled.tables).toEqual(['events_20240101', 'events_20240102']);
});

test('a prefix that no table has is refused', () => {
  expect(() =>
    compile({ sql: 'SELECT 1 FROM `nothing_*`', source: { file: 'q.sql', line: 1 } }, tables),
  ).toThrow('no table is named nothing_*');
});
