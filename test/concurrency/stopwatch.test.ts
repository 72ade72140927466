import { expect, test } from 'vitest';
import { startStopwatch } from '../../src/concurrency/stopwatch.ts';

/** A stopwatch on two cores, after some time on the clock and on the processor. */
function elapsed(clock: number, processor: number): number {
  const readings = { clock: 5_000, processor: 300 };
  const read = startStopwatch({
    now: () => readings.clock,
    processorTime: () => readings.processor,
    cores: 2,
  });
  readings.clock += clock;
  readings.processor += processor;
  return read();
}

test.each([
  ['alone on the machine, on all cores', 100, 200, 100],
  ['that has a fifth of the machine', 500, 200, 100],
  ['that waits for a disk', 1_000, 2, 100],
  ['at once', 0, 0, 0],
  ['of which the processor time was counted later', 10, 40, 10],
])('the time of a process %s', (_, clock, processor, expected) => {
  expect(elapsed(clock, processor)).toBe(expected);
});

test('by itself, it reads the clock and the processor', () => {
  const read = startStopwatch();
  const start = performance.now();
  while (performance.now() - start < 20);
  expect(read()).toBeGreaterThanOrEqual(1);
  expect(read()).toBeLessThanOrEqual(performance.now() - start + 1);
});
