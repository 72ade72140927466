import { setTimeout as sleep } from 'node:timers/promises';
import type { Deadline } from './deadline.ts';
import { ApiError } from './api-errors.ts';

/** The most attempts of one call. */
const maxAttempts = 5;

/** The upper bound of the pause before the second attempt; it doubles with each further one. Milliseconds. */
const firstPauseMs = 200;

/**
 * Repeats a call until it succeeds, fails permanently, or no time is left for another attempt.
 *
 * Pauses are random between zero and their bound ("full jitter"), so that clients which failed at the same moment do
 * not come back at the same moment.
 *
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 * @throws the last attempt's error; the reason of `deadline.cancelled` once that is aborted
 */
export async function retry<T>(deadline: Deadline, attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      deadline.cancelled.throwIfAborted();
      if (!(error instanceof ApiError) || !error.retry || attempts === maxAttempts) throw error;
      const pauseMs = Math.max(error.retryDelayMs, Math.random() * firstPauseMs * 2 ** (attempts - 1));
      if (pauseMs >= deadline.remainingMs()) throw error;
      await pause(pauseMs, deadline);
    }
  }
}

/** @throws the reason of `deadline.cancelled` once that is aborted */
export async function pause(ms: number, { cancelled }: Deadline): Promise<void> {
  await sleep(ms, undefined, { signal: cancelled }).catch(() => {});
  cancelled.throwIfAborted();
}
