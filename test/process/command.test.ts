import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collectOutput } from '../support/child-output.ts';
import { openCommandHost } from '../support/command-host.ts';
import { demoCache } from '../support/demo-store.ts';
import { ready, runQuerygate } from '../support/gateway-process.ts';
import { hasProgram } from '../support/has-program.ts';
import { nightly } from '../support/nightly.ts';
import { queryText } from '../support/queries.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const main = resolve('src/main.ts');

/** Starts the command in a folder. */
function startIn(cwd: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { PATH: process.env.PATH, PORT: '0', ...demoCache(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return {
    ...collectOutput(child),
    ended: once(child, 'close').then(() => child.exitCode),
    end: async (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal);
      if (child.exitCode === null) await once(child, 'close');
      return child.exitCode;
    },
  };
}

async function listenOnFirstFree(server: Server, ports: readonly number[]): Promise<number> {
  for (const port of ports) {
    const isListening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (isListening) return port;
  }
  throw new Error(`none of the ports ${ports.join(', ')} is free`);
}

describe('querygate', () => {
  const run = openCommandHost();
  test('prints its version and its help without starting anything', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(await run(['--version'])).toEqual({ exitCode: 0, output: `${version}\n`, errors: '' });
    for (const args of [['--help'], ['help'], ['start', '--help'], ['help', 'start']]) {
      const { exitCode, output, errors } = await run(args);
      expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
      expect(output).toMatch(/^Usage: querygate /);
    }
  });

  test.each([
    [['strat'], 1, 'Did you mean start?'],
    [['--prot', '1'], 2, 'Did you mean --port?'],
    [['start', 'now'], 2, 'too many arguments'],
    [['start', '--port'], 2, 'argument missing'],
    [['start', '--port', 'http'], 2, 'PORT (--port): got "http"'],
    [['start', '--config', 'none.yaml'], 2, 'none.yaml cannot be read (ENOENT)'],
    [['config', '--port', 'http'], 1, 'PORT (--port): got "http"'],
    [['compile', 'logs.al'], 1, 'No endpoint has this name'],
    [
      ['mcp', '--demo', '--url', 'http://127.0.0.1:1'],
      2,
      "'--demo' cannot be used with option '--url <url>'",
    ],
  ])('%j exits with %d and says what would be right', async (args, code, message) => {
    const { exitCode, output, errors } = await run(args);
    expect({ exitCode, output }).toEqual({ exitCode: code, output: '' });
    expect(errors).toContain(message);
    expect(errors).not.toContain('    at ');
  });

  test('schema prints the schema of the repository, and compile the SQL of the engine', async () => {
    expect((await run(['schema'])).output).toBe(readFileSync('schema.graphql', 'utf8'));
    const sql = await run(['compile', 'usage.api-counts']);
    expect(sql).toMatchObject({ exitCode: 0, errors: '' });
    expect(sql.output).toMatch(/^SELECT .*\bLIMIT CAST\(\d+ AS BIGINT\)\n$/s);
    const bigquery = { BIGQUERY_PROJECT: 'some-project', BIGQUERY_DATASET: 'logs' };
    const { output } = await run(['compile', 'usage.api-counts', '--engine', 'bigquery'], bigquery);
    expect(readFileSync('queries/usage.api-counts.sql', 'utf8')).toContain(output.trim());
  });

  test('config prints each setting with its origin, and no secret', async () => {
    const file = join(folder, 'settings.yaml');
    writeFileSync(file, 'engine_timeout_ms: 5000\ncache_url: redis://u:hunter2@host\n');
    const args = ['config', '--config', file, '--port', '5000'];
    const { exitCode, output } = await run(args, {
      API_KEY: 'hunter3-of-twenty-characters',
      NODE_ENV: 'production',
    });
    expect(exitCode).toBe(0);
    const row = (key: string) =>
      new RegExp(`^${key} +(.*)$`, 'm').exec(output)?.[1]?.replaceAll(/ {2,}/g, ' | ');
    expect(row('port')).toBe('5000 | --port');
    expect(row('api_key')).toBe('(hidden) | API_KEY');
    expect(row('engine_timeout_ms')).toBe(`5000 | ${file}:1`);
    expect(row('cache_url')).toBe(`redis://(hidden)@host | ${file}:2`);
    expect(row('host')).toBe('127.0.0.1 | default');
    expect(row('pages')).toBe('off | default');
    expect(row('data_dir')).toBe('not set');
    expect(row('shutdown_delay_seconds')).toBe('5 | default');
    expect(output).not.toContain('hunter');
    const json = JSON.parse((await run(['config', '--json', '--port', '1'])).output);
    expect(json.port).toEqual({ value: '1', origin: '--port' });
    expect(json.data_dir).toEqual({ value: ':demo:', origin: 'default' });
    expect(json.shutdown_delay_seconds).toEqual({ value: '0', origin: 'default' });
  });

  test('config names variables that are nearly settings, beside its output', async () => {
    const { exitCode, output, errors } = await run(['config', '--json'], { DATADIR: 'logs' });
    expect(exitCode).toBe(0);
    expect(JSON.parse(output).data_dir.value).toBe(':demo:');
    expect(errors).toBe('DATADIR is not a setting; did you mean DATA_DIR?\n');
  });
});

