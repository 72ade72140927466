import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSharedRates, type SharedRates } from '../../../src/keys/rates/open-shared-rates.ts';
import type { RateLimit } from '../../../src/keys/rates/rate-limiter.ts';
import { reserveMs } from '../../../src/keys/rates/shared-rate-limiter.ts';
import { eventually } from '../../support/eventually.ts';
import { measureLoopTime } from '../../support/loop-time.ts';
import { hasRedis, type RedisServer, redisServer } from '../../support/redis-server.ts';

const secret = 'a secret of the gateways, 32 long';
describe.skipIf(!hasRedis)('rates that gateways share through Redis', () => {
  let redis: RedisServer;
  let opened: SharedRates[];
  let lines: string[];
  let startedAt: number;
  beforeEach(async () => {
    startedAt = performance.now();
    redis = await redisServer();
    await redis.start();
    opened = [];
    lines = [];
  });
  afterEach(async () => {
    for (const rates of opened) await rates.close();
    await redis.close();
  });

  /** @param clockMs by how much the gateway's clock is ahead */
  const open = async (clockMs = 0, ownSecret: string | undefined = secret) => {
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
    const elapsedMs = () => performance.now() + clockMs;
    const rates = openSharedRates({ url: redis.url, secret: ownSecret, log, elapsedMs });
    opened.push(rates);
    await rates.ready;
    const gateway = (id: string, perMinute: number) => {
      const limit = rates.newRateLimit(id, perMinute);
      return { limit, take: () => limit.take(elapsedMs()) };
    };
    return { rates, gateway };
  };
  type Taker = { readonly limit: RateLimit; take(): ReturnType<RateLimit['take']> };
  const passed = async (takers: readonly Taker[], count: number) => {
    const statuses = await Promise.all(
      Array.from({ length: count }, (_, at) => takers[at % takers.length]?.take()),
    );
    return statuses.filter((status) => status?.isWithin).length;
  };

  /** The most requests that became available again during the test. */
  const cameBack = (perMinute: number) => Math.floor(((performance.now() - startedAt) / 60_000) * perMinute);

  test.each([1, 10, 600])(
    '%i a minute: two gateways let through so many together, at once',
    async (limit) => {
      const takers = [await open(), await open()].map(({ gateway }) => gateway('key', limit));
      const atOnce = await passed(takers, 3 * limit + 10);
      const later = await passed(takers, 3 * limit);
      expect(atOnce).toBeGreaterThanOrEqual(limit);
      expect(atOnce + later).toBeLessThanOrEqual(limit + cameBack(limit));
    },
  );

  test('a key that is used one request after another gets its limit, whichever gateway answers', async () => {
    const takers = [await open(), await open(), await open()].map(({ gateway }) => gateway('key', 60));
    let within = 0;
    let remaining = 60;
    for (let at = 0; at < 75; at += 1) {
      const status = await takers[at % 3]?.take();
      if (status?.isWithin === true) within += 1;
      remaining = status?.remaining ?? 0;
    }
    // At most what another gateway has in reserve is missing, and what came back meanwhile is added.
    expect(within).toBeGreaterThanOrEqual(60 - 6);
    expect(within).toBeLessThanOrEqual(60 + cameBack(60));
    expect(remaining).toBeLessThanOrEqual(1);
  });

  test('a reserve that is not needed is given back', async () => {
    const [a, b] = [await open(), await open()].map(({ gateway }) => gateway('key', 120)) as [Taker, Taker];
    for (let at = 0; at < 40; at += 1) await a.take();
    await sleep(3 * reserveMs);
    const status = await b.take();
    // A request comes back every half second.
    expect(status.remaining).toBeGreaterThanOrEqual(120 - 41 - 1);
    expect(status.remaining).toBeLessThanOrEqual(120 - 41 + cameBack(120));
  });

  test('a gateway that closes gives its reserve back', async () => {
    const [a, b] = [await open(), await open()];
    const first = a.gateway('key', 60);
    for (let at = 0; at < 20; at += 1) await first.take();
    await a.rates.close();
    expect((await b.gateway('key', 60).take()).remaining).toBeGreaterThanOrEqual(60 - 21);
  });

  test('most requests of a key in use are counted without waiting', async () => {
    const { gateway } = await open();
    const taker = gateway('key', 1_000_000);
    let waited = 0;
    for (let at = 0; at < 2_000; at += 1) {
      const status = taker.take();
      if (status instanceof Promise) waited += 1;
      expect((await status).isWithin).toBe(true);
      if (at % 20 === 0) await sleep(1);
    }
    expect(waited).toBeLessThan(30);
  });

  test('what is known to be too much is refused without Redis, with the time to wait', async () => {
    const { gateway } = await open();
    const taker = gateway('key', 2);
    await passed([taker], 3);
    const status = taker.take();
    expect(status).toMatchObject({ isWithin: false, remaining: 0 });
    expect((await status).nextInSeconds).toBeGreaterThan(28);
    expect((await status).nextInSeconds).toBeLessThanOrEqual(30);
  });

  test('clocks of gateways may differ by hours', async () => {
    const takers = [await open(-3_600_000), await open(), await open(7_200_000)].map(({ gateway }) =>
      gateway('key', 30),
    );
    const within = await passed(takers, 90);
    expect(within).toBeGreaterThanOrEqual(30);
    expect(within).toBeLessThanOrEqual(30 + cameBack(30));
    expect(await passed(takers, 30)).toBeLessThanOrEqual(cameBack(30));
  });

  test('without Redis each gateway counts for itself, from what it knew; once it is back they count together', async () => {
    const takers = [await open(), await open()].map(({ gateway }) => gateway('key', 40)) as [Taker, Taker];
    expect(await passed(takers, 20)).toBe(20);
    redis.signal('SIGKILL');
    await eventually(() => expect(lines.join()).toContain('does not respond'));
    // Each knows that 20 of 40 are used: of further ones it lets 20 through.
    const alone = await Promise.all(takers.map((taker) => passed([taker], 60)));
    for (const count of alone) {
      expect(count).toBeGreaterThanOrEqual(18);
      expect(count).toBeLessThanOrEqual(30 + cameBack(40));
    }

    await redis.start();
    const reconnected = () => lines.filter((line) => line === 'connected to the shared rate counter');
    await eventually(() => expect(reconnected()).toHaveLength(4));
    // Redis has lost its state, and gets it back from the gateways.
    expect(await passed(takers, 60)).toBeLessThanOrEqual(cameBack(40));
    expect(lines.filter((line) => line.includes('does not respond'))).toHaveLength(2);
  });

  test('a Redis that loses its state while connected gets it back', async () => {
    const takers = [await open(), await open()].map(({ gateway }) => gateway('key', 40));
    expect(await passed(takers, 30)).toBe(30);
    // Then each has read what the other one has taken.
    await sleep(3 * reserveMs);
    await redis.run((client) => client.flushAll());
    expect(await passed(takers, 60)).toBeLessThanOrEqual(10 + cameBack(40));
  });

  test('a frozen Redis delays a request by a tenth of a second, once', async () => {
    const { gateway } = await open();
    const taker = gateway('key', 1_000);
    await taker.take();
    await sleep(3 * reserveMs);
    redis.signal('SIGSTOP');
    try {
      const loopMs = measureLoopTime();
      expect((await taker.take()).isWithin).toBe(true);
      expect(loopMs()).toBeLessThan(2_000);
      expect(taker.take()).toMatchObject({ isWithin: true });
    } finally {
      redis.signal('SIGCONT');
    }
  });

  test('a full Redis is logged once, and the gateway counts for itself', async () => {
    const { gateway } = await open();
    const taker = gateway('key', 5);
    await redis.run((client) => client.configSet({ maxmemory: '1' }));
    expect(await passed([taker], 8)).toBe(5);
    expect(await passed([taker, gateway('other', 3)], 8)).toBe(3);
    expect(lines.filter((line) => line === 'the shared rate counter rejects commands')).toHaveLength(1);
    await redis.run((client) => client.configSet({ maxmemory: '0' }));
    expect(await passed([taker], 8)).toBe(0);
  });

  test('names show no key, and gateways with another secret count for themselves', async () => {
    const [a, b] = [await open(), await open(0, 'b'.repeat(32))];
    expect(await passed([a.gateway('jwt:alice@abc', 3), b.gateway('jwt:alice@abc', 3)], 10)).toBe(6);
    const { keys, texts } = await redis.run(async (client) => {
      const keys = await client.keys('querygate:rate:*');
      return { keys, texts: await Promise.all(keys.map((key) => client.get(key))) };
    });
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(key).toMatch(/^querygate:rate:[\w-]{43}$/);
    for (const text of texts) expect(text).toMatch(/^\d+\.\d{3}$/);
    const ttl = await redis.run((client) => client.pTTL(keys[0] ?? ''));
    expect(ttl).toBeGreaterThan(0);
    expect(ttl).toBeLessThanOrEqual(60_000);
  });

  test.each([
    ['text', 'hello'],
    ['a number that is none', 'nan'],
    ['a moment long ago', '12'],
  ])('%s in the place of a limit counts as an unused one', async (_, text) => {
    const { gateway } = await open();
    await gateway('key', 2).take();
    const [name = ''] = await redis.run((client) => client.keys('querygate:rate:*'));
    await redis.run((client) => client.set(name, text));
    expect(await passed([gateway('key', 2)], 5)).toBe(2);
  });

  test.each(['inf', '99999999999999999999'])(
    '%s in the place of a limit locks the key for a minute at most',
    async (text) => {
      const { gateway } = await open();
      await gateway('key', 2).take();
      const [name = ''] = await redis.run((client) => client.keys('querygate:rate:*'));
      await redis.run((client) => client.set(name, text));
      const status = await gateway('key', 2).take();
      expect(status).toMatchObject({ isWithin: false });
      expect(status.nextInSeconds).toBeLessThanOrEqual(30);
    },
  );

  test('a list in the place of a limit is replaced', async () => {
    const { gateway } = await open();
    await gateway('key', 2).take();
    const [name = ''] = await redis.run((client) => client.keys('querygate:rate:*'));
    await redis.run(async (client) => {
      await client.del(name);
      await client.lPush(name, 'x');
    });
    expect(await passed([gateway('key', 2)], 5)).toBe(2);
  });

  test('ten thousand keys are counted in a few commands', async () => {
    const { gateway } = await open();
    const takers = Array.from({ length: 10_000 }, (_, at) => gateway(`key ${at}`, 5));
    expect(await passed(takers, 20_000)).toBe(20_000);
    const { calls } = await redis.run(async (client) => {
      const info = await client.info('commandstats');
      return { calls: Number(/cmdstat_eval:calls=(?<calls>\d+)/.exec(info)?.groups?.calls) };
    });
    expect(calls).toBeLessThan(500);
  });
});
