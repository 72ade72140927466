import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { measureLoopTime } from './loop-time.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** How long a test of the project may wait for something, in ms. */
    waitingMs: number;
  }
}

/**
 * Waits until a check no longer throws.
 *
 * @returns what the check returned, and how long it took in loop time
 */
export async function eventually<T>(
  check: () => Promise<T> | T,
  timeoutMs = inject('waitingMs'),
): Promise<{ readonly value: T; readonly tookMs: number }> {
  const startedAt = performance.now();
  const endMeasurement = measureLoopTime();
  try {
    for (;;) {
      try {
        return { value: await check(), tookMs: endMeasurement() };
      } catch (error) {
        if (performance.now() - startedAt > timeoutMs) throw error;
      }
      await sleep(10);
    }
  } finally {
    endMeasurement();
  }
}
