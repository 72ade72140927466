import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

const [programs] = globSync('/usr/lib/postgresql/*/bin').sort().reverse();

/** True where tests of Postgres are left out: on a laptop without Debian's, never in CI. */
export const isWithoutPostgres = programs === undefined && !process.env.CI;

export interface PostgresServer {
  /** How libpq finds the database of the test. */
  readonly connection: string;
  sql(text: string): void;
  /** Ends the server at once, and starts it again. */
  restart(): void;
  close(): void;
}

/** Starts Postgres with an empty database. It runs as the user `postgres`, because it refuses to run as root. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-postgres-'));
  const data = join(folder, 'data');
  const port = await freePort();
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync('chown', ['postgres', folder]);
  const run = (command: string) =>
    isRoot
      ? execFileSync('su', ['postgres', '-s', '/bin/bash', '-c', command], { stdio: 'ignore' })
      : execFileSync('bash', ['-c', command], { stdio: 'ignore' });
  const control = (what: string) => run(`${programs}/pg_ctl -D ${data} -l ${folder}/log ${what}`);
  const start = () =>
    control(`-w -o '-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off' start`);
  const connection = `host=127.0.0.1 port=${port} user=lake dbname=lake`;
  const sql = (text: string, database = 'lake') =>
    void execFileSync('psql', [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-U',
      'lake',
      '-d',
      database,
      '-qc',
      text,
    ]);
  run(`${programs}/initdb -D ${data} -A trust -U lake`);
  start();
  sql('CREATE DATABASE lake', 'postgres');
  return {
    connection,
    sql,
    restart() {
      control('-m immediate stop');
      start();
    },
    close() {
      control('-m immediate stop');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
