import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { type Clock, systemClock } from '../../../src/concurrency/clock.ts';
import type { Engine } from '../../../src/engine-contract/engine.ts';
import { openResults } from '../../../src/results/open-results.ts';
import { openRedisCache } from '../../../src/results/redis/redis-shared-cache.ts';
import { buildSharedClock } from '../../../src/results/shared/shared-clock.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { draftQuery } from '../../support/queries.ts';
import { hasRedis, redisServer } from '../../support/redis-server.ts';

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

const intervalMs = second;

describe.skipIf(!hasRedis)('of several gateways on Redis', () => {
  test('those whose clocks are ahead or behind take part in the waves of the others', async () => {
    const redis = await redisServer();
    await redis.start();
    const query = draftQuery({
      columns: { x: 'integer' },
      caching: ['caching: 10s', 'cache_warming: 1s', 'warm: [{}]'],
      sql: 'select 1 as x',
    });
    const runs: { readonly moment: number | undefined; readonly at: number }[] = [];
    const open = (byMs: number) => {
      const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + byMs) };
      const fake = fakeEngine({ clock, queryMs: 50 });
      const engine: Engine = {
        ...fake,
        run(bound, options) {
          runs.push({ moment: options.wave?.moment, at: Date.now() });
          return fake.run(bound, options);
        },
      };
      return openResults({
        ...{
          catalog: { queries: [query], tables: [] },
          engine,
          engineConcurrency: 4,
          engineTimeoutMs: 30_000,
        },
        ...{ memoryBytes: 1e7, clock, log: pino({ level: 'silent' }), refreshesTogether: () => true },
        openShared: (onConnected, time) =>
          openRedisCache({
            ...{ url: redis.url, secret: undefined, log: pino({ level: 'silent' }), onConnected, time },
            hotKeyLimit: 10,
          }),
        onCost() {},
      });
    };
    const gateways = [0, 40 * second, -40 * second].map(open);
    try {
      await Promise.all(gateways.map(({ ready }) => ready));
      const begunAt = Date.now();
      await sleep(5 * intervalMs);
      const waves = Math.ceil((Date.now() - begunAt) / intervalMs);
      const moments = runs.map(({ moment = 0 }) => moment);
      expect(runs.length).toBeGreaterThanOrEqual(3);
      // One run in each wave, and the first one.
      expect(runs.length).toBeLessThanOrEqual(waves + 1);
      // They begin at places of the interval that are the same for all, and at the time of the machine.
      expect(new Set(moments.map((moment) => moment % (intervalMs / 10))).size).toBe(1);
      for (const { moment = 0, at } of runs) expect(Math.abs(at - moment)).toBeLessThan(10 * second);
      // The result of one is that of the others, of the same age.
      const { signal } = new AbortController();
      for (const gateway of gateways) {
        const { document, cacheStatus } = await gateway.get(bind(query, plainParameters({})), {
          caller: { signal },
          noCache: false,
        });
        expect(cacheStatus).toBe('HIT');
        expect(Math.abs(document.computedAt - Date.now())).toBeLessThan(10 * second);
      }
    } finally {
      for (const gateway of gateways) await gateway.close();
      await redis.close();
    }
  });
});
