import { expect, test } from 'vitest';
import { openRepeat } from '../../src/concurrency/repeat.ts';
import { fakeClock } from '../support/fake-clock.ts';

test('work is repeated at intervals, never twice at once, and goes on after an error', async () => {
  const clock = fakeClock();
  const errors: unknown[] = [];
  let starts = 0;
  let end = Promise.withResolvers<void>();
  const repeat = openRepeat({
    clock,
    everyMs: 100,
    work() {
      starts += 1;
      return end.promise;
    },
    onError: (error) => errors.push(error),
  });
  await clock.pass(99);
  expect(starts).toBe(0);
  await clock.pass(500);
  expect(starts).toBe(1);

  end.reject(new Error('failed'));
  end = Promise.withResolvers();
  await clock.pass(100);
  expect(errors).toEqual([new Error('failed')]);
  expect(starts).toBe(2);

  let isClosed = false;
  const closing = repeat.close().then(() => {
    isClosed = true;
  });
  await clock.pass(500);
  expect({ isClosed, starts, timers: clock.timers() }).toEqual({ isClosed: false, starts: 2, timers: 0 });
  end.resolve();
  await closing;
});
