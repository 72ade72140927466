import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import type { CachedResult } from '../../src/results/get-result.ts';
import type { SharedCache } from '../../src/results/shared-cache.ts';
import { fakeClock, settled } from '../support/fake-clock.ts';
import { type TestAnswers, testAnswers, warmed } from '../support/test-results.ts';

const seconds = (count: number) => count * 1_000;
const minutes = (count: number) => seconds(60 * count);

/** The answer, where it needs no time; undefined where the caller would have to wait. */
async function atOnce({ question }: TestAnswers): Promise<CachedResult | undefined> {
  const asked = question();
  asked.catch(() => {});
  return Promise.race([asked, settled().then(() => undefined)]);
}

describe('warming', () => {
  const queryMs = seconds(5);

  test.each([
    ['in one piece', Array.from({ length: 12 }, (_, at) => 60 + at)],
    ['at random', Array.from({ length: 12 }, () => Math.floor(Math.random() * 180))],
  ])(
    'a key asked every 10 s for 3 hours never waits, with 12 failing minutes %s',
    async (_, failingMinutes) => {
      const answers = testAnswers({ queryMs });
      const { clock, engine } = answers;
      const first = answers.question();
      await clock.pass(queryMs);
      await first;

      const start = clock.now().getTime();
      /** The last moment at which the engine failed, and the queries that it broke have been tried again. */
      let troubledUntil = start;
      for (let second = 0; second < 3 * 3600; second += 10) {
        const minute = Math.floor(second / 60);
        engine.failing = failingMinutes.includes(minute);
        const now = clock.now().getTime();
        // A failed attempt is tried again within 15 s.
        if (engine.failing) troubledUntil = now + seconds(10) + seconds(15) + queryMs;

        const answer = await atOnce(answers);
        expect(answer, `at ${second} s, failing in minutes ${failingMinutes}`).toBeDefined();
        if (now > troubledUntil) {
          expect(now - (answer?.document.computedAt ?? 0)).toBeLessThanOrEqual(seconds(300) + queryMs);
        }
        await clock.pass(seconds(10));
      }
      expect(answers.counters.misses).toBe(1);
      expect(engine.most).toBe(1);
      await answers.close();
    },
    60_000,
  );

  test('what nobody has asked for within the caching time is refreshed no more', async () => {
    const answers = testAnswers();
    const first = answers.question();
    await answers.clock.pass(100);
    await first;
    await answers.clock.pass(minutes(60));
    // At 270–300, 540–600 and 810–900 s.
    expect(answers.engine.runs).toBe(1 + 3);
    expect(answers.counters.refreshes).toBe(3);
    await answers.close();
  });

  test.each(['ENGINE_FAILED', 'QUERY_TOO_EXPENSIVE', 'INVALID_PARAMETER'] as const)(
    'a refresh that ends as %s is tried again now and then, and the rows stay',
    async (code) => {
      const answers = testAnswers();
      const first = answers.question();
      await answers.clock.pass(100);
      await first;
      answers.engine.failing = true;
      answers.engine.fault = new GatewayError(code, 'It does not go');
      await answers.clock.pass(minutes(10));
      expect((await answers.question()).cacheStatus).toBe('HIT');
      expect(answers.engine.runs).toBeGreaterThan(10);
      expect(answers.engine.runs).toBeLessThan(60);
      // Ten minutes, the first five of which need no refresh.
      expect(answers.logged.length).toBeGreaterThanOrEqual(4);
      expect(answers.logged.length).toBeLessThanOrEqual(6);
      expect(answers.logged[0]).toMatchObject({ endpoint: 'draft', code });
      answers.engine.failing = false;
      await answers.clock.pass(seconds(16));
      expect((await answers.question()).document.computedAt).toBeGreaterThan(
        answers.clock.now().getTime() - seconds(16),
      );
      await answers.close();
    },
  );

  test("a refresh carries no request's labels, which are no part of the question", async () => {
    const answers = testAnswers();
    const first = answers.question('', { labels: { team: 'web' } });
    await answers.clock.pass(100);
    await first;
    expect((await answers.question('', { labels: { team: 'app' } })).cacheStatus).toBe('HIT');
    await answers.clock.pass(seconds(301));
    expect(answers.engine.labels).toEqual([{ team: 'web' }, undefined]);
    await answers.close();
  });

  test('without cache_warming nothing is refreshed', async () => {
    const answers = testAnswers({ caching: ['caching: 900s'] });
    const first = answers.question();
    await answers.clock.pass(100);
    await first;
    await answers.clock.pass(minutes(60));
    expect(answers.engine.runs).toBe(1);
    await answers.close();
  });

  test('parameter sets of the header are warm before anybody asks, and stay so', async () => {
    const answers = testAnswers({ caching: [...warmed, 'warm: [{}, { p: other }]'] });
    await answers.clock.pass(seconds(1));
    expect((await atOnce(answers))?.cacheStatus).toBe('HIT');
    await answers.clock.pass(minutes(60));
    const now = answers.clock.now().getTime();
    const { document: content } = await answers.question('other');
    expect(now - content.computedAt).toBeLessThanOrEqual(seconds(301));
    await answers.close();
  });

  test('refreshes at most half of what the engine runs at once, and waits for callers', async () => {
    const answers = testAnswers({ queryMs: seconds(1), engineConcurrency: 4 });
    const { clock, engine, question } = answers;
    const all = Array.from({ length: 40 }, (_, at) => question(String(at)));
    await clock.pass(seconds(1));
    await Promise.all(all);

    engine.most = 0;
    await clock.pass(seconds(299));
    expect(engine.most).toBe(2);

    // Callers that take the whole engine for a while, just when refreshes are due.
    await clock.pass(seconds(230));
    const before = engine.runs;
    let callers = 0;
    for (let half = 0; half < 80; half += 1) {
      for (let one = 0; one < 4; one += 1) question(`caller ${half} ${one}`).catch(() => {});
      callers += 4;
      await clock.pass(500);
    }
    expect(engine.runs - before).toBe(callers);
    await clock.pass(seconds(100));
    expect(engine.runs - before).toBe(callers + 40);
    await answers.close();
  });

  test('100,000 keys: those asked for last are kept warm, 1,000 of them, by one timer', async () => {
    const answers = testAnswers({ queryMs: 0, engineConcurrency: 64 });
    const { clock, engine, question } = answers;
    for (let at = 0; at < 100_000; at += 1_000) {
      const batch = Array.from({ length: 1_000 }, (_, one) => question(String(at + one)));
      await clock.pass(1);
      await Promise.all(batch);
    }
    expect(engine.runs).toBe(100_000);
    expect(clock.timers()).toBe(1);
    await clock.pass(seconds(301));
    expect(answers.counters.refreshes).toBe(1_000);
    const { document: content } = await question('99999');
    expect(clock.now().getTime() - content.computedAt).toBeLessThan(seconds(100));
    await answers.close();
  }, 120_000);

  test('demand that is shared survives a restart, and one gateway refreshes for all', async () => {
    const clock = fakeClock();
    const shared = fakeShared();
    const gateways = [0, 1, 2].map(() => testAnswers({ clock, openShared: shared.open }));
    const [first] = gateways;
    const asked = first?.question();
    await clock.pass(100);
    await asked;
    await clock.pass(seconds(310));
    const runs = () => gateways.reduce((sum, { engine }) => sum + engine.runs, 0);
    expect(runs()).toBe(2);
    for (const gateway of gateways) await gateway.close();

    const restarted = testAnswers({ clock, openShared: shared.open });
    await clock.pass(seconds(320));
    expect(restarted.engine.runs).toBe(1);
    expect((await atOnce(restarted))?.cacheStatus).toBe('HIT');
    await restarted.close();
  });

  test('gateways over other data share nothing', async () => {
    const clock = fakeClock();
    const shared = fakeShared();
    const gateways = ['one', 'another'].map((source) =>
      testAnswers({ clock, source, openShared: shared.open }),
    );
    for (const { question } of gateways) {
      const asked = question();
      await clock.pass(100);
      expect((await asked).cacheStatus).toBe('MISS');
    }
    await clock.pass(seconds(310));
    expect(gateways.map(({ engine }) => engine.runs)).toEqual([2, 2]);
    for (const gateway of gateways) await gateway.close();
  });
});

/** A shared cache that never fails, in this process. */
function fakeShared(): { open: (onUp: () => void) => SharedCache } {
  const kept = new Map<string, never>();
  const leases = new Map<string, string>();
  const demand = new Map<string, number>();
  let fence = 0;
  const end = (key: string) => void leases.delete(key);
  const shared: SharedCache = {
    tried: Promise.resolve(),
    get: async (key) => kept.get(key),
    async take(key) {
      const held = leases.get(key);
      if (held !== undefined) return { role: 'follower', fence: held };
      fence += 1;
      leases.set(key, String(fence));
      return { role: 'leader', fence: String(fence) };
    },
    renew: async () => false,
    watch: async (key) => (leases.has(key) ? { doing: 'working', fence: leases.get(key) ?? '' } : undefined),
    async publish(key, _fence, content) {
      kept.set(key, content as never);
      end(key);
    },
    giveUp: async (key) => end(key),
    async tellDemand(asked) {
      for (const [key, at] of asked) demand.set(key, at);
    },
    demandSince: async () => new Map(demand),
    close: async () => {},
  };
  return {
    open(onUp) {
      setImmediate(onUp);
      return shared;
    },
  };
}
