import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { answers, end, type Registry } from './registry.ts';

/** A gateway of a released version over files of a user. */
export interface Running {
  readonly origin: string;
  /** What it has logged. */
  log(): string;
  close(): Promise<void>;
}

/** A folder of a user: saved queries, data, keys, a store and an installed version. */
export class Project {
  readonly folder: string;
  readonly #registry: Registry;
  readonly #env: NodeJS.ProcessEnv;

  constructor(folder: string, registry: Registry, redisUrl: string, node: string) {
    this.folder = folder;
    this.#registry = registry;
    this.#env = {
      PATH: `${node}:${process.env.PATH}`,
      QUERIES_DIR: join(folder, 'queries'),
      DATA_DIR: join(folder, 'data'),
      API_KEYS_FILE: join(folder, 'keys.yaml'),
      CACHE_URL: redisUrl,
      CACHE_SECRET: 'a-secret-of-the-release-that-is-played-here',
      LOG_FORMAT: 'json',
    };
    for (const name of ['queries/tables', 'data']) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const field = (name: string, type: string) => ({ name, type, mode: 'NULLABLE' });
    const fields = [field('id', 'INTEGER'), field('tenant', 'STRING'), field('name', 'STRING')];
    writeFileSync(join(folder, 'queries', 'tables', 'orders.json'), JSON.stringify(fields));
    writeFileSync(join(folder, 'queries', 'orders.sql'), savedQuery);
    this.addRows(1, 1000);
  }

  addRows(first: number, last: number): void {
    const rows = Array.from({ length: last - first + 1 }, (_, at) => {
      const id = first + at;
      return `${JSON.stringify({ id, tenant: id % 2 === 0 ? 'a' : 'b', name: `order ${id}` })}\n`;
    });
    writeFileSync(join(this.folder, 'data', `orders.${first}.ndjson`), rows.join(''));
  }

  install(version: string): void {
    const args = ['install', '--no-audit', '--no-fund', '--loglevel', 'error', `querygate@${version}`];
    this.#checked('npm', args, this.#registry.env);
  }

  /** A command of the installed version. @returns what it prints */
  command(...args: readonly string[]): string {
    return this.#checked(join(this.folder, 'node_modules', '.bin', 'querygate'), args, this.#env);
  }

  async start(): Promise<Running> {
    const port = await freePort();
    const program = join(this.folder, 'node_modules', '.bin', 'querygate');
    const child: ChildProcess = spawn(program, ['start', '--port', String(port)], {
      cwd: this.folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let log = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (log += chunk));
    const origin = `http://127.0.0.1:${port}`;
    await answers(`${origin}/readyz`, child).catch((error) => {
      throw new Error(`${error}\n${log}`);
    });
    return { origin, log: () => log, close: () => end(child) };
  }

  #checked(command: string, args: readonly string[], env: NodeJS.ProcessEnv): string {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: this.folder,
      env: { ...env, PATH: this.#env.PATH },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
    return stdout.trim();
  }
}

const savedQuery = `/*---
id: 1f0c9a4e-6a53-4d2d-8f43-5f5d8a8f0c11
description: The orders of a tenant, by their number.
max_rows: 10
caching: 3600s
parameters:
  tenant: { type: string, required: true, tenant: true, description: The tenant., example: a }
  first: { type: integer, default: 1, description: The first number. }
columns:
  id: { type: integer, description: The number. }
  name: { type: string, description: The name. }
  orders: { type: integer, description: How many the tenant has. }
---*/
select id, name, count(*) over () as orders from orders where tenant = @tenant and id >= cast(@first as int64) order by id
`;
