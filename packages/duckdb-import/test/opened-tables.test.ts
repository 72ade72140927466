import { DuckDBInstance } from '@duckdb/node-api';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import { expect, test } from 'vitest';
import { openTables } from '../src/store/stored-tables.ts';
import { logs } from './import-folder.ts';
import { openTestStore } from './test-store.ts';

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

test('a table that DuckDB cannot store is named by the error', async () => {
  const fields = ['a', 'A'].map((name): Field => ({ name, type: 'DATE', mode: 'NULLABLE' }));
  await expect(openTestStore([{ name: 'twice', fields }])).rejects.toThrow(
    /^The tables cannot be stored:\n {2}twice: Column with name A already exists!$/,
  );
});
