import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, openTables } from '@querygate/duckdb-import';
import { expect, onTestFinished, test } from 'vitest';
import type { EngineListener } from '../../../src/engine-contract/engine.ts';
import { withDefaults } from '../../../src/engines/duckdb/duckdb-options.ts';
import { openData } from '../../../src/engines/duckdb/open-data.ts';
import { openDatabase } from '../../../src/engines/duckdb/open-database.ts';
import { StartError } from '../../../src/errors.ts';

const defect = "SELECT regexp_extract_all(s, '\\B') FROM (SELECT repeat('né', i) AS s FROM range(3) AS t(i))";

const open = async (folder: string, listener: Partial<EngineListener> = {}) => {
  const root = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const settings = withDefaults({ dataDir: join(root, folder), refreshSeconds: 0.02 });
  const database = await openDatabase(settings);
  const store = await openStore(await database.connect(), ':memory:');
  onTestFinished(async () => {
    database.close();
    await store.close();
    rmSync(root, { recursive: true });
  });
  const data = await openData({
    ...database,
    ...{ settings, store, tables: await openTables(await database.connect(), []) },
    ...{ onRebuilt: async () => {}, now: () => new Date() },
    listener: { problem() {}, news() {}, ...listener },
  });
  onTestFinished(() => data.close());
  return database.connect();
};

test('a data folder that cannot be read for the first import is not opened', async () => {
  await expect(open('missing')).rejects.toThrow(
    new StartError('The data cannot be read', [
      { message: 'dataDir: the data folder cannot be read: ENOENT' },
    ]),
  );
});

test('an internal error of an import that made the database unusable is reported', async () => {
  let failure: Error | undefined;
  const { promise, resolve } = Promise.withResolvers<Error>();
  const connection = await open('.', {
    // In place of a statement of the import.
    imported() {
      if (failure) throw failure;
    },
    unusable: resolve,
  });
  failure = await connection.run(defect).then(
    () => undefined,
    (error: Error) => error,
  );
  expect(failure?.message).toMatch(/^INTERNAL Error/);
  expect((await promise).message).toMatch(/^FATAL Error/);
});
