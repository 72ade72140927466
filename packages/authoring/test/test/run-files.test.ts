import { expect, test } from 'vitest';
import { inParallel } from '../../src/test/run-files.ts';

test('any number of items is worked on, some at the same time, and the results have their order', async () => {
  const items = Array.from({ length: 500 }, (_, at) => at);
  let running = 0;
  let most = 0;
  const results = await inParallel(items, 3, async (item) => {
    most = Math.max(most, ++running);
    for (let turn = item % 4; turn > 0; turn--) await Promise.resolve();
    running -= 1;
    return item * 2;
  });
  expect(results).toEqual(items.map((item) => item * 2));
  expect(most).toBe(3);
  expect(await inParallel([], 3, () => Promise.reject(new Error('no item')))).toEqual([]);
});
