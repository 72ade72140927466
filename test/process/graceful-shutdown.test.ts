import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { runCommand, startGateway } from '../support/gateway-process.ts';
import { atNight, nightly } from '../support/nightly.ts';
import { queryText } from '../support/queries.ts';

const digits = 'unnest([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) as';
const from = Array.from('abcdefg', (name) => `${digits} ${name}`).join(' cross join ');
const slow = `select count(*) as x from ${from} where mod(a * b + c, 7) = 3`;
const key = 'X-API-KEY: key\r\n';
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${key}\r\n`;

describe('the process shuts down gracefully', () => {
  const queries = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  beforeAll(() => {
    writeFileSync(
      join(queries, 'slow.sql'),
      queryText({ name: 'slow', columns: { x: 'integer' }, sql: slow }),
    );
  });
  afterAll(() => rmSync(queries, { recursive: true }));
  const start = (env: Record<string, string> = {}) =>
    startGateway({ API_KEY: 'key', QUERIES_DIR: queries, ENGINE_CONCURRENCY: '1', ...env });

  nightly('with a thousand idle connections, half a request, and a silent connection', async () => {
    const gateway = await start({ SHUTDOWN_DELAY_SECONDS: '2' });
    const port = Number(new URL(gateway.origin).port);
    const kept = await Promise.all(Array.from({ length: 1_000 }, () => open(port, get('/healthz'))));
    const silent = connect(port, '127.0.0.1').on('error', () => {});
    const half = connect(port, '127.0.0.1').on('error', () => {});
    half.write('GET /healthz HTTP/1.1\r\nHost:');
    const answered = fetch(`${gateway.origin}/api/endpoints/query/slow`, { headers: { 'x-api-key': 'key' } });
    await sleep(100);

    const ended = gateway.end();
    // It still listens for a moment, and reports that it is shutting down.
    const { value: late } = await eventually(async () => {
      const response = await fetch(`${gateway.origin}/readyz`);
      expect(response.status).toBe(503);
      return response;
    });
    expect([late.status, late.headers.get('connection'), await late.json()]).toEqual([
      503,
      'close',
      { status: 'ending' },
    ]);
    expect((await answered).status).toBe(200);
    expect(await ended).toBe(0);
    for (const socket of [...kept, silent, half]) socket.destroy();
  });

  test('going on to serve for the delay, on connections of before too; a second signal ends it', async () => {
    const gateway = await start({ SHUTDOWN_DELAY_SECONDS: '600' });
    const port = Number(new URL(gateway.origin).port);
    const kept = await open(port, get('/healthz'));
    const old = connect(port, '127.0.0.1').resume();
    const cut = once(old, 'end').catch((error: NodeJS.ErrnoException) => error.code);
    old.write(
      `POST /graphql HTTP/1.0\r\nHost: a\r\n${key}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    const ended = gateway.end();
    await eventually(async () => expect((await fetch(`${gateway.origin}/readyz`)).status).toBe(503));
    const headers = { 'x-api-key': 'key' };
    const fresh = await fetch(`${gateway.origin}/api/endpoints/query/slow`, { headers });
    expect([fresh.status, fresh.headers.get('connection')]).toEqual([200, 'close']);
    const responses: string[] = [];
    kept.on('data', (chunk) => responses.push(String(chunk)));
    kept.write(get('/healthz'));
    await once(kept, 'close');
    expect(responses.join('')).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*^Connection: close\r\n/im);
    gateway.child.kill('SIGTERM');
    expect(await ended).toBe(1);
    expect(await cut).toBe('ECONNRESET');
    expect(gateway.log()).toMatch(/"level":40,.*"requests":1,"msg":"requests were cut off"/);
  });

  test.each(['SIGTERM', ...atNight('SIGINT')])('at once on %s while it starts', async (signal) => {
    // The signal is sent as soon as there is a handler.
    const early = `process.on('newListener',(name)=>name==='${signal}'&&setTimeout(()=>process.kill(process.pid,name)))`;
    const { exitCode, output } = await runCommand('src/main.ts', {
      PORT: '0',
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(early)}`,
    });
    expect([exitCode, output]).toEqual([0, '']);
  });

  /** Runs faulty code on a signal. */
  const withBug = (bug: string) => ({
    NODE_OPTIONS: `--import data:text/javascript,process.on('SIGUSR2',()=>{${encodeURIComponent(bug)}})`,
  });

  test('on an uncaught exception: it is logged, and requests in flight finish', async () => {
    const gateway = await start(withBug('throw new Error("a bug of the test")'));
    const headers = { 'x-api-key': 'key' };
    const inFlight = fetch(`${gateway.origin}/api/endpoints/query/slow`, { headers });
    await sleep(50);
    expect(await gateway.end('SIGUSR2')).toBe(3);
    expect((await inFlight).status).toBe(200);
    expect(gateway.log()).toContain('a bug of the test');
  });

  test('but an unhandled rejection is logged, and the service continues', async () => {
    const gateway = await start(withBug('Promise.reject(new Error("a lost promise"))'));
    gateway.child.kill('SIGUSR2');
    await eventually(() => expect(gateway.log()).toContain('a lost promise'));
    expect((await fetch(`${gateway.origin}/readyz`)).status).toBe(200);
    expect(await gateway.end()).toBe(0);
  });
});

/** A connection that has received its first response. */
function open(port: number, request: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('data', () => resolve(socket.on('error', () => {})));
    socket.write(request);
  });
}
