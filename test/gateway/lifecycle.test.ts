import { createServer } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { duckdb } from '../../src/engines/duckdb/duckdb.ts';
import { createGateway, type Gateway } from '../../src/gateway/create-gateway.ts';
import { type MetricsPlugin, metrics } from '../../src/plugins/metrics/metrics.ts';
import { apiKey } from '../../src/keys/sources/api-key.ts';
import { listen } from '../support/listen.ts';
import { makeQueryFolder, queryText, uuidOf } from '../support/query-folder.ts';

const headers = { 'x-api-key': 'a-key-for-tests-only' };

const get = async ({ fetch }: Gateway, name: string) => {
  const response = await fetch(new Request(`http://gateway.test/api/endpoints/query/${name}`, { headers }));
  return { status: response.status, body: await response.json() };
};

async function open(
  queries: Readonly<Record<string, string>>,
  rows: readonly string[] = [],
): Promise<{
  readonly gateway: Gateway;
  readonly ofMetrics: MetricsPlugin;
  readonly started: Promise<void>;
}> {
  const folder = makeQueryFolder({ ...queries, 'tables/t.json': '[{ "name": "a", "type": "STRING" }]' });
  const dataDir = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  writeFileSync(join(dataDir, 't.ndjson'), rows.map((a) => `${JSON.stringify({ a })}\n`).join(''));
  const ofMetrics = metrics();
  const { promise: started, resolve: onStart } = Promise.withResolvers<void>();
  const gateway = await createGateway({
    queries: folder.folder,
    engine: duckdb({ dataDir, storeFile: ':memory:', threads: 1 }),
    keys: apiKey('a-key-for-tests-only'),
    plugins: [ofMetrics, { name: 'runs', onRun: () => ({ onStart }) }],
    engineConcurrency: 1,
  });
  onTestFinished(async () => {
    await gateway.close();
    folder.close();
    rmSync(dataDir, { recursive: true });
  });
  return { gateway, ofMetrics, started };
}

const count = queryText({ sql: 'SELECT COUNT(*) AS n FROM t', caching: 'disabled' });

/** It runs until it is stopped. */
const endless = queryText({
  id: uuidOf(2),
  sql: 'SELECT SUM(MOD(a * b * c, 7)) AS n FROM UNNEST(GENERATE_ARRAY(1, 100000)) AS a, UNNEST(GENERATE_ARRAY(1, 100000)) AS b, UNNEST(GENERATE_ARRAY(1, 100000)) AS c',
});

describe('two gateways in one process', () => {
  test('have their own queries, rows, caches and metrics, and one outlives the other', async () => {
    const one = await open({ 'q.sql': count, 'only-one.sql': queryText({ id: uuidOf(1) }) }, ['x']);
    const two = await open({ 'q.sql': count }, ['x', 'y']);
    expect((await get(one.gateway, 'q')).body).toEqual({ result: [{ n: 1 }] });
    expect((await get(two.gateway, 'q')).body).toEqual({ result: [{ n: 2 }] });
    expect((await get(one.gateway, 'only-one')).status).toBe(200);
    expect((await get(two.gateway, 'only-one')).status).toBe(404);
    expect([one, two].map(({ gateway }) => gateway.counters.runs)).toEqual([2, 1]);
    expect(one.ofMetrics.render()).not.toBe(two.ofMetrics.render());
    await one.gateway.close();
    expect((await get(two.gateway, 'q')).body).toEqual({ result: [{ n: 2 }] });
  });
});

describe('close', () => {
  let stop: (() => void)[] = [];
  afterEach(() => {
    for (const one of stop) one();
    stop = [];
  });

  test('may be called twice, also at once', async () => {
    const { gateway } = await open({ 'q.sql': count });
    await Promise.all([gateway.close(), gateway.close()]);
    await gateway.close();
  });

  test('stops running and waiting queries, whose requests are answered', async () => {
    const { gateway, ofMetrics, started } = await open({ 'endless.sql': endless, 'q.sql': count });
    const running = get(gateway, 'endless');
    await started;
    const waiting = get(gateway, 'q');
    await expect.poll(() => ofMetrics.render()).toContain('\nquerygate_engine_queued 1\n');
    await gateway.close();
    for (const { status, body } of await Promise.all([running, waiting])) {
      expect(status).toBeGreaterThan(400);
      expect(body).toHaveProperty('error.code');
    }
    expect((await get(gateway, 'q')).status).toBeGreaterThan(400);
  });

  test('answers what a server still gets', async () => {
    const { gateway, started } = await open({ 'endless.sql': endless });
    const server = createServer(gateway.listener);
    const port = await listen(server);
    stop.push(() => server.close());
    const url = `http://127.0.0.1:${port}`;
    const running = fetch(`${url}/api/endpoints/query/endless`, { headers });
    await started;
    gateway.drain();
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    await gateway.close();
    expect((await running).status).toBeGreaterThan(400);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});
