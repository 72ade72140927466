import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skipsEmulator, startEmulator } from '../support/bigquery-emulator.ts';
import {
  completeBody,
  endlessResponses,
  errorReply,
  type FakeBigquery,
  incompleteBody,
  malformedResponses,
  reply,
  startFakeBigquery,
} from '../support/fake-bigquery.ts';
import { type GatewayProcess, runCommand, startGateway } from '../support/gateway-process.ts';
import { isNightly, nightly } from '../support/nightly.ts';

const bigquery = (fake: FakeBigquery) => ({
  ENGINE: 'bigquery',
  BIGQUERY_PROJECT: 'our-project',
  BIGQUERY_DATASET: 'logs',
  BIGQUERY_API_ENDPOINT: fake.endpoint,
});

describe('the process with ENGINE=bigquery', () => {
  let fake: FakeBigquery;
  let gateway: GatewayProcess;
  /** One that waits for a moment only: also its checks at start may end without a response. */
  let impatient: GatewayProcess;
  beforeAll(async () => {
    fake = await startFakeBigquery();
    fake.respondWith(errorReply(404, 'notFound', 'Not found: Table our-project:logs.edge_logs at [2:1]'));
    const env = { ...bigquery(fake), API_KEY: 'key' };
    gateway = await startGateway(env);
    impatient = await startGateway({ ...env, ENGINE_TIMEOUT_MS: '600', BIGQUERY_START_CHECK: 'off' });
  });
  afterAll(async () => {
    await Promise.all([gateway.end(), impatient.end()]);
    await fake.close();
  });

  test('starts even if no query passes the check, and logs each with file and line', async () => {
    await expect.poll(gateway.log).toMatch(/"msg":"queries\/usage\.api-counts\.sql:\d+:1 /);
    expect(gateway.log()).toMatch(/"msg":"queries\/logs\.all\.sql:\d+:1 BigQuery: 404 notFound Not found/);
  });

  test.each(
    Object.entries({ ...malformedResponses, ...endlessResponses }).filter(
      (_, at) => isNightly || at % 3 === 0,
    ),
  )('keeps running after %s', async (_, responder) => {
    fake.respondWith(responder);
    const headers = { 'x-api-key': 'key' };
    const { origin, log } = impatient;
    const response = await fetch(`${origin}/api/endpoints/query/logs.all?project=p`, { headers });
    expect(response.status).toBeGreaterThanOrEqual(502);
    expect(await response.json()).toHaveProperty('error.message');
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect(log()).not.toContain('a bug in the gateway');
  });

  test('cancels the job of a caller who disconnects', async () => {
    fake.respondWith(reply(incompleteBody));
    const url = `${gateway.origin}/api/endpoints/query/logs.all?project=p`;
    const caller = new AbortController();
    const response = fetch(url, { headers: { 'x-api-key': 'key' }, signal: caller.signal });
    await expect.poll(() => fake.received.length).toBeGreaterThan(0);
    caller.abort();
    await expect(response).rejects.toThrow();
    await expect.poll(() => fake.received.map(({ path }) => path)).toContain('/jobs/job_1/cancel');
    await expect.poll(gateway.log).toContain('"status":499');
  });

  test('exits with 2 if a query does not pass and BIGQUERY_START_CHECK is stop', async () => {
    fake.respondWith(errorReply(400, 'invalidQuery', 'No matching signature at [3:5]'));
    const env = { ...bigquery(fake), BIGQUERY_START_CHECK: 'stop' };
    const { exitCode, errors } = await runCommand('src/main.ts', env);
    expect(exitCode).toBe(2);
    expect(errors).toMatch(/queries\/usage\.api-counts\.sql:\d+:5 BigQuery: 400 invalidQuery No matching/);
    expect(errors).not.toContain('    at ');
  });

  test('loads no BigQuery library with ENGINE=duckdb', () => {
    const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    const script = `
      const loaded = [];
      const { registerHooks } = await import('node:module');
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const { configuredEngine } = await import('./src/author/configured-engine.ts');
      const { engineHost } = await import('./test/support/engine-host.ts');
      const { readConfig } = await import('./src/config.ts');
      const config = readConfig({ DATA_DIR: ${JSON.stringify(folder)} });
      const engine = await configuredEngine(config);
      await (await engine.open(engineHost({ config, catalog: { queries: [], tables: [] } }))).close();
      const named = (text) => loaded.filter((url) => url.includes(text)).length;
      console.log(named('google-cloud') + named('undici'), named('src/engines/duckdb') > 0);`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    expect(stdout).toBe('0 true\n');
  });
});

describe('check-queries --engine bigquery', () => {
  let fake: FakeBigquery;
  beforeAll(async () => {
    fake = await startFakeBigquery();
  });
  afterAll(() => fake.close());

  const command = (...args: string[]) => {
    const { ENGINE: _, ...env } = bigquery(fake);
    return runCommand('src/main.ts', env, ['check', '--engine', 'bigquery', ...args]);
  };

  test('reports wrong columns and queries that would read too much, and exits with 1', async () => {
    fake.respondWith(reply(completeBody([], { totalBytesProcessed: '5000' })));
    const { exitCode, errors } = await command('--maximum-bytes', '4999');
    expect(exitCode).toBe(1);
    expect(errors).toMatch(
      /queries\/logs\.all\.sql:\d+ columns\.id: declared, but the SQL returns no such column/,
    );
    expect(errors).toMatch(/would read 5000 bytes with its examples; at most 4999 are allowed/);
  });

  test('reports missing credentials, and sends no request', async () => {
    fake.respondWith(reply(completeBody()));
    const { BIGQUERY_API_ENDPOINT: _, ...env } = bigquery(fake);
    const credentials = { GOOGLE_APPLICATION_CREDENTIALS: 'no/such/file.json' };
    const { exitCode, errors } = await runCommand('src/main.ts', { ...env, ...credentials }, ['check']);
    expect(exitCode).toBe(1);
    expect(errors).toContain('Unable to read the credential file');
    expect(fake.received).toEqual([]);
  });

  test('reports invalid arguments', async () => {
    const { exitCode, errors } = await command('--maximum-bytes', '1GB');
    expect(exitCode).toBe(1);
    expect(errors).toContain('--maximum-bytes: got "1GB"; must be a whole number of bytes');
  });
});

describe.skipIf(skipsEmulator)('check-queries on bigquery-emulator', () => {
  nightly('accepts the shipped queries, by dry runs', async () => {
    const emulator = await startEmulator();
    const env = {
      BIGQUERY_PROJECT: emulator.project,
      BIGQUERY_DATASET: await emulator.seed({}),
      BIGQUERY_API_ENDPOINT: emulator.endpoint,
    };
    const result = await runCommand('src/main.ts', env, ['check', '--engine', 'bigquery']);
    await emulator.close();
    expect(result).toMatchObject({ exitCode: 0, errors: '' });
    expect(result.output).toMatch(/^logs\.all would read .* bytes$/m);
    expect(result.output).toContain('3 saved queries are valid\n');
  });
});

nightly('200 queries on a server that never responds leave no resources in use', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--expose-gc', 'test/engines/bigquery/unanswered-calls.ts'],
    {
      encoding: 'utf8',
    },
  );
  expect(stderr).toBe('');
  const measured = JSON.parse(stdout);
  process.stdout.write(`${stdout}\n`);
  expect(measured.codes).toEqual(['ENGINE_TIMEOUT']);
  expect(measured.latestMs).toBeLessThan(250);
  expect(measured.after.handles).toBeLessThanOrEqual(measured.before.handles);
  expect(measured.after.timers).toBeLessThanOrEqual(measured.before.timers);
  expect(measured.after.heapBytes - measured.before.heapBytes).toBeLessThan(2 * 1024 * 1024);
});
