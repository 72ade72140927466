import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { runProblem } from '../../src/duckdb/run-problem.ts';

test('a text of Parquet that is not UTF-8 is not quoted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'run-problem-'));
  const path = join(folder, 'a.parquet');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`COPY (SELECT 'secret-xx' AS s) TO '${path}' (COMPRESSION uncompressed)`);
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf('-xx'); at >= 0; at = bytes.indexOf('-xx', at))
    bytes.fill(0xff, at + 1, at + 3);
  writeFileSync(path, bytes);
  const reason = await connection.run(`SELECT s FROM '${path}'`).then(
    () => '',
    (error: Error) => error.message.replace(/^Invalid Input Error: /, ''),
  );
  expect(runProblem(reason)).toBe(`${path}: a text of a column is not UTF-8; write it as UTF-8, or as BYTES`);
  connection.closeSync();
  rmSync(folder, { recursive: true });
});
