import { openLinkedAbort } from '../../../concurrency/abort.ts';
import { deadlineExceeded } from '../../../engine-contract/engine-errors.ts';

/** How long one query may take, and what ends it early. */
export interface Deadline {
  /** Aborted when the result is no longer needed: the time is over, the caller has left, or the engine closes. */
  readonly cancelled: AbortSignal;
  /** Aborted when no call may continue: as `cancelled`, but not if only the caller has left. */
  readonly expired: AbortSignal;
  /** Milliseconds until the time is over, at least 0. */
  remainingMs(): number;
  /** Removes the timer and the listeners. */
  release(): void;
}

interface DeadlineOptions {
  readonly timeoutMs: number;
  /** Aborted when the caller has left. */
  readonly caller: AbortSignal;
  /** Aborted when the engine closes. */
  readonly closing: AbortSignal;
}

/**
 * Starts the clock of one query. Both signals are aborted with ENGINE_TIMEOUT when the time is over, and with the reason
 * of the signal that they follow otherwise.
 */
export function openDeadline({ timeoutMs, caller, closing }: DeadlineOptions): Deadline {
  const endsAt = performance.now() + timeoutMs;
  const expired = openLinkedAbort({
    follow: [closing],
    timeout: { ms: timeoutMs, reason: () => deadlineExceeded(timeoutMs) },
  });
  const cancelled = openLinkedAbort({ follow: [expired.signal, caller] });
  return {
    cancelled: cancelled.signal,
    expired: expired.signal,
    remainingMs: () => Math.max(0, endsAt - performance.now()),
    release() {
      expired.release();
      cancelled.release();
    },
  };
}
