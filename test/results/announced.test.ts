import { expect, test } from 'vitest';
import { bind, plainParameters } from '../../src/catalog/binding/bind.ts';
import { fakeClock } from '../support/fake-clock.ts';
import { fakeEngine } from '../support/fake-engine.ts';
import { fakeShared } from '../support/fake-shared.ts';
import { draftQuery } from '../support/queries.ts';
import { openTestResults } from '../support/test-results.ts';

test.each([
  [true, [5, 5]],
  [false, [8, 10]],
])(
  'two gateways that follow a result run it in its interval only, if they can read it: %s',
  async (canRead, [least, most]) => {
    const clock = fakeClock();
    const shared = fakeShared(clock);
    const caching = ['caching: 60s', 'live: 5s'];
    const query = draftQuery({ columns: { x: 'string' }, caching, sql: "select 'a' as x" });
    const open = () => {
      const results = openTestResults({
        clock,
        caching,
        openShared: (...given) => ({
          ...shared.open(...given),
          ...(!canRead && { get: async () => undefined }),
        }),
      });
      const heard: number[] = [];
      const follower = {
        onResult: ({ computedAt }: { computedAt: number }) => void heard.push(computedAt),
        onFailure() {},
      };
      results.follow(bind(query, plainParameters({})), follower);
      return { heard, results };
    };
    const first = open();
    await clock.pass(1_000);
    const second = open();
    await clock.pass(24_000);
    const runs = first.results.engine.runs + second.results.engine.runs;
    expect(runs).toBeGreaterThanOrEqual(least ?? 0);
    expect(runs).toBeLessThanOrEqual(most ?? 0);
    if (canRead) expect(new Set(second.heard)).toEqual(new Set(first.heard));
    await first.results.close();
    await second.results.close();
  },
);

test('a result of versioned data reaches followers at other gateways before their own time', async () => {
  const clock = fakeClock();
  const shared = fakeShared(clock);
  const caching = ['caching: 60s', 'live: 30s'];
  const open = () => {
    const engine = fakeEngine({ clock });
    const { run } = engine;
    const dataVersion = '8';
    return openTestResults({
      clock,
      caching,
      engine: Object.assign(engine, {
        dataVersionOf: () => dataVersion,
        run: async (...given: Parameters<typeof run>) => ({ ...(await run(...given)), dataVersion }),
      }),
      openShared: shared.open,
    });
  };
  const [first, second] = [open(), open()];
  const query = draftQuery({ columns: { x: 'string' }, caching, sql: "select 'a' as x" });
  const bound = bind(query, plainParameters({}));
  const heard: number[] = [];
  second.follow(bound, { onResult: ({ computedAt }) => void heard.push(computedAt), onFailure() {} });
  await clock.pass(2_000);
  const { signal } = new AbortController();
  const requested = first.get(bound, { caller: { signal }, noCache: true });
  await clock.pass(200);
  const { document } = await requested;
  await clock.pass(50);
  expect(heard.at(-1)).toBe(document.computedAt);
  await first.close();
  await second.close();
});
