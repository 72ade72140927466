import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a check no longer throws.
 *
 * @returns what the check returned, and how long it took
 */
export async function eventually<T>(
  check: () => Promise<T> | T,
  timeoutMs = 15_000,
): Promise<{ readonly value: T; readonly tookMs: number }> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return { value: await check(), tookMs: performance.now() - startedAt };
    } catch (error) {
      if (performance.now() - startedAt > timeoutMs) throw error;
    }
    await sleep(10);
  }
}
