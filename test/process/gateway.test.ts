import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type GatewayProcess, runCommand, startGateway } from '../support/gateway-process.ts';
import { nightly } from '../support/nightly.ts';
import { queryText } from '../support/queries.ts';

describe('the process', () => {
  test('generates a key if none is set, and prints curl commands that return rows', async () => {
    const gateway = await startGateway({ LOG_FORMAT: 'pretty' });
    try {
      const lines = gateway.banner.split('\n').filter((line) => line.startsWith('  curl'));
      expect(lines).toHaveLength(4);
      for (const line of lines.slice(0, 3)) {
        const { result } = JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8' }));
        expect(result.length, line).toBeGreaterThan(0);
      }
      const graphql = JSON.parse(execFileSync('sh', ['-c', lines[3] ?? ''], { encoding: 'utf8' }));
      expect(graphql.data.endpoints).toHaveLength(3);

      const key = /X-API-KEY: (?<key>\S+?)"/.exec(gateway.banner)?.groups?.key ?? '';
      expect(key).toMatch(/^qg_/);
      expect(gateway.log()).not.toContain(key);
    } finally {
      expect(await gateway.end()).toBe(0);
    }
  });

  test('is one line of the log where no person reads it, with a generated key only', async () => {
    const gateway = await startGateway({ DATA_DIR: 'test' });
    await gateway.end();
    const { level, msg, key, rest, graphql } = JSON.parse(gateway.banner);
    expect([level, msg, graphql]).toEqual([30, 'Querygate is ready', `${gateway.origin}/graphql`]);
    expect(key).toMatch(/^qg_/);
    expect(rest).toHaveLength(3);
    expect(gateway.log()).not.toContain(key);
  });

  test('never prints a configured key', async () => {
    const key = 'a-configured-secret';
    const gateway = await startGateway({ API_KEY: key, DATA_DIR: 'test' });
    const url = `${gateway.origin}/api/endpoints/query/logs.all?project=p`;
    const headers = { 'x-api-key': key };
    expect((await fetch(url, { headers })).status).toBe(200);
    for (const badUrl of [
      `${url}&key=${key}`,
      `${url}&api_key=${key}`,
      `${gateway.origin}/graphql?key=${key}`,
    ]) {
      const rejected = await fetch(badUrl, { headers });
      expect(rejected.status).toBe(400);
      expect(await rejected.text()).not.toContain(key);
    }
    expect((await fetch(`${gateway.origin}/api/${key}`, { headers })).status).toBe(404);
    expect((await fetch(url)).status).toBe(401);
    await gateway.end();
    expect(gateway.banner + gateway.log()).not.toContain(key);
    expect(gateway.log()).toContain('"msg":"request"');
  });

  test('does not mention GraphiQL in production', async () => {
    const gateway = await startGateway({
      API_KEY: 'a-key-of-twenty-characters',
      NODE_ENV: 'production',
      SHUTDOWN_DELAY_SECONDS: '0',
      LOG_FORMAT: 'pretty',
      DATA_DIR: 'test',
    });
    await gateway.end();
    expect(gateway.banner).not.toContain('GraphiQL');
    expect(gateway.banner).toContain('REST:');
  });

  describe('with other queries', () => {
    const digits = 'unnest([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) as';
    const counting = (names: string) => {
      const from = Array.from(names, (name) => `${digits} ${name}`).join(' cross join ');
      return `select count(*) as x from ${from} where mod(a * b + c, 7) = 3`;
    };
    const queries = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    const sqlOf = { fast: 'select 1 as x', slow: counting('abcdefg'), endless: counting('abcdefghijkl') };
    for (const [name, sql] of Object.entries(sqlOf)) {
      writeFileSync(join(queries, `${name}.sql`), queryText({ name, columns: { x: 'integer' }, sql }));
    }
    const headers = { 'x-api-key': 'key' };
    const start = (env: Record<string, string> = {}) =>
      startGateway({ API_KEY: 'key', QUERIES_DIR: queries, ENGINE_CONCURRENCY: '1', ...env });
    afterAll(() => rmSync(queries, { recursive: true }));

    test('finishes requests in flight on SIGTERM, then exits with 0', async () => {
      const gateway = await start();
      const url = `${gateway.origin}/api/endpoints/query/slow`;
      const inFlight = Array.from({ length: 8 }, () => fetch(url, { headers }));
      await sleep(20);
      const ended = gateway.end();
      for (const response of await Promise.all(inFlight)) {
        expect(response.status).toBe(200);
        expect(await response.json()).toHaveProperty('result');
      }
      expect(await ended).toBe(0);
      await expect(fetch(url, { headers })).rejects.toThrow();
    });

    test('exits at once on a second signal', async () => {
      const gateway = await start();
      const running = fetch(`${gateway.origin}/api/endpoints/query/endless`, { headers }).catch(() => 'cut');
      await sleep(200);
      const ended = gateway.end();
      await sleep(100);
      gateway.child.kill('SIGTERM');
      expect(await ended).toBe(1);
      expect(await running).toBe('cut');
    });

    test('cancels a query whose caller has disconnected', async () => {
      const gateway = await start({ LOG_LEVEL: 'debug' });
      const url = (name: string) => `${gateway.origin}/api/endpoints/query/${name}`;
      const caller = new AbortController();
      const left = fetch(url('endless'), { headers, signal: caller.signal }).catch(() => 'left');
      await eventually(() => expect(gateway.log()).toContain('the engine runs a query'));
      caller.abort();
      expect(await left).toBe('left');
      const next = await fetch(url('fast'), { headers });
      expect(await next.json()).toEqual({ result: [{ x: 1 }] });
      // The log is written a moment after the response.
      await eventually(() => expect(gateway.log()).toContain('"status":499'));
      expect(await gateway.end()).toBe(0);
    });
  });

  describe('responds in JSON, without a stack trace,', () => {
    let gateway: GatewayProcess;
    beforeAll(async () => {
      gateway = await startGateway({ DATA_DIR: 'test' });
    });
    afterAll(() => gateway.end());

    test.each([
      ['an invalid Host', 'GET /api/endpoints/query/logs.all HTTP/1.1\r\nHost: a b', 400],
      ['too large a header', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}`, 431],
      ['bytes that are not a request', 'HELLO', 400],
      ['an invalid path', 'GET //%zz HTTP/1.1\r\nHost: a', 404],
      ['an unknown method', 'TRACE /api/endpoints/query/logs.all HTTP/1.1\r\nHost: a', 405],
    ])('to %s', async (_, head, status) => {
      const text = await rawRequest(new URL(gateway.origin).port, `${head}\r\nConnection: close\r\n\r\n`);
      expect(text).toContain(`HTTP/1.1 ${status} `);
      expect(text).toContain('{"error":{"code":');
      expect(text).not.toContain('    at ');
    });
  });

  test('reports all problems of its configuration and exits with 2', async () => {
    const { exitCode, errors } = await runCommand('src/main.ts', { PORT: 'http', ENGINE: 'sqlite' });
    expect(exitCode).toBe(2);
    expect(errors).toContain('PORT: got "http"');
    expect(errors).toContain('ENGINE: got "sqlite"');
    expect(errors).not.toContain('    at ');
  });

  test('reports that its port is in use, before anything else is opened, and exits with 2', async () => {
    const empty = { DATA_DIR: 'test' };
    const gateway = await startGateway(empty);
    const { exitCode, errors } = await runCommand('src/main.ts', {
      ...empty,
      PORT: new URL(gateway.origin).port,
      QUERIES_DIR: 'test',
    });
    const metrics = { PORT: '0', METRICS_PORT: new URL(gateway.origin).port, QUERIES_DIR: 'test' };
    const ofMetrics = await runCommand('src/main.ts', { ...empty, ...metrics });
    await gateway.end();
    expect(ofMetrics.exitCode).toBe(2);
    expect(ofMetrics.errors).toMatch(/METRICS_PORT \d+, HOST 127\.0\.0\.1: listen EADDRINUSE/);
    expect(exitCode).toBe(2);
    expect(errors).toMatch(
      /PORT \d+, HOST 127\.0\.0\.1: listen EADDRINUSE.*; is another gateway running\? --port takes another port/,
    );
  });

  nightly('reports a store that another process uses and exits with 2', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    const gateway = await startGateway({ DATA_DIR: dataDir, STORE_FILE: '' });
    const { exitCode, errors } = await runCommand('src/main.ts', {
      DATA_DIR: dataDir,
      STORE_FILE: '',
      PORT: '0',
    });
    await gateway.end();
    rmSync(dataDir, { recursive: true });
    expect(exitCode).toBe(2);
    expect(errors).toMatch(
      /STORE_FILE: got ".*store\.duckdb"; it is in use by another process: each process needs a store of its own/,
    );
  });

  nightly('exits with 2 if the memory limit is too small', async () => {
    const { exitCode, errors } = await runCommand('src/main.ts', { DUCKDB_MEMORY_LIMIT: '1KB' });
    expect(exitCode).toBe(2);
    expect(errors).toContain('DUCKDB_MEMORY_LIMIT');
    expect(errors).not.toContain('    at ');
  });

  nightly('exits with 2 if the data folder does not exist', async () => {
    const { exitCode, errors } = await runCommand('src/main.ts', { DATA_DIR: 'no/such/folder' });
    expect(exitCode).toBe(2);
    expect(errors).toContain(
      'DATA_DIR: got "no/such/folder", which cannot be read (ENOENT): there is no folder',
    );
  });

  test('exits with 2 if the folder has no queries', async () => {
    const { exitCode, errors } = await runCommand('src/main.ts', { QUERIES_DIR: 'test' });
    expect(exitCode).toBe(2);
    expect(errors).toContain('test contains no *.sql file');
  });
});

/** The response to bytes that no HTTP client would send. */
async function rawRequest(port: string, request: string): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(request);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
