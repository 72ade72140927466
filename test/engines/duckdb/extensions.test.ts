import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '@duckdb/node-api';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { withDefaults } from '../../../src/engines/duckdb/duckdb-options.ts';
import { loadExtensions } from '../../../src/engines/duckdb/extensions.ts';
import { type Database, openDatabase } from '../../../src/engines/duckdb/open-database.ts';
import { extensionsDir, isWithoutExtensions } from '../../support/duckdb-extensions.ts';

let database: Database;
const folder = mkdtempSync(join(tmpdir(), 'querygate-extensions-'));
beforeAll(async () => {
  database = await openDatabase(withDefaults({ threads: 1 }));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => database.close());

const load = async (from: string | undefined) =>
  loadExtensions(await database.connect(), from, ['httpfs'], 'a test');

test('without a folder a start says which file is needed, and how to get it', async () => {
  await expect(load(undefined)).rejects.toThrow(
    /extensionsDir: is not set, and a test needs httpfs\.duckdb_extension; it must be signed, and of DuckDB v[\d.]+ for \w+: pip install --no-deps --target extensions duckdb-extension-httpfs==[\d.]+$/,
  );
});

test('a folder that is missing, or lacks the file, is named', async () => {
  await expect(load(folder)).rejects.toThrow(/got ".*", which cannot be read \(ENOENT\)/);
  mkdirSync(folder);
  await expect(load(folder)).rejects.toThrow(/which has no such file/);
});

test('a file that is not an extension is named', async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, 'httpfs.duckdb_extension'), 'x'.repeat(5000));
  await expect(load(folder)).rejects.toThrow(/httpfs\.duckdb_extension" is only a part of an extension/);
});

test.skipIf(isWithoutExtensions).each([
  ['of another version', (bytes: Buffer) => bytes.write('v0.0.1', bytes.length - 352), 'is of DuckDB v0.0.1'],
  [
    'of another platform',
    (bytes: Buffer) => bytes.write('other\0\0\0\0\0\0', bytes.length - 320),
    'is for other',
  ],
  ['that was changed', (bytes: Buffer) => bytes.write('changed', 1000), 'has been changed, or is not signed'],
])('a file %s is not loaded, and the message says so', async (_, change, problem) => {
  const [file = ''] = globSync(join(extensionsDir, '**/httpfs.duckdb_extension'));
  const bytes = readFileSync(file);
  change(bytes);
  mkdirSync(folder);
  writeFileSync(join(folder, 'httpfs.duckdb_extension'), bytes);
  await expect(load(folder)).rejects.toThrow(problem);
});

test.skipIf(isWithoutExtensions)('of several files, that of the version of DuckDB is loaded', async () => {
  const [file = ''] = globSync(join(extensionsDir, '**/httpfs.duckdb_extension'));
  for (const name of ['v0.0.1', version()]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'v0.0.1', 'httpfs.duckdb_extension'), '');
  copyFileSync(file, join(folder, version(), 'httpfs.duckdb_extension'));
  await load(folder);
});
