import { openLoopTicks } from '../concurrency/loop-ticks.ts';

/** How long a connection with open calls may send no reply: the most that a stopped Redis costs a request. */
const maxSilenceMs = 100;

/** How long a call may wait although replies to earlier ones keep coming: Redis is too slow then to be of use. */
const maxWaitMs = 3 * maxSilenceMs;

/** Short, so that a blocked event loop is charged little; long enough to cost nothing. */
const tickMs = 10;

/** The calls of one connection that have no reply yet. */
export interface ReplyWatch {
  /** Follows one call. @returns its own result */
  track<R>(reply: Promise<R>): Promise<R>;
  close(): void;
}

/**
 * Detects that Redis no longer responds. Only time in which the event loop ran is charged to Redis: a reply that has
 * waited in our own process is not late. And the connection is judged, not the call: replies come in the order of the
 * calls, so that each proves that Redis is alive.
 *
 * @param onSilent called once
 */
export function openReplyWatch(onSilent: (error: Error) => void): ReplyWatch {
  const calls = new Set<{ readonly startedAt: number }>();
  /** In milliseconds of loop time, like `startedAt`; it does not advance while no call waits. */
  let now = 0;
  let lastReplyAt = 0;
  let stopTicks: (() => void) | undefined;

  const close = () => {
    stopTicks?.();
    stopTicks = undefined;
  };
  const tick = () => {
    now += tickMs;
    const [oldest] = calls;
    const isSilent = now - lastReplyAt >= maxSilenceMs;
    if (oldest === undefined || (!isSilent && now - oldest.startedAt < maxWaitMs)) return;
    close();
    onSilent(new Error(`no reply within ${isSilent ? maxSilenceMs : maxWaitMs} ms`));
  };

  return {
    async track(reply) {
      const call = { startedAt: now };
      if (calls.size === 0) lastReplyAt = now;
      calls.add(call);
      stopTicks ??= openLoopTicks(tickMs, tick);
      try {
        return await reply;
      } finally {
        lastReplyAt = now;
        calls.delete(call);
        if (calls.size === 0) close();
      }
    },
    close,
  };
}
