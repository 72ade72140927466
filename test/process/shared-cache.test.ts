import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBusyCores } from '../support/busy-cores.ts';
import { type GatewayProcess, startGateway } from '../support/gateway-process.ts';
import { atNight, nightly } from '../support/nightly.ts';
import { queryText } from '../support/queries.ts';
import { hasRedis, type RedisServer, redisServer } from '../support/redis-server.ts';

const headers = { 'x-api-key': 'key' };
describe.skipIf(!hasRedis)('gateways that share a Redis', () => {
  const digits = 'unnest([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) as';
  const from = [
    'unnest(generate_array(1, length(@p))) as z',
    ...Array.from('abcdefghi', (name) => `${digits} ${name}`),
  ].join(' cross join ');
  const queries = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const slow = queryText({
    name: 'slow',
    columns: { x: 'integer' },
    parameters: { p: '{ type: string, description: P. }' },
    caching: ['caching: 900s', 'cache_warming: 300s'],
    // A run takes some tenths of a second for each character of `p`.
    sql: `select count(*) as x from ${from} where mod(a * b + c * d + e, 7) = 3`,
  });
  const quick = queryText({
    name: 'quick',
    columns: { made: 'timestamp' },
    // A caller is remembered for a minute, in which also a busy machine has started another gateway.
    caching: ['caching: 60s', 'cache_warming: 2s'],
    sql: 'select current_timestamp() as made',
  });
  let redis: RedisServer;
  let gateways: GatewayProcess[] = [];
  const start = () =>
    startGateway({
      API_KEY: 'key',
      QUERIES_DIR: queries,
      CACHE_URL: redis.url,
      LOG_LEVEL: 'debug',
      DATA_DIR: 'test',
      ENGINE_TIMEOUT_MS: '100000',
    });
  const runs = (endpoint: string) =>
    gateways.map(
      (gateway) => gateway.log().split(`"endpoint":"${endpoint}","msg":"the engine runs a query"`).length - 1,
    );
  const total = (endpoint: string) => runs(endpoint).reduce((sum, count) => sum + count, 0);

  beforeAll(() => {
    writeFileSync(join(queries, 'slow.sql'), slow);
    writeFileSync(join(queries, 'quick.sql'), quick);
  });
  afterAll(() => rmSync(queries, { recursive: true }));
  beforeEach(async () => {
    redis = await redisServer();
    await redis.start();
    gateways = await Promise.all([start(), start(), start()]);
  });
  afterEach(async () => {
    await Promise.all(gateways.map((gateway) => gateway.end()));
    await redis.close();
  });

  const request = async (gateway: GatewayProcess | undefined, path: string) => {
    const response = await fetch(`${gateway?.origin}/api/endpoints/query/${path}`, { headers });
    const body = await response.text();
    expect(response.status, body).toBe(200);
    return { body, cacheStatus: response.headers.get('cache-status') };
  };
  /** A caller whose gateway dies is sent to another one, as a load balancer would do. */
  const requestAny = (at: number, path: string): Promise<{ body: string }> =>
    request(gateways[at % gateways.length], path).catch((error) => {
      if (!(error instanceof TypeError)) throw error;
      return requestAny(at + 1, path);
    });
  const cacheLog = () => gateways.map((gateway) => gateway.log().match(/.*shared cache.*/g)).join('\n');

  type Load = readonly [string, readonly number[], () => { close(): Promise<void> }];
  describe.each<Load>([
    ['without other load', [300], () => ({ close: async () => {} })],
    ...atNight<Load>(['beside processes that keep every core busy', [300, 900], openBusyCores]),
  ])('with many callers, %s', (_, callersEach, openLoad) => {
    let load: ReturnType<typeof openLoad>;
    beforeEach(() => {
      load = openLoad();
    });
    afterEach(() => load.close());

    nightly.each(callersEach)('%i callers at each of three: one run', async (count) => {
      const callers = gateways.flatMap((gateway) =>
        Array.from({ length: count }, () => request(gateway, 'slow?p=one')),
      );
      const results = await Promise.all(callers);
      expect(new Set(results.map(({ body }) => body)).size).toBe(1);
      expect(total('slow'), cacheLog()).toBe(1);
    });

    test('the leader is killed in mid-query: two runs, and every caller gets the result', async () => {
      // The leader must be known before the other callers arrive: on a busy machine it would be found too late.
      const first = requestAny(0, 'slow?p=second');
      while (total('slow') === 0) await sleep(2);
      const leader = gateways[runs('slow').indexOf(1)]?.child;
      // It must not end its query before the other callers have arrived, however busy the machine is.
      leader?.kill('SIGSTOP');
      const callers = [first, ...Array.from({ length: 899 }, (_, at) => requestAny(at, 'slow?p=second'))];
      await sleep(50);
      leader?.kill('SIGKILL');
      const results = await Promise.all(callers);
      expect(results).toHaveLength(900);
      expect(new Set(results.map(({ body }) => body)).size).toBe(1);
      expect(total('slow'), cacheLog()).toBe(2);
    });
  });

  nightly(
    'the only caller of the leader disconnects: those at other gateways still get its result',
    async () => {
      const [first, second] = gateways;
      const leaving = new AbortController();
      const path = `slow?p=${'long'.repeat(5)}`;
      const url = `${first?.origin}/api/endpoints/query/${path}`;
      const left = fetch(url, { headers, signal: leaving.signal }).catch(() => 'left');
      while (total('slow') === 0) await sleep(5);
      const staying = request(second, path);
      const isAwaited = () => redis.run((client) => client.keys('querygate:awaited:*'));
      while ((await isAwaited()).length === 0) await sleep(5);
      leaving.abort();
      expect(await left).toBe('left');
      await staying;
      expect(runs('slow')).toEqual([1, 0, 0]);
    },
  );

  nightly('results and demand survive a restart, and one gateway refreshes for all', async () => {
    const [first] = gateways;
    await request(first, 'quick');
    const results = () => redis.run((client) => client.keys('querygate:result:*'));
    while ((await results()).length === 0) await sleep(20);
    expect((await request(gateways[1], 'quick')).cacheStatus).toMatch(/^querygate; hit; ttl=/);
    await Promise.all(gateways.map((gateway) => gateway.end()));

    gateways = [await start()];
    // This one has had no request; it reads from Redis that there were some before.
    while (total('quick') === 0) await sleep(20);
    await sleep(200);
    expect((await request(gateways[0], 'quick')).cacheStatus).toMatch(/^querygate; hit; ttl=/);
  });
});
