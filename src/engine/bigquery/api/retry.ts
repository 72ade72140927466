import { setTimeout as sleep } from 'node:timers/promises';
import type { Limit } from '../deadline.ts';
import { EngineFailure } from './errors.ts';

/** How often a call is made at most. */
const maxTries = 5;

/** The pause before the second try is up to this, before each later one up to twice as much. Milliseconds. */
const firstPauseMs = 200;

/**
 * Tries until there is an answer, a failure that no try will mend, or no time left for another.
 *
 * Pauses are random between nothing and their bound ("full jitter"), so that callers that failed together do not come
 * back together.
 *
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 * @throws the last failure; the limit's reason where nobody wants the answer any longer
 */
export async function retrying<T>(limit: Limit, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      limit.gone.throwIfAborted();
      if (!(error instanceof EngineFailure) || !error.retry || tries === maxTries) throw error;
      const pauseMs = Math.max(error.notBeforeMs, Math.random() * firstPauseMs * 2 ** (tries - 1));
      if (pauseMs >= limit.remainingMs()) throw error;
      await pause(pauseMs, limit);
    }
  }
}

/** @throws the limit's reason where nobody wants the answer any longer */
export async function pause(ms: number, { gone }: Limit): Promise<void> {
  await sleep(ms, undefined, { signal: gone }).catch(() => {});
  gone.throwIfAborted();
}
