import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openSandbox, type TableRead } from '@querygate/bigquery-sql/sandbox';
import { bindingsOf } from '@querygate/bigquery-sql/duckdb';
import { openDatabase } from '../../../src/engines/duckdb/open-database.ts';
import { javascriptInPlace } from '../../../src/engines/duckdb/javascript/javascript-apart.ts';
import { ConnectionPool } from '../../../src/engines/duckdb/run/connection-pool.ts';
import { buildDefineMacros } from '../../../src/engines/duckdb/run/define-macros.ts';
import { exportRows } from '../../../src/engines/duckdb/sandbox/export-rows.ts';
import { eventually } from '../../support/eventually.ts';

const field = (name: string, type: 'STRING' | 'INTEGER') => ({ name, type, mode: 'NULLABLE' }) as const;
const tables = openSandbox(
  {
    sql: `with
      few as (select id, text from events),
      failing as (select id from events where cast(text as int64) > 0),
      endless as (select a.id from events a, events b, events c, events d where mod(a.id + b.id + c.id + d.id, 7) = 9),
      bounded as (select id from events where id > cast(@kind as int64)),
      optional as (select id from events where if(regexp_contains(@kind, r'^[0-9]+$'), id > cast(@kind as int64), text != @kind))
    select 1 as n from few`,
    source: { file: 'rows.sql', line: 1 },
    parameters: [{ name: 'kind' }],
  },
  [{ name: 'events', fields: [field('id', 'INTEGER'), field('text', 'STRING')] }],
).exportTables();

let folder: string;
let database: Awaited<ReturnType<typeof openDatabase>>;
let context: Parameters<typeof exportRows>[0];
beforeAll(async () => {
  database = await openDatabase({ threads: 1, memoryLimit: '1GB' });
  const pool = await ConnectionPool.open(1, {
    ...{ maxSlow: 1, queueLength: 10, database },
    onStuck() {},
  });
  const connection = await database.connect();
  await connection.run("create table events as select range as id, 'text' as text from range(1000)");
  const defineMacros = buildDefineMacros(connection, new Set());
  context = { pool, defineMacros, javascript: javascriptInPlace, maxBytes: 1e9 };
});
afterAll(() => database.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-exported-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const readOf = (table: string): TableRead => ({
  table,
  columns: ['id'],
  where: [],
  orderBy: [],
  limit: undefined,
});

const exported = (
  names: readonly string[],
  { maxBytes = 1e9, signal = new AbortController().signal }: { maxBytes?: number; signal?: AbortSignal } = {},
  change: Partial<TableRead> = {},
) =>
  exportRows(
    { ...context, maxBytes },
    {
      ...{ name: 'rows', key: names.join(), owner: 'one', signal, tables, folder },
      reads: names.map((name) => ({ ...readOf(name), ...change })),
      known: { kind: 'no number' },
      bindings: bindingsOf({ kind: 'no number' }, new Date(), []),
    },
  );

const isEmpty = () => eventually(() => expect(readdirSync(folder)).toEqual([]));

test('a file is written for each table, and no run has a file of another one', async () => {
  const files = [...(await exported(['few', 'few'])), ...(await exported(['few']))];
  expect(new Set(files).size).toBe(3);
  expect(
    readdirSync(folder)
      .map((name) => join(folder, name))
      .sort(),
  ).toEqual(files.sort());
});

test('a constant that fails and that no row needs is left out, also of several tables', async () => {
  expect(await exported(['optional'])).toHaveLength(1);
  expect(await exported(['optional', 'few'])).toHaveLength(2);
});

test('files go when a table after them cannot be written', async () => {
  await expect(exported(['few', 'failing'])).rejects.toThrow('text');
  await isEmpty();
});

test('files go when they are too large', async () => {
  await expect(exported(['few', 'few'], { maxBytes: 1_000 })).rejects.toMatchObject({
    code: 'QUERY_TOO_EXPENSIVE',
  });
  await isEmpty();
});

test('files go when the caller has gone', async () => {
  const abort = new AbortController();
  const running = exported(['few', 'endless'], { signal: abort.signal });
  await eventually(() => expect(readdirSync(folder)).not.toEqual([]));
  abort.abort(new Error('gone'));
  await expect(running).rejects.toThrow('gone');
  await isEmpty();
});

test('a constant that fails does so whatever the text compares', async () => {
  const idIs = (value: string) =>
    [{ operator: '=', operands: [{ column: 'id' }, { type: 'INT64', value }] }] as const;
  for (const where of [[], [idIs('7')], [idIs('-7')]])
    await expect(exported(['bounded'], {}, { where })).rejects.toThrow('no number');
});
