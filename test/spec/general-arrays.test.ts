import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, expect, test, vi } from 'vitest';
import { loadTables } from '../../src/catalog/folder/load-tables.ts';
import { isNightly } from '../support/nightly.ts';

// A module that another file of this process has imported would not state its tests again.
vi.resetModules();
const { forms, openTestApp } = await import('../support/test-app.ts');
// Starts processes, as the tests that it repeats.
await import('../support/on-engines.ts');

// Every rule again, over tables whose records are stored as lists: one old row has two elements of each.
forms.general = true;
afterAll(() => {
  forms.general = false;
});
for (const file of readdirSync(import.meta.dirname)) {
  const isRepeated = isNightly ? file !== 'general-arrays.test.ts' : file.startsWith('usage');
  if (file.endsWith('.test.ts') && isRepeated) await import(`./${file}`);
}

test('there are lists', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const app = await openTestApp({}, { STORE_FILE: join(folder, 'store.duckdb') });
  await app.close();
  const instance = await DuckDBInstance.create(join(folder, 'store.duckdb'));
  const connection = await instance.connect();
  const lists = await connection.runAndReadAll(
    `SELECT count(*) FROM querygate_layouts WHERE plural = ['metadata']`,
  );
  expect(Number(lists.getRows()[0]?.[0])).toBe(loadTables('queries/tables').tables.length);
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});
