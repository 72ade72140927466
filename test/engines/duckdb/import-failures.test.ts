import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, openTables } from '@querygate/duckdb-import';
import { expect, onTestFinished, test } from 'vitest';
import { withDefaults } from '../../../src/engines/duckdb/duckdb-options.ts';
import { openData } from '../../../src/engines/duckdb/open-data.ts';
import { openDatabase } from '../../../src/engines/duckdb/open-database.ts';

const defect = "SELECT regexp_extract_all(s, '\\B') FROM (SELECT repeat('né', i) AS s FROM range(3) AS t(i))";

test('an internal error of an import that made the database unusable is reported', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const settings = withDefaults({ dataDir, refreshSeconds: 0.02 });
  const database = await openDatabase(settings);
  const store = await openStore(await database.connect(), ':memory:');
  const connection = await database.connect();
  let failure: Error | undefined;
  const { promise, resolve } = Promise.withResolvers<Error>();
  const data = await openData({
    ...database,
    ...{ settings, store, tables: await openTables(await database.connect(), []) },
    ...{ onRebuilt: async () => {}, now: () => new Date() },
    listener: {
      problem() {},
      news() {},
      // In place of a statement of the import.
      imported() {
        if (failure) throw failure;
      },
      unusable: resolve,
    },
  });
  onTestFinished(async () => {
    await data.close();
    database.close();
    await store.close();
    rmSync(dataDir, { recursive: true });
  });
  failure = await connection.run(defect).then(
    () => undefined,
    (error: Error) => error,
  );
  expect(failure?.message).toMatch(/^INTERNAL Error/);
  expect((await promise).message).toMatch(/^FATAL Error/);
});
