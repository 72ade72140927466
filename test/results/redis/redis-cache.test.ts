import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { systemClock } from '../../../src/concurrency/clock.ts';
import type { Engine } from '../../../src/engine-contract/engine.ts';
import { openResults, type Results } from '../../../src/results/open-results.ts';
import { buildCacheCrypto } from '../../../src/results/redis/cache-crypto.ts';
import { openRedisCache } from '../../../src/results/redis/redis-shared-cache.ts';
import { buildDocument } from '../../../src/results/result-document.ts';
import { leaseMs, type SharedCache } from '../../../src/results/shared/shared-cache.ts';
import { blockEventLoop } from '../../support/block-event-loop.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { nightly } from '../../support/nightly.ts';
import { draftQuery } from '../../support/queries.ts';
import { hasRedis, type RedisServer, redisServer } from '../../support/redis-server.ts';
import { runTime } from '../../support/run-time.ts';
import { openSlowNetwork } from '../../support/slow-network.ts';
import { sharedTime, sharedUse } from '../../support/shared-time.ts';

const secret = 'a secret of the gateways, 32 long';
const { nameOf } = buildCacheCrypto(secret);

describe.skipIf(!hasRedis)('the shared cache on Redis', () => {
  let redis: RedisServer;
  let lines: { level: number; msg: string }[];
  beforeEach(async () => {
    redis = await redisServer();
    lines = [];
  });
  afterEach(() => redis.close());

  const log = () => pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const open = async (source?: string, url = redis.url) => {
    const connected = Promise.withResolvers<void>();
    const onConnected = connected.resolve;
    const time = sharedTime();
    const cache = openRedisCache({
      url,
      secret,
      log: log(),
      onConnected,
      time,
      hotKeyLimit: 3,
      ...sharedUse(source),
    });
    await connected.promise;
    return cache;
  };
  const result = (x: number) => buildDocument({ rows: [`{"x":${x}}`], truncated: false }, runTime(x));

  describe('that responds', () => {
    let cache: SharedCache;
    beforeEach(async () => {
      await redis.start();
      cache = await open();
    });
    afterEach(() => cache.close());

    test('what a gateway wrote whose clock is ahead by more than seconds is not there', async () => {
      const ahead = Date.now() + 60_000;
      expect(await cache.publish('ahead', '1', await result(ahead), 60_000)).toBe(true);
      expect(await cache.get('ahead', 10)).toBeUndefined();
      const near = Date.now() + 1_000;
      expect(await cache.publish('near', '1', await result(near), 60_000)).toBe(true);
      expect(await cache.get('near', 10)).toMatchObject({ computedAt: near });
      await cache.recordDemand(
        new Map([
          ['ahead', Date.now() + 30_000],
          ['near', near],
        ]),
      );
      expect(await cache.demandSince(0)).toEqual(new Map([['near', near]]));
    });

    test('stores results for the given time', async () => {
      expect(await cache.publish('key', '1', await result(1), 3_000)).toBe(true);
      expect(await cache.get('key', 10)).toEqual({ ...(await result(1)), id: expect.any(Number) });
      expect(await cache.get('other', 10)).toBeUndefined();
      await sleep(3_050);
      expect(await cache.get('key', 10)).toBeUndefined();
    });

    test('sends each of some large results once, and announces it, over a slow network', async () => {
      const network = await openSlowNetwork(Number(new URL(redis.url).port));
      const slow = await open(undefined, `redis://127.0.0.1:${network.port}`);
      const heard: string[] = [];
      const keys = ['a', 'b', 'c', 'd'];
      for (const key of keys) cache.listen(key, () => heard.push(key));
      const rows = [`{"x":"${randomBytes(1_000_000).toString('hex')}"}`];
      const document = await buildDocument({ rows, truncated: false }, runTime(1));
      const published = keys.map((key) => slow.publish(key, '1', document, 60_000));
      await slow.close();
      expect(await Promise.all(published)).toEqual(keys.map(() => true));
      await expect.poll(() => heard).toEqual(keys);
      network.close();
    });

    test('does not let leases and other results wait while a large one is sent', async () => {
      const network = await openSlowNetwork(Number(new URL(redis.url).port));
      const slow = await open(undefined, `redis://127.0.0.1:${network.port}`);
      expect(await slow.publish('small', '1', await result(1), 60_000)).toBe(true);
      const identity = randomBytes(8_000_000);
      const document = { ...(await result(1)), encodings: { identity } };
      const metadata = { rowCount: 100, truncated: false };
      const sending = slow.publish('large', '1', { ...document, metadata }, 60_000).then(() => 'sent');
      await sleep(400);
      const others = Promise.all([slow.acquire('key', { preempt: false }), slow.get('small', 10)]);
      expect(await Promise.race([sending, others])).toMatchObject([{ role: 'leader' }, { computedAt: 1 }]);
      expect(await sending).toBe('sent');
      await slow.close();
      network.close();
    });

    test('refuses a result while many bytes of others are being sent', async () => {
      const zstd = Buffer.alloc(100);
      const encodings = { identity: Buffer.alloc(40_000_000), zstd };
      const metadata = { rowCount: 100, truncated: false };
      const document = { ...(await result(1)), encodings, metadata };
      const publish = (key: string) => cache.publish(key, '1', document, 60_000);
      expect(await Promise.all(['a', 'b', 'c'].map(publish))).toEqual([true, true, false]);
      expect(await publish('c')).toBe(true);
    });

    test('grants the lease to one, who loses it to one that preempts it', async () => {
      const lease = await cache.acquire('key', { preempt: false });
      expect(lease?.role).toBe('leader');
      expect(await cache.acquire('key', { preempt: false })).toEqual({
        role: 'follower',
        fencingToken: lease?.fencingToken,
      });
      expect(await cache.watch('key')).toEqual({ state: 'working', fencingToken: lease?.fencingToken });

      const preempting = await cache.acquire('key', { preempt: true });
      expect(preempting?.role).toBe('leader');
      expect(Number(preempting?.fencingToken)).toBeGreaterThan(Number(lease?.fencingToken));
      await cache.release('key', lease?.fencingToken ?? '', undefined);
      expect(await cache.watch('key')).toEqual({ state: 'working', fencingToken: preempting?.fencingToken });
    });

    test('refuses the result of a leader after a later leader has published', async () => {
      const slow = await cache.acquire('key', { preempt: false });
      const next = await cache.acquire('key', { preempt: true });
      await cache.publish('key', next?.fencingToken ?? '', await result(2), 10_000);
      await cache.publish('key', slow?.fencingToken ?? '', await result(1), 10_000);
      expect((await cache.get('key', 10))?.computedAt).toBe(2);
    });

    test('takes the result of a run without a lease in place of one whose lease began before', async () => {
      const caching = ['caching: 60s'];
      const query = draftQuery({ columns: { x: 'integer' }, caching, sql: 'select 1' });
      const bound = bind(query, plainParameters({}));
      const engine = fakeEngine({ clock: systemClock, queryMs: 1 });
      const published = Promise.withResolvers<string>();
      const results = openResults({
        catalog: { queries: [query], tables: [] },
        engine,
        engineConcurrency: 4,
        engineTimeoutMs: 5_000,
        memoryBytes: 64_000_000,
        clock: systemClock,
        log: log(),
        onCost: () => {},
        openShared: () => ({
          ...cache,
          acquire: async (key, options) => {
            const lease = await cache.acquire(key, options);
            await cache.publish(key, lease?.fencingToken ?? '', await result(Date.now() - 120_000), 60_000);
            await sleep(50);
            return undefined;
          },
          publish: async (key, ...rest) => {
            await cache.publish(key, ...rest);
            published.resolve(key);
            return true;
          },
          close: async () => {},
        }),
      });
      const { document } = await results.get(bound, {
        caller: { signal: new AbortController().signal },
        noCache: false,
      });
      expect((await cache.get(await published.promise, 10))?.digest).toBe(document.digest);
      await results.close();
    });

    test('restores a lease that has expired, unless another gateway holds it', async () => {
      const { fencingToken = '' } = (await cache.acquire('key', { preempt: false })) ?? {};
      await redis.run((client) => client.del(nameOf('lease', 'key')));
      expect(await cache.watch('key')).toBeUndefined();
      await cache.renew('key', fencingToken);
      expect(await cache.watch('key')).toEqual({ state: 'working', fencingToken });

      const next = await cache.acquire('key', { preempt: true });
      await cache.renew('key', fencingToken);
      expect(await cache.watch('key')).toEqual({ state: 'working', fencingToken: next?.fencingToken });
    });

    test('informs a leader that others wait, and the others why it failed', async () => {
      const { fencingToken = '' } = (await cache.acquire('key', { preempt: false })) ?? {};
      expect(await cache.renew('key', fencingToken)).toBe(false);
      await cache.watch('key');
      expect(await cache.renew('key', fencingToken)).toBe(true);

      const failure = { code: 'ENGINE_FAILED', parameter: 'p', retryAfterSeconds: 600 } as const;
      await cache.release('key', fencingToken, failure);
      expect(await cache.watch('key')).toEqual({ state: 'failed', fencingToken, failure });
      expect((await cache.acquire('key', { preempt: false }))?.role).toBe('leader');
    });

    test('keeps the demand of a limited number of keys, the latest', async () => {
      await cache.recordDemand(
        new Map([
          ['a', 1],
          ['b', 5],
          ['c', 3],
          ['d', 4],
        ]),
      );
      await cache.recordDemand(new Map([['b', 2]]));
      expect([...(await cache.demandSince(0))]).toEqual([
        ['b', 5],
        ['d', 4],
        ['c', 3],
      ]);
      expect([...(await cache.demandSince(4))]).toEqual([
        ['b', 5],
        ['d', 4],
      ]);
    });

    test('records the demand of many long keys over a slow network', async () => {
      const network = await openSlowNetwork(Number(new URL(redis.url).port));
      const slow = await open(undefined, `redis://127.0.0.1:${network.port}`);
      const keys = Array.from({ length: 1_000 }, (_, at) => `${at} ${'x'.repeat(2_000)}`);
      await slow.recordDemand(new Map(keys.map((key, at) => [key, at])));
      expect([...(await cache.demandSince(0)).values()]).toEqual([999, 998, 997]);
      await slow.close();
      network.close();
    });

    test('keeps as many for each source of data', async () => {
      const caches = await Promise.all([open('one'), open('another')]);
      for (const [at, { recordDemand }] of caches.entries())
        await recordDemand(new Map(['a', 'b', 'c'].map((key) => [`${key} ${at}`, at + 1])));
      for (const [at, { demandSince, close }] of caches.entries()) {
        expect([...(await demandSince(0)).keys()].toSorted()).toEqual([`a ${at}`, `b ${at}`, `c ${at}`]);
        await close();
      }
    });

    test('keeps demand for little more than the day for which it is read', async () => {
      await cache.recordDemand(new Map([['key', 1]]));
      for (const kind of ['times', 'records']) {
        const ttl = await redis.run((client) => client.ttl(nameOf('demand', `${kind} fake`)));
        expect(ttl).toBeGreaterThan(24 * 3_600);
        expect(ttl).toBeLessThan(25 * 3_600);
      }
    });

    test('closes its connection also after a result that cannot be encoded', async () => {
      const faulty = { ...(await result(1)), computedAt: 1n as never };
      await expect(cache.publish('key', '1', faulty, 1_000)).rejects.toThrow('BigInt');
      await cache.close();
      expect(cache.isUp()).toBe(false);
    });

    test.each([
      ['text', (key: string) => redis.run((client) => client.set(key, 'hello'))],
      ['a list', (key: string) => redis.run((client) => client.lPush(key, 'hello'))],
      [
        'a text that begins like ours',
        (key: string) => redis.run((client) => client.set(key, 'querygate/2 9999999999999999 {}\n')),
      ],
      ['a lease without an expiry', (key: string) => redis.run((client) => client.set(key, 'working 12'))],
    ])('ignores %s in the place of its own data, and overwrites it', async (_, write) => {
      for (const kind of ['result', 'lease', 'awaited'] as const) await write(nameOf(kind, 'key'));
      for (const key of ['times', 'records']) await write(nameOf('demand', `${key} fake`));
      expect(await cache.get('key', 10)).toBeUndefined();
      expect(await cache.watch('key')).toBeUndefined();
      expect(await cache.demandSince(0)).toEqual(new Map());
      const lease = await cache.acquire('key', { preempt: false });
      expect(lease?.role).toBe('leader');
      await cache.publish('key', lease?.fencingToken ?? '', await result(1), 10_000);
      expect(await cache.get('key', 10)).toEqual({ ...(await result(1)), id: expect.any(Number) });
      await cache.recordDemand(new Map([['key', 7]]));
      expect(await cache.demandSince(0)).toEqual(new Map([['key', 7]]));
      expect(lines).toHaveLength(1);
    });

    test('that is full is logged once, and does no harm', async () => {
      await redis.run((client) => client.configSet({ maxmemory: '1' }));
      for (let at = 0; at < 3; at += 1) {
        expect(await cache.publish(`key ${at}`, '1', await result(1), 10_000)).toBe(false);
      }
      expect(await cache.get('key 0', 10)).toBeUndefined();
      expect(lines.map(({ msg }) => msg)).toEqual([
        'connected to the shared cache',
        'the shared cache rejects commands',
      ]);
    });
  });

  test('a result is not encoded while Redis is away', async () => {
    const use = sharedUse();
    const compute = vi.spyOn(use.turns, 'compute');
    const options = { url: redis.url, secret, log: log(), onConnected: () => {}, hotKeyLimit: 3, ...use };
    const cache = openRedisCache({ ...options, time: sharedTime() });
    await cache.ready;
    expect(await cache.publish('key', '1', await result(1), 1_000)).toBe(false);
    expect(compute).not.toHaveBeenCalled();
    await cache.close();
  });

  const query = draftQuery({ columns: { x: 'integer' }, caching: ['caching: 900s'], sql: 'select 1 as x' });
  const openGateway = async (engine: Engine, url = redis.url) => {
    const gateway = openResults({
      catalog: { queries: [query], tables: [] },
      engine,
      engineConcurrency: 16,
      engineTimeoutMs: 30_000,
      memoryBytes: 64_000_000,
      openShared: (onConnected, time, use) =>
        openRedisCache({ url, secret, log: log(), onConnected, time, hotKeyLimit: 1_000, ...use }),
      clock: systemClock,
      log: pino({ level: 'silent' }),
      onCost: () => {},
    });
    await gateway.ready;
    return gateway;
  };
  const get = (gateway: Results) =>
    gateway.get(bind(query, plainParameters({})), {
      caller: { signal: new AbortController().signal },
      noCache: false,
    });

  test('a large result that takes long to send is not computed again meanwhile', async () => {
    await redis.start();
    const network = await openSlowNetwork(Number(new URL(redis.url).port));
    const rows = Array.from({ length: 6 }, () => `{"x":"${randomBytes(500_000).toString('hex')}"}`);
    const engine = fakeEngine({ clock: systemClock, queryMs: 100, rows: () => rows });
    const [leader, follower] = [
      await openGateway(engine, `redis://127.0.0.1:${network.port}`),
      await openGateway(engine),
    ];
    const led = get(leader);
    await expect.poll(() => engine.runs).toBe(1);
    expect((await get(follower)).document.digest).toBe((await led).document.digest);
    expect(engine.runs).toBe(1);
    await Promise.all([leader.close(), follower.close()]);
    network.close();
    expect(await redis.run((client) => client.keys('querygate:lease:*'))).toEqual([]);
  });

  nightly('a pause of every gateway that is longer than a lease does not cause a second run', async () => {
    await redis.start();
    const engine = fakeEngine({ clock: systemClock, queryMs: 5_000 });
    const gateways = await Promise.all([openGateway(engine), openGateway(engine)]);
    const results = gateways.map(get);
    await sleep(200);
    blockEventLoop(leaseMs + 200);
    expect((await Promise.all(results)).map(({ cacheStatus }) => cacheStatus).sort()).toEqual([
      'MISS',
      'SHARED',
    ]);
    expect(engine.runs).toBe(1);
    for (const gateway of gateways) await gateway.close();
  });
});
