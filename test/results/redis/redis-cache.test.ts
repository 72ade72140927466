import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { systemClock } from '../../../src/concurrency/clock.ts';
import { GatewayError } from '../../../src/errors.ts';
import { openResults, type Results } from '../../../src/results/open-results.ts';
import { openRedisCache } from '../../../src/results/redis/redis-cache.ts';
import { buildDocument } from '../../../src/results/result-document.ts';
import type { SharedCache } from '../../../src/results/shared-cache.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { draftQuery } from '../../support/queries.ts';
import { hasRedis, type RedisServer, redisServer } from '../../support/redis-server.ts';

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!hasRedis)('the shared cache on Redis', () => {
  let redis: RedisServer;
  let lines: { level: number; msg: string }[];
  beforeEach(async () => {
    redis = await redisServer();
    lines = [];
  });
  afterEach(() => redis.close());

  const log = () => pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const open = async () => {
    let up = () => {};
    const isUp = new Promise<void>((resolve) => {
      up = resolve;
    });
    const cache = openRedisCache({ url: redis.url, log: log(), onUp: up, hotKeyLimit: 3 });
    await isUp;
    return cache;
  };
  const content = (x: number) => buildDocument({ rows: [`{"x":${x}}`], truncated: false }, x);

  describe('that answers', () => {
    let cache: SharedCache;
    beforeEach(async () => {
      await redis.start();
      cache = await open();
    });
    afterEach(() => cache.close());

    test('keeps answers, for as long as it is told', async () => {
      await cache.publish('key', '1', await content(1), 200);
      expect(await cache.get('key')).toEqual(await content(1));
      expect(await cache.get('other')).toBeUndefined();
      await wait(250);
      expect(await cache.get('key')).toBeUndefined();
    });

    test('gives the turn to one, who loses it to whoever takes it', async () => {
      const turn = await cache.take('key', false);
      expect(turn?.role).toBe('leader');
      expect(await cache.take('key', false)).toEqual({ role: 'follower', fence: turn?.fence });
      expect(await cache.watch('key')).toEqual({ doing: 'working', fence: turn?.fence });

      const taken = await cache.take('key', true);
      expect(taken?.role).toBe('leader');
      expect(Number(taken?.fence)).toBeGreaterThan(Number(turn?.fence));
      await cache.giveUp('key', turn?.fence ?? '', undefined);
      expect(await cache.watch('key')).toEqual({ doing: 'working', fence: taken?.fence });
    });

    test('refuses the answer of a leader whose turn another one has finished', async () => {
      const slow = await cache.take('key', false);
      const next = await cache.take('key', true);
      await cache.publish('key', next?.fence ?? '', await content(2), 10_000);
      await cache.publish('key', slow?.fence ?? '', await content(1), 10_000);
      expect((await cache.get('key'))?.computedAt).toBe(2);
    });

    test('lets a leader know that others wait, and others why it failed', async () => {
      const { fence = '' } = (await cache.take('key', false)) ?? {};
      expect(await cache.renew('key', fence)).toBe(false);
      await cache.watch('key');
      expect(await cache.renew('key', fence)).toBe(true);

      const options = { parameter: 'p', retryAfterSeconds: 600 };
      const error = new GatewayError('ENGINE_FAILED', 'The query failed', options);
      await cache.giveUp('key', fence, error);
      expect(await cache.watch('key')).toMatchObject({
        doing: 'failed',
        fence,
        error: { code: 'ENGINE_FAILED', message: 'The query failed', ...options },
      });
      expect((await cache.take('key', false))?.role).toBe('leader');
    });

    test('keeps the demand of so many keys, the latest', async () => {
      await cache.tellDemand(
        new Map([
          ['a', 1],
          ['b', 5],
          ['c', 3],
          ['d', 4],
        ]),
      );
      await cache.tellDemand(new Map([['b', 2]]));
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

    test.each([
      ['text', (key: string) => redis.run((client) => client.set(key, 'hello'))],
      ['a list', (key: string) => redis.run((client) => client.lPush(key, 'hello'))],
      [
        'a text that begins as ours',
        (key: string) => redis.run((client) => client.set(key, 'querygate/1 9999999999999999 {}\n')),
      ],
      ['a lease without an end', (key: string) => redis.run((client) => client.set(key, 'working 12'))],
    ])('takes %s in the place of its own for nothing, and puts its own there', async (_, write) => {
      for (const key of ['answer:key', 'lease:key', 'awaited:key', 'demand']) await write(`querygate:${key}`);
      expect(await cache.get('key')).toBeUndefined();
      expect(await cache.watch('key')).toBeUndefined();
      expect(await cache.demandSince(0)).toEqual(new Map());
      const turn = await cache.take('key', false);
      expect(turn?.role).toBe('leader');
      await cache.publish('key', turn?.fence ?? '', await content(1), 10_000);
      expect(await cache.get('key')).toEqual(await content(1));
      await cache.tellDemand(new Map([['key', 7]]));
      expect(await cache.demandSince(0)).toEqual(new Map([['key', 7]]));
      expect(lines).toHaveLength(1);
    });

    test('that is full is told once, and does no harm', async () => {
      await redis.run((client) => client.configSet({ maxmemory: '1' }));
      for (let at = 0; at < 3; at += 1) await cache.publish(`key ${at}`, '1', await content(1), 10_000);
      expect(await cache.get('key 0')).toBeUndefined();
      expect(lines.map(({ msg }) => msg)).toEqual([
        'the shared cache answers',
        'the shared cache refuses what is asked of it',
      ]);
    });
  });

  describe('under load', () => {
    const queryMs = 20;
    /** Well above the deadline and a query, well below the time that a dead Redis would cost: machines are busy. */
    const longestMs = 1_000;
    let answers: Results;
    const took: number[] = [];
    let failed: unknown[];
    let isLoaded: boolean;
    let load: Promise<unknown>;
    const query = draftQuery({
      columns: { x: 'string' },
      parameters: { p: '{ type: string, description: P. }' },
      caching: ['caching: 900s', 'cache_warming: 300s'],
      sql: 'select @p as x',
    });
    const engine = fakeEngine({ clock: systemClock, queryMs });

    const begin = () => {
      took.length = 0;
      failed = [];
      isLoaded = true;
      answers = openResults({
        catalog: { queries: [query], tables: [] },
        engine,
        engineConcurrency: 16,
        memoryBytes: 64_000_000,
        openShared: (onUp) => openRedisCache({ url: redis.url, log: log(), onUp, hotKeyLimit: 1_000 }),
        clock: systemClock,
        log: pino({ level: 'silent' }),
        onCost: () => {},
      });
      let next = 0;
      const asker = async () => {
        const { signal } = new AbortController();
        while (isLoaded) {
          next += 1;
          const started = performance.now();
          // Every question is new, so that every one goes to Redis, and now and then an old one is asked again.
          const p = String(next % 10 === 0 ? next / 2 : next);
          await answers
            .get(bind(query, plainParameters({ p })), { caller: { signal }, noCache: false })
            .catch((error) => failed.push(error));
          took.push(performance.now() - started);
          await wait(10);
        }
      };
      load = Promise.all(Array.from({ length: 8 }, asker));
    };
    const end = async () => {
      isLoaded = false;
      await load;
      await answers.close();
      expect(failed).toEqual([]);
      expect(took.length).toBeGreaterThan(100);
      expect(Math.max(...took)).toBeLessThan(longestMs);
      // What one request has paid, the next ones do not pay again.
      const slow = took.filter((ms) => ms > 90 + queryMs).length;
      expect(slow, 'requests that waited for the deadline').toBeLessThan(took.length / 10);
    };
    /** Waits for a line of the log. @returns after how many milliseconds it came */
    const told = async (msg: string, count: number, withinMs: number) => {
      const started = performance.now();
      while (lines.filter((line) => line.msg === msg).length < count) {
        if (performance.now() - started > withinMs) throw new Error(`not within ${withinMs} ms: ${msg}`);
        await wait(10);
      }
    };
    const up = 'the shared cache answers';
    const down = 'the shared cache does not answer; going on without it';

    test('killed, and started again', async () => {
      await redis.start();
      begin();
      await told(up, 1, 3_000);
      await wait(500);
      redis.signal('SIGKILL');
      await told(down, 1, 3_000);
      await wait(2_000);
      await redis.start();
      await told(up, 2, 3_000);
      await wait(300);
      await end();
      expect(lines.map(({ msg }) => msg)).toEqual([up, down, up]);
      expect((await redis.run((client) => client.keys('querygate:answer:*'))).length).toBeGreaterThan(10);
    }, 30_000);

    test('frozen for 30 s', async () => {
      await redis.start();
      begin();
      await told(up, 1, 3_000);
      await wait(300);
      redis.signal('SIGSTOP');
      await told(down, 1, 3_000);
      await wait(30_000);
      redis.signal('SIGCONT');
      await told(up, 2, 3_000);
      await wait(300);
      await end();
      expect(lines.map(({ msg }) => msg)).toEqual([up, down, up]);
    }, 60_000);

    test('started late', async () => {
      begin();
      await told(down, 1, 3_000);
      await wait(1_000);
      await redis.start();
      await told(up, 1, 3_000);
      await wait(300);
      await end();
      expect(lines.map(({ msg }) => msg)).toEqual([down, up]);
    }, 30_000);

    test('flushed, and filled with foreign values', async () => {
      await redis.start();
      begin();
      await told(up, 1, 3_000);
      await wait(500);
      await redis.run((client) => client.flushAll());
      await wait(300);
      await redis.run(async (client) => {
        for (const key of await client.keys('*')) {
          await client.del(key);
          await client.hSet(key, 'a', 'b');
        }
      });
      await wait(500);
      await end();
      expect(lines.map(({ msg }) => msg)).toEqual([up]);
    }, 30_000);
  });
});
