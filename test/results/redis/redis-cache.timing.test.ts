import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { systemClock } from '../../../src/concurrency/clock.ts';
import { openResults, type Results } from '../../../src/results/open-results.ts';
import { openRedisCache } from '../../../src/results/redis/redis-shared-cache.ts';
import { eventually } from '../../support/eventually.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { measureLoopTime } from '../../support/loop-time.ts';
import { draftQuery } from '../../support/queries.ts';
import { hasRedis, type RedisServer, redisServer } from '../../support/redis-server.ts';

const secret = 'a secret of the gateways, 32 long';

describe.skipIf(!hasRedis)('the shared cache on Redis under load', () => {
  let redis: RedisServer;
  let lines: { level: number; msg: string }[];
  beforeEach(async () => {
    redis = await redisServer();
    lines = [];
  });
  afterEach(() => redis.close());
  const log = () => pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) });

  const queryMs = 20;
  /**
   * Far more than the time limits and a query need, because machines are busy; far less than a dead Redis would cost.
   */
  const longestMs = 1_000;
  let results: Results;
  /** The loop time of each request: others on the machine add to that of the clock. */
  const took: number[] = [];
  /** Of those that were begun after it was known that Redis does not respond. */
  const tookWhileDown: number[] = [];
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
    tookWhileDown.length = 0;
    failed = [];
    isLoaded = true;
    results = openResults({
      catalog: { queries: [query], tables: [] },
      engine,
      engineConcurrency: 16,
      engineTimeoutMs: 30_000,
      memoryBytes: 64_000_000,
      openShared: (onConnected, time, use) =>
        openRedisCache({ url: redis.url, secret, log: log(), onConnected, time, hotKeyLimit: 1_000, ...use }),
      clock: systemClock,
      log: pino({ level: 'silent' }),
      onCost: () => {},
    });
    let next = 0;
    const caller = async () => {
      const { signal } = new AbortController();
      while (isLoaded) {
        next += 1;
        const isDown = lines.at(-1)?.msg === down;
        const loopMs = measureLoopTime();
        // Most requests are new, so that they go to Redis; every tenth repeats an earlier one.
        const p = String(next % 10 === 0 ? next / 2 : next);
        try {
          await results.get(bind(query, plainParameters({ p })), { caller: { signal }, noCache: false });
        } catch (error) {
          failed.push(error);
        }
        const ms = loopMs();
        took.push(ms);
        if (isDown) tookWhileDown.push(ms);
        await sleep(10);
      }
    };
    load = Promise.all(Array.from({ length: 8 }, caller));
  };
  const end = async () => {
    isLoaded = false;
    await load;
    await results.close();
    expect(failed).toEqual([]);
    expect(took.length).toBeGreaterThan(100);
    expect(Math.max(...took)).toBeLessThan(longestMs);
    // Only the first requests wait for a dead Redis.
    const slow = tookWhileDown.filter((ms) => ms > 90 + queryMs);
    expect(slow, 'requests that waited for the deadline').toEqual([]);
    if (lines.some(({ msg }) => msg === down)) expect(tookWhileDown.length).toBeGreaterThan(20);
  };
  /** Waits until a message has been logged this number of times. */
  const logged = async (msg: string, count: number, withinMs: number) => {
    const { tookMs } = await eventually(() =>
      expect(lines.filter((line) => line.msg === msg)).toHaveLength(count),
    );
    expect(tookMs, msg).toBeLessThan(withinMs);
  };
  const up = 'connected to the shared cache';
  const down = 'the shared cache does not respond; continuing without it';

  test('killed, and started again', async () => {
    await redis.start();
    begin();
    await logged(up, 1, 3_000);
    await sleep(500);
    redis.signal('SIGKILL');
    await logged(down, 1, 3_000);
    await sleep(2_000);
    await redis.start();
    await logged(up, 2, 3_000);
    await sleep(300);
    await end();
    expect(lines.map(({ msg }) => msg)).toEqual([up, down, up]);
    expect((await redis.run((client) => client.keys('querygate:result:*'))).length).toBeGreaterThan(10);
  });

  test('frozen for 30 s', async () => {
    await redis.start();
    begin();
    await logged(up, 1, 3_000);
    await sleep(300);
    redis.signal('SIGSTOP');
    await logged(down, 1, 3_000);
    await sleep(30_000);
    redis.signal('SIGCONT');
    await logged(up, 2, 3_000);
    await sleep(300);
    await end();
    expect(lines.map(({ msg }) => msg)).toEqual([up, down, up]);
  });

  test('started late', async () => {
    begin();
    await logged(down, 1, 3_000);
    await sleep(1_000);
    await redis.start();
    await logged(up, 1, 3_000);
    await sleep(300);
    await end();
    expect(lines.map(({ msg }) => msg)).toEqual([down, up]);
  });

  test('flushed, and filled with foreign values', async () => {
    await redis.start();
    begin();
    await logged(up, 1, 3_000);
    await sleep(500);
    await redis.run((client) => client.flushAll());
    await sleep(300);
    await redis.run(async (client) => {
      for (const key of await client.keys('*')) {
        await client.del(key);
        await client.hSet(key, 'a', 'b');
      }
    });
    await sleep(500);
    await end();
    expect(lines.map(({ msg }) => msg)).toEqual([up]);
  });
});
