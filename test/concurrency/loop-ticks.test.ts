import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openLoopTicks } from '../../src/concurrency/loop-ticks.ts';
import { blockEventLoop } from '../support/block-event-loop.ts';
import { eventually } from '../support/eventually.ts';

test('ticks come at intervals, and a turn of the event loop that takes long counts as one', async () => {
  let ticks = 0;
  const startedAt = performance.now();
  const stop = openLoopTicks(10, () => {
    ticks += 1;
  });
  await eventually(() => expect(ticks).toBeGreaterThan(2));
  expect(ticks).toBeLessThanOrEqual((performance.now() - startedAt) / 10);
  ticks = 0;
  blockEventLoop(300);
  await new Promise(setImmediate);
  expect(ticks).toBeLessThanOrEqual(2);
  stop();
  ticks = 0;
  await sleep(50);
  expect(ticks).toBe(0);
});
