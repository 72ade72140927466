import { openLoopTicks } from '../../src/concurrency/loop-ticks.ts';

const tickMs = 10;

/**
 * Measures loop time: a moment at which a busy machine does not run this process counts as one tick, however long it is.
 * It is never more than the time on the clock.
 *
 * @returns ends the measurement, and gives the time in ms
 */
export function measureLoopTime(): () => number {
  let ticks = 0;
  const stop = openLoopTicks(tickMs, () => {
    ticks += 1;
  });
  return () => {
    stop();
    return ticks * tickMs;
  };
}