describe('querygate in a folder of its own', () => {
  test('config on a full disk ends with 1, without a stack', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [main, 'config'], {
      cwd: folder,
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    expect(status).toBe(1);
    expect(String(stderr)).toMatch(/^standard output cannot be written: ENOSPC.*\n$/);
  });

  test('health reaches a gateway on a port that fetch refuses', async () => {
    // Browsers block these; one is likely to be free.
    const blocked = [6000, 6566, 6665, 6669, 6697, 10_080];
    const server = createServer((_, response) => response.end('{}'));
    const port = await listenOnFirstFree(server, blocked);
    const { exitCode, output } = await runQuerygate(['health', '--port', String(port)]);
    server.close();
    expect(output).toBe(`http://127.0.0.1:${port}/livez answers 200\n`);
    expect(exitCode).toBe(0);
  });

  test('start without saved queries says how to run the demo', async () => {
    const { ended, errors } = startIn(folder, ['start']);
    expect(await ended).toBe(2);
    expect(errors()).toContain('there is no folder queries here');
    expect(errors()).toContain('querygate start --demo');
  });

  test('start without saved queries names a misspelt setting', async () => {
    const { ended, errors } = startIn(folder, ['start'], { QUERYS_DIR: 'elsewhere' });
    expect(await ended).toBe(2);
    expect(errors()).toContain('QUERYS_DIR is not a setting; did you mean QUERIES_DIR?');
  });

  test('querygate alone runs the demo there', async () => {
    const gateway = startIn(folder, [], { LOG_FORMAT: 'pretty' });
    const [, command = ''] = await gateway.until(/^ +curl .*?"(http:[^"]*logs\.all[^"]*)"$/m);
    const [, key = ''] = /X-API-KEY: (qg_\w+)/.exec(gateway.output()) ?? [];
    const response = await fetch(command, { headers: { 'x-api-key': key } });
    expect(await response.json()).toMatchObject({ result: expect.any(Array) });
    expect(gateway.errors()).toContain('This is the demo');
    expect(await gateway.end()).toBe(0);
  });

  test('querygate alone does not run the demo in production', async () => {
    const { ended, errors } = startIn(folder, [], { NODE_ENV: 'production', API_KEY: 'a'.repeat(32) });
    expect(await ended).toBe(2);
    expect(errors()).toContain('there is no folder queries here');
  });

  test('querygate.yaml of the folder is read, and queries of the folder are served', async () => {
    cpSync('queries', join(folder, 'queries'), { recursive: true });
    writeFileSync(
      join(folder, 'querygate.yaml'),
      'api_key: my-key\ndata_dir: queries/tables\nstore_file: ":memory:"\n',
    );
    const gateway = startIn(folder, []);
    await gateway.until(ready);
    expect(await gateway.end()).toBe(0);
  });

  test('dev serves changed queries without a restart, and shows problems with their source', async () => {
    const queries = join(folder, 'queries');
    cpSync('queries', queries, { recursive: true });
    const file = join(queries, 'logs.all.sql');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('id:', 'idd:'));
    const gateway = startIn(folder, [
      'dev',
      '--data-dir',
      'queries/tables',
      '--store-file',
      ':memory:',
      '--log-level',
      'silent',
    ]);
    // It starts again after it could not start.
    await gateway.until(
      /unknown: idd; did you mean id\?\n3 \| idd: [\s\S]*starts again when a file changes/,
      'errors',
    );
    writeFileSync(file, text);
    await gateway.until(/Querygate is ready/);
    const output = gateway.output();

    writeFileSync(file, text.replace(/^with$/m, 'wiht'));
    await gateway.until(
      /found "wiht"[^\n]*\n\d+ \| wiht\n +\| \^+\nIts last good version is served/,
      'errors',
    );
    writeFileSync(file, text);
    await gateway.until(/No longer broken: queries\/logs\.all\.sql/, 'errors');
    expect(gateway.output()).toBe(output);
    // No terminal sends it to the gateway too.
    expect(await gateway.end('SIGINT')).toBe(0);
  });

  test.each(['SIGHUP', 'SIGKILL'] as const)('the gateway of dev ends with it on %s', async (signal) => {
    mkdirSync(join(folder, 'queries'));
    const sql = queryText({ name: 'one', columns: { n: 'integer' }, sql: 'select 1 as n' });
    writeFileSync(join(folder, 'queries', 'one.sql'), sql);
    const gateway = startIn(folder, ['dev', '--store-file', ':memory:']);
    await gateway.until(/Querygate is ready/);
    // It resolves when neither process has the other end of the pipes.
    expect(await gateway.end(signal)).toBe(signal === 'SIGHUP' ? 0 : null);
  });

  test.skipIf(!hasProgram('script')).each([
    ['that the terminal has not sent', false],
    ['of the terminal that its wrapper passes on too', true],
  ])('dev on a terminal ends on a SIGINT %s', async (_, isOfTerminal) => {
    mkdirSync(join(folder, 'queries'));
    const sql = queryText({ name: 'one', columns: { n: 'integer' }, sql: 'select 1 as n' });
    writeFileSync(join(folder, 'queries', 'one.sql'), sql);
    const command = `echo pid $$; exec ${process.execPath} ${main} dev --store-file :memory:`;
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: folder,
      env: { PATH: process.env.PATH, PORT: '0' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const { until } = collectOutput(terminal);
    const [, pid] = await until(/pid (\d+)/);
    await until(/GraphQL:/);
    if (isOfTerminal) {
      terminal.stdin.write('\u0003');
      await until(/\^C/);
    }
    process.kill(Number(pid), 'SIGINT');
    await once(terminal, 'close');
    expect(terminal.exitCode).toBe(0);
  });

  nightly('dev restarts when the settings change', async () => {
    const queries = join(folder, 'queries');
    mkdirSync(queries);
    writeFileSync(
      join(queries, 'one.sql'),
      queryText({ name: 'one', columns: { n: 'integer' }, sql: 'select 1 as n' }),
    );
    const gateway = startIn(folder, ['dev', '--store-file', ':memory:']);
    await gateway.until(/Querygate is ready/);
    writeFileSync(join(folder, 'querygate.yaml'), 'log_level: debug\n');
    await gateway.until(/Querygate is ready[\s\S]*Querygate is ready/);
    expect(gateway.errors()).toContain('Restarting: a file has changed');
    expect(await gateway.end()).toBe(0);
  });

  nightly('the rows of the demo are made once and kept, but never in production', async () => {
    const queries = join(folder, 'queries');
    for (const name of ['tables', 'demo']) mkdirSync(join(queries, name), { recursive: true });
    const schema = [{ name: 'id', type: 'INTEGER', mode: 'NULLABLE' }];
    writeFileSync(join(queries, 'tables', 'rows.json'), JSON.stringify(schema));
    const random =
      'SELECT CAST(random() * 1e15 AS BIGINT) AS id FROM range(3) WHERE $to - $from >= INTERVAL 24 HOURS';
    writeFileSync(join(queries, 'demo', 'rows.sql'), random);
    const columns = { id: 'integer' };
    const sql = 'select id from `rows` order by id';
    writeFileSync(join(queries, 'all.sql'), queryText({ name: 'all', columns, sql }));
    const env = { API_KEY: 'a-key-for-tests-only', XDG_CACHE_HOME: join(folder, 'cache') };
    const rowsOf = async (more: Record<string, string> = {}) => {
      const gateway = startIn(folder, ['start'], { ...env, ...more });
      const [, origin] = await gateway.until(/(http:\/\/[^\s"]+)\/graphql/);
      const response = await fetch(`${origin}/api/endpoints/query/all`, {
        headers: { 'x-api-key': env.API_KEY },
      });
      const { result } = await response.json();
      await gateway.end();
      return result as readonly unknown[];
    };
    const production = { NODE_ENV: 'production', DATA_DIR: ':demo:' };
    await rowsOf(production);
    expect(readdirSync(folder)).not.toContain('cache');
    const made = await rowsOf();
    expect(made.length).toBeGreaterThan(2);
    expect(await rowsOf()).toEqual(made);
    expect(await rowsOf(production)).not.toEqual(made);
  });
});

test('an uncaught error of a command is shown, and exits with 3', () => {
  const bug = 'data:text/javascript,process.stdout.write = () => { throw new TypeError("a bug") }';
  const { status, stderr } = spawnSync(process.execPath, ['--import', bug, 'src/main.ts', 'schema']);
  expect(String(stderr)).toContain('TypeError: a bug');
  expect(status).toBe(3);
});
