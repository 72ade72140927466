import { expect, test } from 'vitest';
import { bind, plainParameters } from '../../src/catalog/binding/bind.ts';
import { fakeClock } from '../support/fake-clock.ts';
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
