import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { collectOutput } from '../support/child-output.ts';
import { eventually } from '../support/eventually.ts';
import { type GatewayProcess, ready, startGateway } from '../support/gateway-process.ts';
import { nightly } from '../support/nightly.ts';
import { makeQueryFolder, type QueryFolder, queryText, uuidOf } from '../support/query-folder.ts';

const apiKey = 'a-key-for-tests-only-20';
const headers = { 'x-api-key': apiKey };
/** Five times as many show what is to be shown; they take half a minute. */
const rounds = Number(process.env.RELOAD_ROUNDS ?? 4);

let queries: QueryFolder;
let dataDir: string;
let gateway: GatewayProcess;

beforeAll(async () => {
  queries = makeQueryFolder({ 'other.sql': queryText({ id: uuidOf(9), sql: 'SELECT 9 AS n' }) });
  dataDir = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  gateway = await startGateway({
    QUERIES_DIR: queries.folder,
    DATA_DIR: dataDir,
    API_KEY: apiKey,
    METRICS_PORT: '0',
  });
});
afterAll(async () => {
  expect(await gateway.end()).toBe(0);
  queries.close();
  rmSync(dataDir, { recursive: true });
});

const get = async (path: string, sent: Record<string, string> = headers) => {
  const response = await fetch(gateway.origin + path, { headers: sent });
  const { status } = response;
  return { status, cache: response.headers.get('cache-status'), text: await response.text() };
};
const query = async (operation: string) => {
  const response = await fetch(`${gateway.origin}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query: operation }),
  });
  return { status: response.status, body: (await response.json()) as { data?: unknown; errors?: unknown } };
};
const edited = () => get('/api/endpoints/query/edited');
const verbose = async (sent = headers) => JSON.parse((await get('/readyz?verbose', sent)).text).catalog;

/** Requests for what is not changed. @returns what was wrong, once it is ended */
function beginLoad() {
  let isEnded = false;
  const wrong: unknown[] = [];
  let count = 0;
  const send = async () => {
    while (!isEnded) {
      const rest = await get('/api/endpoints/query/other');
      if (rest.status !== 200 || !rest.cache?.startsWith('querygate; hit')) wrong.push(rest);
      const graphql = await query('{ other { rows { n } } endpoints { name } }');
      if (graphql.status !== 200 || graphql.body.errors) wrong.push(graphql);
      count += 2;
      await sleep(10);
    }
  };
  const senders = [send(), send(), send()];
  return async () => {
    isEnded = true;
    await Promise.all(senders);
    return { wrong, count };
  };
}

test('edits of a file under load: no failed request, the new answer within a second, other answers stay cached', async () => {
  await get('/api/endpoints/query/other');
  const endLoad = beginLoad();
  const file = queries.path('edited.sql');
  const text = (n: number) => queryText({ sql: `SELECT ${n} AS n` });
  const took: number[] = [];
  const untilServed = async (n: number) => {
    const answer = await eventually(async () => {
      const { status, text } = await edited();
      expect({ status, text }).toEqual({ status: 200, text: expect.stringContaining(`"n":${n}`) });
      expect((await query('{ edited { rows { n } } }')).body).toEqual({
        data: { edited: { rows: [{ n }] } },
      });
    });
    took.push(answer.tookMs);
  };
  for (let round = 0; round < rounds; round += 1) {
    const n = 10 * round;
    writeFileSync(file, text(n));
    await untilServed(n);
    writeFileSync(`${file}~`, text(n + 1));
    renameSync(`${file}~`, file);
    await untilServed(n + 1);
    writeFileSync(file, text(n + 2).replace('SELECT', 'SELEC'));
    await eventually(async () => {
      expect((await edited()).text).toContain(`"n":${n + 1}`);
      expect((await verbose()).problems).toBe(1);
    });
    expect((await edited()).status).toBe(200);
    writeFileSync(file, text(n + 3));
    await untilServed(n + 3);
    expect(await verbose()).toMatchObject({ queries: 2, problems: 0, broken: [] });
    rmSync(file);
    const gone = await eventually(async () => expect((await edited()).status).toBe(404));
    took.push(gone.tookMs);
    const { body } = await query('{ edited { rows { n } } }');
    expect(JSON.stringify(body.errors)).toContain('Cannot query field');
  }
  const { wrong, count } = await endLoad();
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(rounds);
  const inOrder = took.sort((a, b) => a - b);
  // The gateway may have waited for the processor of a busy machine.
  expect(inOrder[Math.floor(inOrder.length * 0.9)]).toBeLessThan(1_000);
});

test('a broken file is named in the log, by /readyz?verbose for those who may see it, and counted', async () => {
  queries.write('wrong.sql', queryText({ id: uuidOf(7), sql: 'SELECT 1 AS n, nothing AS secret_name' }));
  await eventually(async () => expect((await verbose()).problems).toBe(1));
  expect(await verbose()).toEqual({
    queries: 1,
    loaded_at: expect.any(String),
    problems: 1,
    broken: [
      {
        file: queries.path('wrong.sql'),
        line: 9,
        column: expect.any(Number),
        problem: expect.stringContaining('nothing'),
        more: 1,
        served: 'nothing',
        since: expect.any(String),
      },
    ],
  });
  expect(await verbose({} as typeof headers)).toEqual({
    queries: 1,
    loaded_at: expect.any(String),
    problems: 1,
  });
  expect((await get('/readyz')).text).toBe('{"status":"ready"}');
  expect((await get('/readyz?verbose', { 'x-api-key': 'wrong' })).status).toBe(401);
  await eventually(() => {
    const lines = gateway.log().split('\n');
    expect(lines.filter((line) => line.includes('"a file is broken, and not served"'))).toEqual([
      expect.stringContaining(`${queries.path('wrong.sql')}:9:`),
    ]);
  });
  const { text } = await get('/metrics');
  expect(text).toMatch(/^querygate_catalog_problems 1$/m);
  expect(text).toMatch(/^querygate_catalog_queries 1$/m);
  expect(text).toMatch(/^querygate_catalog_reloads_total\{outcome="ok"\} [1-9]/m);
  expect(text).toMatch(/^querygate_catalog_reloads_total\{outcome="partial"\} [1-9]/m);
  expect(text).toMatch(/^querygate_catalog_loaded_timestamp_seconds \d{10}/m);
  queries.remove('wrong.sql');
  await eventually(async () => expect((await verbose()).problems).toBe(0));
  await eventually(() => expect(gateway.log()).toContain('files are no longer broken'));
});

test('SIGHUP looks for changes, and does not end the process', async () => {
  queries.write('edited.sql', queryText());
  gateway.child.kill('SIGHUP');
  await eventually(async () => expect((await edited()).status).toBe(200));
  queries.remove('edited.sql');
  await eventually(async () => expect((await edited()).status).toBe(404));
});

nightly('SIGHUP during the start does not end the process', async () => {
  // Neither rows of the demo that an earlier start kept, nor a folder of the user.
  const cache = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  onTestFinished(() => rmSync(cache, { recursive: true }));
  const starting = spawn(process.execPath, ['src/main.ts', 'start', '--demo'], {
    env: { PATH: process.env.PATH, PORT: '0', XDG_CACHE_HOME: cache },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { output, until } = collectOutput(starting);
  // The signals that a process handles are a mask, in which SIGHUP is the lowest bit.
  const handled = () =>
    /^SigCgt:\s*(\w+)/m.exec(readFileSync(`/proc/${starting.pid}/status`, 'utf8'))?.[1] ?? '0';
  await eventually(() => expect(Number.parseInt(handled().slice(-1), 16) % 2).toBe(1));
  starting.kill('SIGHUP');
  expect(output()).toBe('');
  await until(ready);
  starting.kill('SIGTERM');
  await once(starting, 'close');
  expect(starting.exitCode).toBe(0);
});

nightly('a thousand files at once, as a checkout of another branch does; requests go on', async () => {
  const endLoad = beginLoad();
  for (let at = 0; at < 1_000; at += 1) {
    queries.write(`many.q${at}.sql`, queryText({ id: uuidOf(1_000 + at), sql: `SELECT ${at} AS n` }));
  }
  await eventually(async () => expect((await verbose()).queries).toBe(1_001));
  expect((await get('/api/endpoints/query/many.q999')).text).toContain('"n":999');
  for (let at = 0; at < 1_000; at += 1) queries.remove(`many.q${at}.sql`);
  await eventually(async () => expect((await verbose()).queries).toBe(1));
  expect((await endLoad()).wrong).toEqual([]);
});
