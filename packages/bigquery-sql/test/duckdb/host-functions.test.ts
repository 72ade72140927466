import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { callsHost } from '../../src/duckdb/host/exit-guard.ts';
import { registerHostFunctions } from '../../src/duckdb/host/host-functions.ts';

async function open() {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  registerHostFunctions(connection);
  return {
    rows: async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson(),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

test('a host function is computed for every row; NULL arguments give NULL', async () => {
  const { rows, close } = await open();
  const table = `(SELECT CASE WHEN i % 3 = 0 THEN NULL ELSE 'é' || i END AS s FROM range(5000) t(i))`;
  expect(
    await rows(
      `SELECT count(*), count(host_normalize(s, 'NFD')), max(length(host_normalize(s, 'NFD'))) FROM ${table}`,
    ),
  ).toEqual([['5000', '3333', '6']]);
  close();
});

test('JSON may have texts of ten megabytes', async () => {
  const { rows, close } = await open();
  const json = `'{"a":"' || repeat('x:', 5000000) || '","b":1}'`;
  expect(await rows(`SELECT length(host_json_remove(${json}, '$.b', TRUE))`)).toEqual([['10000008']]);
  close();
});

test('what a host function throws is the error of the query, and NULL under TRY', async () => {
  const { rows, close } = await open();
  const call = `host_json_remove('{}', '$', TRUE)`;
  await expect(rows(`SELECT ${call}`)).rejects.toThrow("The JSONPath cannot be '$'");
  expect(await rows(`SELECT TRY(${call})`)).toEqual([[null]]);
  close();
});

test('statements that call host functions are known by their macros', () => {
  expect(callsHost('SELECT bq.farm_fingerprint(x)')).toBe(true);
  expect(callsHost('SELECT bq."sha512(x varchar)"(x)')).toBe(true);
  expect(callsHost('SELECT bq.md5(x)')).toBe(false);
});

test('a process that exits while a host function runs ends at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'querygate-test-'));
  const file = join(folder, 'exit.ts');
  const module = (path: string) => JSON.stringify(resolve(path));
  writeFileSync(
    file,
    `import { DuckDBInstance } from ${module('node_modules/@duckdb/node-api/lib/index.js')};
     import { runCallingHost } from ${module('packages/bigquery-sql/src/duckdb/host/exit-guard.ts')};
     import { registerHostFunctions } from ${module('packages/bigquery-sql/src/duckdb/host/host-functions.ts')};
     const connection = await (await DuckDBInstance.create(':memory:')).connect();
     registerHostFunctions(connection);
     const sql = "SELECT count(host_normalize('é' || i, 'NFD')) FROM range(1000000000) t(i)";
     void runCallingHost(() => connection.run(sql));
     setTimeout(() => process.exit(3), 100);`,
  );
  const child = spawn(process.execPath, [file], { stdio: 'ignore' });
  await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  await rm(folder, { recursive: true });
});
