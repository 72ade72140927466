import { describe, expect, test, vi } from 'vitest';
import { bind } from '../../src/catalog/binding/bind.ts';
import { Slots } from '../../src/concurrency/slots.ts';
import { GatewayError } from '../../src/errors.ts';
import type { CachedResult } from '../../src/results/get-result.ts';
import { RecentKeys } from '../../src/results/warming/recent-keys.ts';
import { fakeClock, settled } from '../support/fake-clock.ts';
import { type FakeEngine, fakeEngine } from '../support/fake-engine.ts';
import { fakeShared } from '../support/fake-shared.ts';
import { draftQuery } from '../support/queries.ts';
import { openTestResults, type TestResults, warmed } from '../support/test-results.ts';

const seconds = (count: number) => count * 1_000;
const minutes = (count: number) => seconds(60 * count);

/** The result, if it takes no time; undefined if the caller would have to wait. */
async function immediate({ request }: TestResults): Promise<CachedResult | undefined> {
  const result = request();
  result.catch(() => {});
  return Promise.race([result, settled().then(() => undefined)]);
}

describe('warming', () => {
  const queryMs = seconds(5);

  test.each([
    ['in one piece', Array.from({ length: 12 }, (_, at) => 60 + at)],
    ['at random', Array.from({ length: 12 }, () => Math.floor(Math.random() * 180))],
  ])(
    'a key requested every 10 s for 3 hours never waits, with 12 failing minutes %s',
    async (_, failingMinutes) => {
      const results = openTestResults({ queryMs });
      const { clock, engine } = results;
      const first = results.request();
      await clock.pass(queryMs);
      await first;

      const said = `failing in minutes ${failingMinutes}`;
      const start = clock.now().getTime();
      /** The engine has failed until then, or failed queries have not been retried yet. */
      let failingUntil = start;
      for (let second = 0; second < 3 * 3600; second += 10) {
        const minute = Math.floor(second / 60);
        engine.failing = failingMinutes.includes(minute);
        const now = clock.now().getTime();
        // A failed run is retried within 15 s.
        if (engine.failing) failingUntil = now + seconds(10) + seconds(15) + queryMs;

        const result = await immediate(results);
        expect(result, `at ${second} s, ${said}`).toBeDefined();
        if (now > failingUntil) {
          const ageMs = now - (result?.document.computedAt ?? 0);
          expect(ageMs, said).toBeLessThanOrEqual(seconds(300) + queryMs);
        }
        await clock.pass(seconds(10));
      }
      expect(results.counters.misses, said).toBe(1);
      expect(engine.most, said).toBe(1);
      await results.close();
    },
  );

  test('a key without requests within its caching time is no longer refreshed', async () => {
    const results = openTestResults();
    const first = results.request();
    await results.clock.pass(100);
    await first;
    await results.clock.pass(minutes(60));
    // At 270–300, 540–600 and 810–900 s.
    expect(results.engine.runs).toBe(1 + 3);
    expect(results.counters.refreshes).toBe(3);
    await results.close();
  });

  test.each(['ENGINE_FAILED', 'QUERY_TOO_EXPENSIVE', 'INVALID_PARAMETER'] as const)(
    'a refresh that fails with %s is retried with pauses, and the rows stay',
    async (code) => {
      const results = openTestResults();
      const first = results.request();
      await results.clock.pass(100);
      await first;
      results.engine.failing = true;
      results.engine.fault = new GatewayError(code, 'It fails');
      await results.clock.pass(minutes(10));
      expect((await results.request()).cacheStatus).toBe('HIT');
      expect(results.engine.runs).toBeGreaterThan(10);
      expect(results.engine.runs).toBeLessThan(60);
      // Ten minutes, the first five of which need no refresh.
      expect(results.logged.length).toBeGreaterThanOrEqual(4);
      expect(results.logged.length).toBeLessThanOrEqual(6);
      expect(results.logged[0]).toMatchObject({ endpoint: 'draft', code });
      results.engine.failing = false;
      await results.clock.pass(seconds(16));
      expect((await results.request()).document.computedAt).toBeGreaterThan(
        results.clock.now().getTime() - seconds(16),
      );
      await results.close();
    },
  );

  test("a refresh carries no request's labels, which are not part of the key", async () => {
    const results = openTestResults();
    const first = results.request('', { labels: { team: 'web' } });
    await results.clock.pass(100);
    await first;
    expect((await results.request('', { labels: { team: 'app' } })).cacheStatus).toBe('HIT');
    await results.clock.pass(seconds(301));
    expect(results.engine.labels).toEqual([{ team: 'web' }, undefined]);
    await results.close();
  });

  test('without cache_warming nothing is refreshed', async () => {
    const results = openTestResults({ caching: ['caching: 900s'] });
    const first = results.request();
    await results.clock.pass(100);
    await first;
    await results.clock.pass(minutes(60));
    expect(results.engine.runs).toBe(1);
    await results.close();
  });

  test('parameter sets of the header are warm before the first request, and stay warm', async () => {
    const results = openTestResults({ caching: [...warmed, 'warm: [{}, { p: other }]'] });
    await results.clock.pass(seconds(1));
    expect((await immediate(results))?.cacheStatus).toBe('HIT');
    await results.clock.pass(minutes(60));
    const now = results.clock.now().getTime();
    const { document } = await results.request('other');
    expect(now - document.computedAt).toBeLessThanOrEqual(seconds(301));
    await results.close();
  });

  test('results of parameter sets of the header are not computed again when the header changes', async () => {
    const [before, after] = ['caching: 900s', 'caching: 800s'].map((line) => [
      line,
      ...['cache_warming: 300s', 'warm: [{}]'],
    ]);
    const results = openTestResults({ caching: before ?? [] });
    await results.clock.pass(seconds(1));
    const parameters = { p: '{ type: string, description: P. }' };
    const query = draftQuery({
      columns: { x: 'string' },
      parameters,
      caching: after ?? [],
      sql: 'select @p as x',
    });
    results.replaceCatalog({ queries: [query], tables: [] });
    await results.clock.pass(seconds(100));
    expect(results.engine.runs).toBe(1);
    await results.clock.pass(seconds(200));
    expect(results.engine.runs).toBe(2);
    await results.close();
  });

  test('parameter sets with a default that is relative to the time are warm at each time', async () => {
    const results = openTestResults({
      caching: [...warmed, 'warm: [{}]'],
      parameter: '{ type: date, default: 0d, description: P. }',
    });
    const keys = () => results.hotKeys();
    await results.clock.pass(seconds(1));
    expect((await immediate(results))?.cacheStatus).toBe('HIT');
    await results.clock.pass(minutes(24 * 60));
    expect((await immediate(results))?.cacheStatus).toBe('HIT');
    // Yesterday's key is not kept for ever.
    expect(keys()).toBe(1);
    await results.close();
  });

  test('refreshes take at most half of the engine, and wait for callers', async () => {
    const results = openTestResults({ queryMs: seconds(1), engineConcurrency: 4 });
    const { clock, engine, request } = results;
    const requests = Array.from({ length: 40 }, (_, at) => request(String(at)));
    await clock.pass(seconds(1));
    await Promise.all(requests);

    engine.most = 0;
    await clock.pass(seconds(299));
    expect(engine.most).toBe(2);

    // Callers occupy the whole engine for a while, just when refreshes are due.
    await clock.pass(seconds(230));
    const before = engine.runs;
    let callers = 0;
    for (let half = 0; half < 80; half += 1) {
      for (let one = 0; one < 4; one += 1) request(`caller ${half} ${one}`).catch(() => {});
      callers += 4;
      await clock.pass(500);
    }
    expect(engine.runs - before).toBe(callers);
    await clock.pass(seconds(100));
    expect(engine.runs - before).toBe(callers + 40);
    await results.close();
  });

  test('a refresh that is nearly too late takes its turn among callers who always wait', async () => {
    const clock = fakeClock();
    const engine = fakeEngine({ clock, queryMs: 500 });
    const slots = new Slots(2);
    const queued: FakeEngine = {
      ...engine,
      run: (bound, run) => slots.run(run.signal, () => engine.run(bound, run), run.owner),
    };
    const caching = ['caching: 30s', 'cache_warming: 10s'];
    const { request, close } = openTestResults({ clock, engine: queued, engineConcurrency: 2, caching });
    const first = request('warm', { owner: 'key' });
    await clock.pass(500);
    await first;
    for (let half = 0; half < 120; half += 1) {
      for (const one of ['a', 'b', 'c'])
        request(`${one} ${half % 10}`, { owner: 'key', noCache: true }).catch(() => {});
      const warm = await Promise.race([request('warm', { owner: 'key' }), settled()]);
      expect(warm?.cacheStatus, `after ${half} half seconds`).toBe('HIT');
      await clock.pass(500);
    }
    await close();
  });

  test('what clients follow is refreshed in time, however many queries of callers wait', async () => {
    const results = openTestResults({
      queryMs: seconds(1),
      engineConcurrency: 4,
      caching: ['caching: 900s', 'live: 5s'],
    });
    const { clock, engine, request } = results;
    const query = draftQuery({
      columns: { x: 'string' },
      parameters: { p: '{ type: string, description: P. }' },
      caching: ['caching: 900s', 'live: 5s'],
      sql: 'select @p as x',
    });
    const computedAt: number[] = [];
    const unfollow = results.follow(bind(query, new Map([['p', ['followed']]])), {
      onResult: (document) => computedAt.push(document.computedAt),
      onFailure: () => {},
    });
    // Each half second as many as the engine runs at a time.
    for (let half = 0; half < 60; half += 1) {
      for (let one = 0; one < 4; one += 1) request(`caller ${half} ${one}`).catch(() => {});
      await clock.pass(500);
    }
    expect(computedAt.length).toBeGreaterThanOrEqual(4);
    expect(
      engine.owners.filter((owner) => owner === 'results that are followed').length,
    ).toBeGreaterThanOrEqual(4);
    unfollow();
    await results.close();
  });

  test('what clients follow does not wait for slow refreshes of what is only kept warm', async () => {
    const caching = [...warmed, 'live: 5s'];
    const results = openTestResults({ queryMs: minutes(1), caching });
    const { clock, engine, request } = results;
    const first = [request('a'), request('b')];
    await clock.pass(minutes(1));
    await Promise.all(first);
    await clock.pass(seconds(241));
    expect(engine.running).toBe(2);
    const parameters = { p: '{ type: string, description: P. }' };
    const query = draftQuery({ columns: { x: 'string' }, parameters, caching, sql: 'select @p as x' });
    const follower = { onResult() {}, onFailure() {} };
    const unfollow = results.follow(bind(query, new Map([['p', ['followed']]])), follower);
    await clock.pass(seconds(1));
    expect(engine.owners.at(-1)).toBe('results that are followed');
    unfollow();
    await results.close();
  });

  test('a refresh is tried again when the engine says, not before', async () => {
    const results = openTestResults({ caching: ['caching: 1800s', 'cache_warming: 300s'] });
    const { clock, engine, request } = results;
    const first = request();
    await clock.pass(seconds(1));
    await first;
    engine.failing = true;
    engine.fault = new GatewayError('ENGINE_QUOTA_EXCEEDED', 'Later', { retryAfterSeconds: 600 });
    await clock.pass(minutes(14));
    expect(engine.runs).toBe(2);
    engine.failing = false;
    await clock.pass(minutes(2));
    expect(engine.runs).toBe(3);
    await results.close();
  });

  test('100 keys with short queries are refreshed in time', async () => {
    const results = openTestResults({ queryMs: 5, caching: ['caching: 10s', 'cache_warming: 5s'] });
    const { clock, engine, request } = results;
    const requestAll = async () => {
      const requests = Array.from({ length: 100 }, (_, at) => request(String(at)));
      await clock.pass(500);
      return Promise.all(requests);
    };
    await requestAll();
    engine.most = 0;
    for (let round = 0; round < 12; round += 1) {
      await clock.pass(4_500);
      for (const { cacheStatus, document } of await requestAll()) {
        expect(cacheStatus).toBe('HIT');
        // The interval, a tick, and 50 queries one after the other.
        expect(clock.now().getTime() - 500 - document.computedAt).toBeLessThanOrEqual(5_000 + 250 + 250);
      }
    }
    expect(engine.most).toBe(2);
    await results.close();
  });

  test('10,000 keys: the 1,000 requested last are kept warm, by one timer', async () => {
    const results = openTestResults({ queryMs: 0, engineConcurrency: 64 });
    const { clock, engine, request } = results;
    for (let at = 0; at < 10_000; at += 1_000) {
      const batch = Array.from({ length: 1_000 }, (_, one) => request(String(at + one)));
      await clock.pass(1);
      await Promise.all(batch);
    }
    expect(engine.runs).toBe(10_000);
    expect(clock.timers()).toBe(1);
    await clock.pass(seconds(301));
    expect(results.counters.refreshes).toBe(1_000);
    const { document } = await request('9999');
    expect(clock.now().getTime() - document.computedAt).toBeLessThan(seconds(100));
    await results.close();
  });

  test('hits of more keys than are kept warm, and a reload, do not look at all keys for each', async () => {
    const results = openTestResults({ queryMs: 0, engineConcurrency: 64 });
    const { clock, request } = results;
    const requestAll = () => Promise.all(Array.from({ length: 1_500 }, (_, at) => request(String(at))));
    const requested = requestAll();
    await clock.pass(1);
    await requested;
    const listed = vi.spyOn(RecentKeys.prototype, 'values');
    expect(new Set((await requestAll()).map(({ cacheStatus }) => cacheStatus))).toEqual(new Set(['HIT']));
    const changed = draftQuery({
      ...{ columns: { x: 'string' }, parameters: { p: '{ type: string, description: P. }' } },
      ...{ caching: warmed, sql: 'select @p as x' },
    });
    results.replaceCatalog({ queries: [changed], tables: [] });
    expect(results.hotKeys()).toBe(1_000);
    // By `hotKeys`.
    expect(listed).toHaveBeenCalledTimes(1);
    listed.mockRestore();
    await results.close();
  });

  test('shared demand survives a restart, and one gateway refreshes for all', async () => {
    const clock = fakeClock();
    const shared = fakeShared();
    const gateways = [0, 1, 2].map(() => openTestResults({ clock, openShared: shared.open }));
    const [first] = gateways;
    const requested = first?.request();
    await clock.pass(100);
    await requested;
    await clock.pass(seconds(310));
    const runs = () => gateways.reduce((sum, { engine }) => sum + engine.runs, 0);
    expect(runs()).toBe(2);
    for (const gateway of gateways) await gateway.close();

    const restarted = openTestResults({ clock, openShared: shared.open });
    await clock.pass(seconds(320));
    expect(restarted.engine.runs).toBe(1);
    expect((await immediate(restarted))?.cacheStatus).toBe('HIT');
    await restarted.close();
  });

  test('a failure to read shared demand is logged', async () => {
    const clock = fakeClock();
    const { open } = fakeShared();
    const openShared: typeof open = (...given) => ({
      ...open(...given),
      demandSince: () => Promise.reject(new Error('not readable')),
    });
    const results = openTestResults({ clock, openShared });
    await clock.pass(seconds(61));
    expect(results.logged).toMatchObject([{ code: 'INTERNAL' }, { code: 'INTERNAL' }]);
    await results.close();
  });

  test('gateways over other data share nothing', async () => {
    const clock = fakeClock();
    const shared = fakeShared();
    const gateways = ['one', 'another'].map((source) =>
      openTestResults({ clock, source, openShared: shared.open }),
    );
    for (const { request } of gateways) {
      const requested = request();
      await clock.pass(100);
      expect((await requested).cacheStatus).toBe('MISS');
    }
    await clock.pass(seconds(310));
    expect(gateways.map(({ engine }) => engine.runs)).toEqual([2, 2]);
    for (const gateway of gateways) await gateway.close();
  });

  test('a gateway whose memory does not keep what is followed computes it once in each interval', async () => {
    const clock = fakeClock();
    const results = openTestResults({ clock, memoryBytes: 1_000, openShared: fakeShared().open });
    const query = draftQuery({
      columns: { x: 'string' },
      caching: ['caching: 60s', 'live: 5s'],
      sql: 'select 1',
    });
    const unfollow = results.follow(bind(query, new Map(), clock.now().getTime()), {
      onResult: () => {},
      onFailure: () => {},
    });
    await clock.pass(seconds(4));
    expect(results.engine.runs).toBe(1);
    await clock.pass(seconds(5));
    expect(results.engine.runs).toBe(2);
    unfollow();
    await results.close();
  });
});
