import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { loadCatalog } from '../../src/catalog/folder/load-catalog.ts';
import { literal, sqlType } from './bigquery-sql.ts';
import type { Rows } from './test-app.ts';

const program = findProgram();

/**
 * Without the emulator, the tests that need it are skipped with a message, except in CI with Go installed: there they fail.
 */
export const skipsEmulator =
  program === undefined && !(process.env.CI === 'true' && spawnSync('go', ['version']).status === 0);

if (skipsEmulator) {
  process.stderr.write(
    'SKIPPED: tests on bigquery-emulator, which is not installed (CONTRIBUTING.md, Set up)\n',
  );
}

export interface Emulator {
  /** The value for BIGQUERY_API_ENDPOINT. */
  readonly endpoint: string;
  readonly project: string;
  /** Creates a dataset with the shipped tables, filled with the given rows. @returns its name */
  seed(rows: Rows): Promise<string>;
  close(): Promise<void>;
}

/** Starts goccy/bigquery-emulator on a free port. */
export async function startEmulator(): Promise<Emulator> {
  if (program === undefined) throw new Error('bigquery-emulator is not installed; .ci/run shows how');
  const project = 'test';
  const options = [`--project=${project}`, '--host=127.0.0.1', '--port=0', '--grpc-port=0'];
  const child = spawn(program, options, { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const endpoint = `http://${await address(child)}`;

  const post = async (path: string, body: object) => {
    const url = `${endpoint}/bigquery/v2/projects/${project}/${path}`;
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
  };
  let datasets = 0;
  return {
    endpoint,
    project,
    async seed(rows) {
      datasets += 1;
      const datasetId = `logs_${datasets}`;
      await post('datasets', { datasetReference: { projectId: project, datasetId } });
      for (const { name, fields } of loadCatalog('queries').tables) {
        const columns = fields.map((field) => `\`${field.name}\` ${sqlType(field)}`).join(', ');
        const run = (query: string) => post('queries', { query, useLegacySql: false });
        await run(`create table ${datasetId}.${name} (${columns})`);
        const values = (rows[name] ?? []).map((row) => {
          const record = row as Readonly<Record<string, unknown>>;
          return `(${fields.map((field) => literal(field, record[field.name])).join(', ')})`;
        });
        for (let at = 0; at < values.length; at += 50) {
          await run(`insert into ${datasetId}.${name} values ${values.slice(at, at + 50).join(', ')}`);
        }
      }
      return datasetId;
    },
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function address({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    // The output is read to the end: a program whose output is not read may block or fail.
    stdout?.on('data', (chunk) => {
      output += chunk;
      const found = /REST server listening at (?<address>\S+)/.exec(output)?.groups?.address;
      if (found !== undefined) resolve(found);
    });
    stdout?.on('end', () => reject(new Error(`bigquery-emulator ended: ${output}`)));
  });
}

function findProgram(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), join(homedir(), 'go', 'bin')];
  return folders.map((folder) => join(folder, 'bigquery-emulator')).find((file) => existsSync(file));
}
