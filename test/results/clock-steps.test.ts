import { describe, expect, test } from 'vitest';
import { bind, isOutdated } from '../../src/catalog/binding/bind.ts';
import { buildTimeline, elapsedBy } from '../../src/concurrency/clock.ts';
import { fakeClock } from '../support/fake-clock.ts';
import { fakeEngine } from '../support/fake-engine.ts';
import { draftQuery } from '../support/queries.ts';
import { openTestResults, summary, type TestResults, warmed } from '../support/test-results.ts';

const seconds = (count: number) => count * 1_000;
const hour = seconds(3_600);

/** A request and its engine's run. */
async function requested(results: TestResults) {
  const result = results.request();
  await results.clock.pass(150);
  return result;
}

describe.each([
  ['two hours back', -2 * hour],
  ['two hours forward', 2 * hour],
  ['a second back', -seconds(1)],
])('the clock of the machine is set %s', (_, byMs) => {
  test('a result is fresh as long as its query says', async () => {
    const results = openTestResults({ caching: ['caching: 60s'] });
    await requested(results);
    results.clock.set(byMs);
    await results.clock.pass(seconds(58));
    expect(summary(await requested(results))[0]).toBe('HIT');
    await results.clock.pass(seconds(2));
    expect(summary(await requested(results))[0]).toBe('MISS');
    expect(summary(await requested(results))[0]).toBe('HIT');
    await results.close();
  });

  test('its age is the time that has passed since its run began', async () => {
    const results = openTestResults({ caching: ['caching: 60s'] });
    await requested(results);
    results.clock.set(byMs);
    await results.clock.pass(seconds(30));
    const { document, obtainedAt } = await requested(results);
    expect(obtainedAt - document.begunAt).toBe(seconds(30) + 150);
    await results.close();
  });

  test('a stale result is returned while the engine fails, and not for longer', async () => {
    const results = openTestResults({ caching: ['caching: 60s', 'stale_if_error: 60s'] });
    await requested(results);
    results.engine.failing = true;
    results.clock.set(byMs);
    await results.clock.pass(seconds(70));
    expect(summary(await requested(results))[0]).toBe('STALE');
    await results.clock.pass(seconds(60));
    const failed = results.request().catch(({ code }: { code: string }) => code);
    await results.clock.pass(seconds(20));
    expect(await failed).toBe('ENGINE_FAILED');
    await results.close();
  });

  test('a key is kept warm as before', async () => {
    const results = openTestResults({ caching: warmed });
    await requested(results);
    results.clock.set(byMs);
    await results.clock.pass(seconds(310));
    expect(results.engine.runs).toBe(2);
    await results.clock.pass(seconds(310));
    expect(results.engine.runs).toBe(3);
    await results.close();
  });

  test('a forced run replaces the result', async () => {
    const results = openTestResults({ caching: ['caching: 60s'] });
    await requested(results);
    results.clock.set(byMs);
    const forced = results.request('', { noCache: true });
    await results.clock.pass(150);
    expect(summary(await forced)).toEqual(['BYPASS', 2]);
    expect(summary(await requested(results))).toEqual(['HIT', 2]);
    await results.close();
  });

  test('what is followed is computed at each interval', async () => {
    const clock = fakeClock();
    const results = openTestResults({ clock });
    const query = draftQuery({
      columns: { x: 'string' },
      caching: ['caching: 60s', 'live: 5s'],
      sql: 'select 1',
    });
    let events = 0;
    const unfollow = results.follow(bind(query, new Map(), clock.now().getTime()), {
      onResult: () => {
        events += 1;
      },
      onFailure: () => {},
    });
    await clock.pass(seconds(12));
    expect(events).toBe(3);
    clock.set(byMs);
    await clock.pass(seconds(10));
    expect(events).toBe(5);
    unfollow();
    await results.close();
  });
});

test('a result is fresh as long as its query says if the clock is set back during its run', async () => {
  const results = openTestResults({ caching: ['caching: 60s'] });
  const result = results.request();
  results.clock.set(-hour);
  await results.clock.pass(seconds(30));
  expect((await result).document.computedAt).toBe(results.clock.now().getTime() - seconds(30));
  expect(summary(await requested(results))[0]).toBe('HIT');
  await results.clock.pass(seconds(30));
  expect(summary(await requested(results))[0]).toBe('MISS');
  await results.close();
});

test('a result is of the time that its engine says, even if that is late in the run', async () => {
  const clock = fakeClock();
  const engine = fakeEngine({ clock, queryMs: seconds(30) });
  const results = openTestResults({
    caching: ['caching: 60s'],
    clock,
    engine: {
      ...engine,
      run: async (...run) => ({ ...(await engine.run(...run)), computedAt: clock.now().getTime() }),
    },
  });
  const result = results.request();
  await clock.pass(seconds(30));
  expect((await result).document.begunAt).toBe(seconds(30));
  await results.close();
});

test('a query with values relative to the time is bound again when the clock is set back', () => {
  const query = draftQuery({
    columns: { x: 'timestamp' },
    parameters: { since: '{ type: timestamp, default: -1h, description: S. }' },
    caching: ['caching: 60s'],
    sql: 'select @since as x',
  });
  const moment = new Date('2026-03-10T12:00:00Z').getTime();
  const bound = bind(query, new Map(), moment);
  expect(isOutdated(bound, moment)).toBe(false);
  expect(isOutdated(bound, moment - 1)).toBe(true);
  expect(isOutdated(bound, moment + 2 * hour)).toBe(true);
});

test('moments are the same times until the clock of the machine is set', async () => {
  const clock = fakeClock();
  const timeline = buildTimeline(clock);
  const moment = clock.now().getTime();
  const before = timeline.elapsedAt(moment);
  await clock.pass(seconds(5));
  expect(timeline.elapsedAt(moment)).toBe(before);
  expect(timeline.momentAt(before)).toBe(moment);
  clock.set(-hour);
  expect(timeline.elapsedAt(moment)).toBe(before + hour);
  expect(timeline.momentAt(clock.elapsedMs())).toBe(clock.now().getTime());
});

test('by a clock that gives moments only, steps back do not count', () => {
  let moment = 1_000;
  const elapsedMs = elapsedBy(() => new Date(moment));
  moment = 3_000;
  expect(elapsedMs()).toBe(2_000);
  moment = 500;
  expect(elapsedMs()).toBe(2_000);
  moment = 600;
  expect(elapsedMs()).toBe(2_100);
});

test('a result whose engine says a fraction of a millisecond is of a whole one, as gateways store it', async () => {
  const clock = fakeClock();
  const engine = fakeEngine({ clock });
  const computedAt = clock.now().getTime() + 0.75;
  const run: typeof engine.run = async (...given) => ({ ...(await engine.run(...given)), computedAt });
  const results = openTestResults({ caching: ['caching: 60s'], clock, engine: { ...engine, run } });
  const { document } = await requested(results);
  expect([document.computedAt, document.begunAt]).toEqual([Math.floor(computedAt), 0]);
  await results.close();
});
