import { expect, test } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { leaseMs } from '../../../src/results/shared/shared-cache.ts';
import { fakeClock, settled } from '../../support/fake-clock.ts';
import { fakeShared } from '../../support/fake-shared.ts';
import { openTestResults, summary } from '../../support/test-results.ts';

test('a leader holds its lease until its result is stored, and then never renews it', async () => {
  const clock = fakeClock();
  const { open } = fakeShared();
  const stored = Promise.withResolvers<boolean>();
  const calls: string[] = [];
  const results = openTestResults({
    clock,
    queryMs: 10,
    openShared: (...use) => ({
      ...open(...use),
      publish: () => stored.promise,
      renew: async () => calls.push('renew') > 0,
      release: async () => void calls.push('release'),
    }),
  });
  const requested = results.request();
  await clock.pass(10);
  expect(summary(await requested)).toEqual(['MISS', 1]);
  await clock.pass(2 * leaseMs);
  const renewals = Array.from({ length: 6 }, () => 'renew');
  expect(calls).toEqual(renewals);
  stored.resolve(true);
  await settled();
  await clock.pass(leaseMs);
  expect(calls).toEqual([...renewals, 'release']);
  await results.close();
});

test.each([
  ['DATA_UNREADABLE', false, undefined],
  ['ENGINE_BUSY', false, undefined],
  ['ENGINE_UNAVAILABLE', false, undefined],
  ['ENGINE_UNAVAILABLE', true, 'ENGINE_UNAVAILABLE'],
  ['ENGINE_FAILED', false, 'ENGINE_FAILED'],
] as const)(
  'followers of a run that ends with %s, of one engine for all: %s, fail with %s',
  async (code, isOneEngine, shared) => {
    const { open } = fakeShared();
    const failures: unknown[] = [];
    const results = openTestResults({
      isOneEngine,
      openShared: (...use) => ({
        ...open(...use),
        release: async (_key, _token, failure) => void failures.push(failure?.code),
      }),
    });
    results.engine.failing = true;
    results.engine.fault = new GatewayError(code, 'It fails');
    const refused = expect(results.request()).rejects.toMatchObject({ code });
    await results.clock.pass(100);
    await refused;
    expect(failures).toEqual([shared]);
    await results.close();
  },
);
