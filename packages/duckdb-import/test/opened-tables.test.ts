import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { expect, test } from 'vitest';
import { openImport } from '../src/open-import.ts';
import { openTables } from '../src/store/stored-tables.ts';
import { lines, logs } from './import-folder.ts';
import { openTestStore, type TestStore } from './test-store.ts';

test('a start records all tables that are new or changed in one statement, and the others not at all', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("ATTACH ':memory:' AS store (STORAGE_VERSION 'v1.5.0'); USE store");
  const statements: string[] = [];
  const run = connection.run.bind(connection);
  connection.run = (sql, ...more) => {
    statements.push(sql);
    return run(sql, ...more);
  };
  const open = async (names: readonly string[], fields = logs.fields) => {
    statements.length = 0;
    const { all } = await openTables(
      connection,
      names.map((name) => ({ name, fields })),
    );
    const records = statements.filter((sql) => sql.startsWith('INSERT OR REPLACE'));
    const views = await run(
      "SELECT view_name FROM duckdb_views() WHERE schema_name = 'main' AND NOT internal",
    );
    expect((await views.getRows()).flat()).toEqual(expect.arrayContaining([...names]));
    expect(all.map(({ name }) => name)).toEqual(names);
    return records.length;
  };
  expect(await open(['a', 'b', 'c'])).toBe(1);
  expect(await open(['a', 'b', 'c'])).toBe(0);
  expect(await open(['a', 'd', 'b', 'e'])).toBe(1);
  expect(await open(['a', 'd', 'b', 'e'], logs.fields.slice(1))).toBe(1);
  expect(await open(['a', 'd', 'b', 'e'], logs.fields.slice(1))).toBe(0);
  connection.closeSync();
  instance.closeSync();
});

test('a table whose name changes in case only keeps its view, at a start and while it runs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'case-'));
  const opened = async (name: string, use: (store: TestStore) => Promise<void>) => {
    const store = await openTestStore([{ ...logs, name }], join(folder, 'store.duckdb'));
    await use(store);
    store.close();
  };
  const views = async ({ query }: TestStore) =>
    (await query(`FROM duckdb_views() SELECT view_name WHERE NOT internal AND schema_name = 'main'`)).flat();
  await opened('logs', async (store) => expect(await views(store)).toEqual(['logs']));
  await opened('Logs', async (store) => {
    expect(await views(store)).toEqual(['Logs']);
    const staged = await store.tables.stage({ ...logs, name: 'LOGS' });
    await store.tables.remove('Logs');
    await store.tables.adopt(staged);
    expect(await views(store)).toEqual(['LOGS']);
  });
  await opened('LOGS', async (store) => expect(await views(store)).toEqual(['LOGS']));
  rmSync(folder, { recursive: true });
});

test('a table that DuckDB cannot store is named by the error', async () => {
  const fields = ['a', 'A'].map((name): Field => ({ name, type: 'DATE', mode: 'NULLABLE' }));
  await expect(openTestStore([{ name: 'twice', fields }])).rejects.toThrow(
    /^The tables cannot be stored:\n {2}twice: Column with name A already exists!$/,
  );
});

test.each([false, true])(
  'a table that was not declared for a while is imported again, also if its record was kept: %s',
  async (isKept) => {
    const root = mkdtempSync(join(tmpdir(), 'declared-'));
    const [dataDir, scratch] = [join(root, 'data'), join(root, 'scratch')];
    mkdirSync(dataDir);
    mkdirSync(scratch);
    writeFileSync(join(dataDir, 'logs.ndjson'), lines(1, 2));
    const withStore = async (schemas: readonly TableSchema[], use: (store: TestStore) => Promise<void>) => {
      const store = await openTestStore(schemas, join(root, 'store.duckdb'));
      const { connect, onRepeatedRecord, tables } = store;
      const events = { problem: () => {} };
      const { signal } = new AbortController();
      const data = await openImport({ connect, dataDir, events, onRepeatedRecord, scratch, signal, tables });
      await data.sync();
      await use(store);
      await data.close();
      store.close();
    };
    const expectRows = async ({ query }: TestStore) =>
      expect(await query('SELECT id FROM main.logs ORDER BY id')).toEqual([[1n], [2n]]);
    await withStore([logs], expectRows);
    await withStore([{ ...logs, name: 'others' }], async ({ query }) => {
      expect(
        await query(`FROM duckdb_views() SELECT view_name WHERE NOT internal AND schema_name = 'main'`),
      ).toEqual([['others']]);
      if (isKept)
        await query(`INSERT INTO querygate_layouts SELECT 'logs', 'store.stored."logs"', plural, definition
          FROM querygate_layouts`);
    });
    await withStore([logs], expectRows);
    rmSync(root, { recursive: true });
  },
);
