import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import type { Clock } from '../../../src/concurrency/clock.ts';
import type { Engine } from '../../../src/engine-contract/engine.ts';
import { openResults } from '../../../src/results/open-results.ts';
import { openRedisCache } from '../../../src/results/redis/redis-shared-cache.ts';
import { buildSharedClock } from '../../../src/results/shared/shared-clock.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { fakeShared } from '../../support/fake-shared.ts';
import { draftQuery } from '../../support/queries.ts';
import { hasRedis, redisServer } from '../../support/redis-server.ts';
import { sharedTime, sharedUse } from '../../support/shared-time.ts';

const second = 1_000;

describe('the clock of a gateway that shares a cache', () => {
  test.each([40, -40, 599])('shows the time of the store if it is %i seconds off', (off) => {
    const own = fakeClock();
    const clock = buildSharedClock(own);
    const right = own.now().getTime() - off * second;
    clock.note(right, own.elapsedMs());
    expect(clock.now().getTime()).toBe(right);
    // It has been set right meanwhile.
    own.set(-off * second);
    clock.note(own.now().getTime(), own.elapsedMs());
    expect(clock.now()).toEqual(own.now());
  });

  test('is followed where it differs little, or by more than a clock may be wrong', () => {
    const own = fakeClock();
    const clock = buildSharedClock(own);
    for (const off of [900, -900, 3_600 * second, -3_600 * second]) {
      clock.note(own.now().getTime() + off, own.elapsedMs());
      expect(clock.now()).toEqual(own.now());
    }
  });

  test('is not set by what is not a time', () => {
    const own = fakeClock();
    const clock = buildSharedClock(own);
    clock.note(Number.NaN, own.elapsedMs());
    expect(clock.now()).toEqual(own.now());
  });

  test('is not set by an answer that came late, and half the time of a call counts', async () => {
    const own = fakeClock();
    const clock = buildSharedClock(own);
    const moment = own.now().getTime() + 40 * second;
    await own.pass(600);
    clock.note(moment, own.elapsedMs() - 600);
    expect(clock.now()).toEqual(own.now());
    clock.note(own.now().getTime() + 40 * second, own.elapsedMs() - 400);
    expect(clock.now().getTime() - own.now().getTime()).toBe(40 * second + 200);
  });
});

test.each([
  ['ahead', 40 * second],
  ['behind', -40 * second],
  ['minutes ahead', 500 * second],
])('a gateway whose clock is %s takes part in the waves of the others', async (_, byMs) => {
  const clock = fakeClock();
  const shared = fakeShared(clock);
  const query = draftQuery({
    columns: { x: 'integer' },
    caching: ['caching: 900s', 'cache_warming: 300s', 'warm: [{}]'],
    sql: 'select 1 as x',
  });
  const runs: { readonly moment: number; readonly at: number }[] = [];
  const gateways = [byMs, 0, byMs].map((by) => {
    const own: Clock = { ...clock, now: () => new Date(clock.now().getTime() + by) };
    const fake = fakeEngine({ clock: own, queryMs: 50 });
    const engine: Engine = {
      ...fake,
      run(bound, options) {
        const at = clock.now().getTime();
        runs.push({ moment: options.wave?.moment ?? own.now().getTime(), at });
        return fake.run(bound, options);
      },
    };
    return openResults({
      ...{ catalog: { queries: [query], tables: [] }, engine, engineConcurrency: 4, engineTimeoutMs: 30_000 },
      ...{ memoryBytes: 1e7, clock: own, log: pino({ level: 'silent' }), refreshesTogether: () => true },
      openShared: shared.open,
      onCost() {},
    });
  });
  await clock.pass(400 * second);
  runs.length = 0;
  await clock.pass(3_000 * second);
  // One run in each wave, at the right time.
  expect(runs).toHaveLength(10);
  for (const { moment, at } of runs) expect(Math.abs(at - moment)).toBeLessThan(second);
  expect(new Set(runs.map(({ moment }) => moment % (300 * second))).size).toBe(1);
  // The result of one is that of the others, of the same age.
  const { signal } = new AbortController();
  for (const gateway of gateways) {
    const { document, cacheStatus } = await gateway.get(bind(query, plainParameters({})), {
      caller: { signal },
      noCache: false,
    });
    expect([cacheStatus, document.computedAt]).toEqual(['HIT', runs.at(-1)?.moment]);
    await gateway.close();
  }
});

test.skipIf(!hasRedis)('the time of Redis is read when it is connected, and with each lease', async () => {
  const redis = await redisServer();
  await redis.start();
  const noted: number[] = [];
  const connected = Promise.withResolvers<void>();
  const cache = openRedisCache({
    ...{ url: redis.url, secret: undefined, log: pino({ level: 'silent' }), hotKeyLimit: 10 },
    ...sharedUse(),
    onConnected: connected.resolve,
    time: { ...sharedTime(), note: (moment) => void noted.push(moment) },
  });
  try {
    await connected.promise;
    expect(noted).toHaveLength(1);
    await cache.acquire('key', { preempt: false });
    expect(noted).toHaveLength(2);
    for (const moment of noted) expect(Math.abs(moment - Date.now())).toBeLessThan(600 * second);
  } finally {
    await cache.close();
    await redis.close();
  }
});
