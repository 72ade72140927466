import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { isDatabaseUnusable, reportUnusable } from '../../../../src/engines/duckdb/wire/unusable-database.ts';

const failureOf = (connection: DuckDBConnection, sql: string) =>
  connection.run(sql).then(
    () => undefined,
    (error: unknown) => error,
  );

test('a store whose checkpoint failed is unusable, and a failed query is not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(
    `ATTACH '${join(folder, 'store.db')}' AS store; CREATE TABLE store.t AS SELECT 1 AS x`,
  );
  const failed = await failureOf(connection, "SELECT CAST('database' AS INTEGER) FROM store.t");
  expect(failed).toBeInstanceOf(Error);
  expect(isDatabaseUnusable(failed)).toBe(false);

  await connection.run("SET debug_checkpoint_abort = 'before_header'");
  expect(isDatabaseUnusable(await failureOf(connection, 'CHECKPOINT store'))).toBe(true);
  expect(isDatabaseUnusable(await failureOf(connection, 'SELECT x FROM store.t'))).toBe(true);
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});

test.each([
  ['FATAL Error: database has been invalidated because of a previous fatal error', true],
  ['FATAL Error: Could not read the block', true],
  ['INTERNAL Error: Failed to bind column reference', false],
  ['Invalid Input Error: error: FATAL Error: ', false],
  [`Conversion Error: Could not convert string 'IO Error: Database "x" has been invalidated' to INT8`, false],
])('%s: %s', (message, isUnusable) => {
  expect(isDatabaseUnusable(new Error(message))).toBe(isUnusable);
});

test('an internal error is reported if it made the database unusable', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connections = {
    connect: () => instance.connect(),
    disconnect: (one: DuckDBConnection) => one.closeSync(),
  };
  const reported: string[] = [];
  const report = ({ message }: Error) => void reported.push(message);
  const connection = await instance.connect();
  await reportUnusable(new Error('INTERNAL Error: Failed to bind'), connections, report);
  expect(reported).toEqual([]);
  const error = await failureOf(
    connection,
    "SELECT regexp_extract_all(s, '\\B') FROM (SELECT repeat('né', i) AS s FROM range(3) AS t(i))",
  );
  expect(isDatabaseUnusable(error)).toBe(false);
  await reportUnusable(error, connections, report);
  expect(reported).toEqual([expect.stringMatching(/^FATAL Error/)]);
  connection.closeSync();
  instance.closeSync();
});
