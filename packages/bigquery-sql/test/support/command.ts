import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { openCommandHost } from '../../../../test/support/command-host.ts';

/** How a command has ended. */
interface CommandEnd {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command `bigquery-sql` until it ends, in a process of its own. */
export const runProcess = (args: readonly string[], input = '', cwd = process.cwd()): CommandEnd =>
  spawnSync(process.execPath, [join(import.meta.dirname, '../../src/bigquery-sql.ts'), ...args], {
    encoding: 'utf8',
    input,
    cwd,
  });

/** Runs `bigquery-sql` with other arguments in the same process for all tests of a file, without standard input. */
export function openCommand(): (args: readonly string[]) => Promise<CommandEnd> {
  const run = openCommandHost('packages/bigquery-sql/src/command/run-command.ts');
  return async (args) => {
    const { exitCode, output, errors } = await run(args);
    return { status: exitCode, stdout: output, stderr: errors };
  };
}

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
