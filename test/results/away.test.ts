import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { bind, plainParameters } from '../../src/catalog/binding/bind.ts';
import type { EarlierRows, Engine } from '../../src/engine-contract/engine.ts';
import { openResults, type Results } from '../../src/results/open-results.ts';
import { type FakeClock, fakeClock } from '../support/fake-clock.ts';
import { fakeEngine } from '../support/fake-engine.ts';
import { fakeShared } from '../support/fake-shared.ts';
import { draftQuery } from '../support/queries.ts';

const minute = 60_000;
const hour = 60 * minute;

const incremental = ['incremental: true', 'late: 10m', 'reconcile: 6h'];

const opened: Results[] = [];
afterEach(async () => {
  for (const results of opened.splice(0)) await results.close();
});

/** A gateway whose engine gives each run a state, and notes which one the run replaces. */
function open(clock: FakeClock, shared?: ReturnType<typeof fakeShared>, header: readonly string[] = []) {
  const before: (EarlierRows['state'] | 'none')[] = [];
  const fake = fakeEngine({ clock, queryMs: 100 });
  const engine: Engine = {
    ...fake,
    async run(bound, options) {
      const state = new Date(clock.now()).toISOString().slice(11, 16);
      before.push(options.before?.()?.state ?? 'none');
      return { ...(await fake.run(bound, options)), state };
    },
  };
  const query = draftQuery({
    ...{ columns: { x: 'integer' }, sql: 'select 1 as x' },
    caching: ['caching: 900s', 'cache_warming: 300s', ...header],
  });
  const results = openResults({
    ...{ catalog: { queries: [query], tables: [] }, engine, engineConcurrency: 4, engineTimeoutMs: minute },
    ...{ memoryBytes: 1e7, clock, log: pino({ level: 'silent' }), refreshesTogether: () => true },
    openShared: shared?.open,
    onCost() {},
  });
  opened.push(results);
  const bound = bind(query, plainParameters({}));
  const { signal } = new AbortController();
  return {
    before,
    bound,
    results,
    request: () => results.get(bound, { caller: { signal }, noCache: false }),
  };
}

describe('after two hours in which no gateway ran', () => {
  test.each([
    ['begins with the result that was published last', incremental, '12:00'],
    ['reads all, if the query is not incremental', [], 'none'],
  ])('the first run %s, and the waves that were missed are not run', async (_, header, state) => {
    const clock = fakeClock();
    const shared = fakeShared(clock);
    const first = open(clock, shared, header);
    const requested = first.request();
    await clock.pass(200);
    await requested;
    await first.results.close();
    await clock.pass(2 * hour);

    const { before, request } = open(clock, shared, header);
    // It is too old to be sent: the caller waits for the run.
    const later = request();
    await clock.pass(200);
    const { cacheStatus, document } = await later;
    expect(cacheStatus).toBe('MISS');
    expect(clock.now().getTime() - document.computedAt).toBeLessThan(minute);
    expect(before).toEqual([state]);
    await clock.pass(5 * minute);
    expect(before).toHaveLength(2);
  });

  test('a client that follows the result gets none that is too old', async () => {
    const clock = fakeClock();
    const shared = fakeShared(clock);
    const first = open(clock, shared, incremental);
    const requested = first.request();
    await clock.pass(200);
    await requested;
    await first.results.close();
    await clock.pass(2 * hour);

    const { results, bound, before } = open(clock, shared, incremental);
    const ages: number[] = [];
    const unfollow = results.follow(bound, {
      onResult: ({ computedAt }) => void ages.push(clock.now().getTime() - computedAt),
      onFailure() {},
    });
    await clock.pass(2_000);
    unfollow();
    expect(before).toEqual(['12:00']);
    expect(ages).toHaveLength(1);
    expect(ages[0]).toBeLessThan(minute);
  });
});

describe('a gateway that was paused for two hours', () => {
  const pinned = ['warm: [{}]'];

  test('runs once what it keeps warm', async () => {
    const clock = fakeClock();
    const { before } = open(clock, undefined, [...pinned, ...incremental]);
    await clock.pass(1_000);
    expect(before).toEqual(['none']);
    clock.skip(2 * hour);
    await clock.pass(1_000);
    expect(before).toEqual(['none', '12:00']);
    await clock.pass(5 * minute);
    expect(before).toHaveLength(3);
  });

  test('takes what the others have published meanwhile', async () => {
    const [clock, others] = [fakeClock(), fakeClock()];
    const shared = fakeShared();
    const paused = open(clock, shared, pinned);
    await clock.pass(1_000);
    const other = open(others, shared, pinned);
    await others.pass(2 * hour);
    const { computedAt } = (await other.request()).document;
    clock.skip(2 * hour - 1_000);
    await clock.pass(1_000);
    expect(paused.before).toHaveLength(1);
    const { document, cacheStatus } = await paused.request();
    expect([document.computedAt, cacheStatus]).toEqual([computedAt, 'HIT']);
  });
});
