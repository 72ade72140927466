import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** Runs the command `bigquery-sql` until it ends. */
export const runCommand = (args: readonly string[], input = '', cwd = process.cwd()) =>
  spawnSync(process.execPath, [join(import.meta.dirname, '../../src/bigquery-sql.ts'), ...args], {
    encoding: 'utf8',
    input,
    cwd,
  });

/** Writes a DuckDB file with a table `visits`, and a view of it. */
export async function writeVisits(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await connection.run(`
    CREATE TABLE visits AS SELECT 'home' AS page, 3 AS n UNION ALL SELECT 'about', 4;
    CREATE VIEW pages AS SELECT page FROM visits;`);
  connection.closeSync();
  instance.closeSync();
}
