import { openLoopTicks } from '../concurrency/loop-ticks.ts';

/** How long a connection with open calls may send no reply: the most that a stopped Redis costs a request. */
const maxSilenceMs = 100;

/** How long a call may wait although replies to earlier ones keep coming: Redis is too slow then to be of use. */
const maxWaitMs = 3 * maxSilenceMs;

/** How long the transfer of one large result may take. */
const maxTransferMs = 10_000;

/** Short, so that a blocked event loop is charged little; long enough to cost nothing. */
const tickMs = 10;

/** The calls of one connection that have no reply yet. */
export interface ReplyWatch {
  /** Follows one call. @returns its own result; undefined once it has waited for too long for the transfer of another one's */
  track<R>(reply: Promise<R>): Promise<R | undefined>;
  close(): void;
}

/**
 * Detects that Redis no longer responds. Only time in which the event loop ran is charged to Redis: a reply that has
 * waited in our own process is not late. And the connection is judged, not the call: replies come in the order of the
 * calls, so that each proves that Redis is alive. So does each part of a large one; calls behind it do not wait for all of it.
 *
 * @param onSilent called once
 * @param hasMoved true if bytes have been transferred since it was called last
 */
export function openReplyWatch(
  onSilent: (error: Error) => void,
  hasMoved: () => boolean = () => false,
): ReplyWatch {
  const calls = new Set<Call>();
  /** In milliseconds of loop time, like `startedAt`; it does not advance while no call waits. */
  let now = 0;
  let lastSignAt = 0;
  /** True if a reply has come since the last tick: what has moved may be no more than that reply. */
  let hasReplied = false;
  let stopTicks: (() => void) | undefined;

  const close = () => {
    stopTicks?.();
    stopTicks = undefined;
  };
  const tick = () => {
    const isTransfer = hasMoved() && !hasReplied;
    hasReplied = false;
    now += isTransfer ? (tickMs * maxWaitMs) / maxTransferMs : tickMs;
    if (isTransfer) lastSignAt = now;
    const [oldest, ...others] = calls;
    if (isTransfer) for (const call of others) wait(call);
    const isSilent = now - lastSignAt >= maxSilenceMs;
    if (oldest === undefined || (!isSilent && now - oldest.startedAt < maxWaitMs)) return;
    close();
    onSilent(new Error(`no reply within ${isSilent ? maxSilenceMs : maxWaitMs} ms`));
  };

  return {
    track(reply) {
      const { promise: passed, resolve: pass } = Promise.withResolvers<undefined>();
      const call = { startedAt: now, behindMs: 0, pass: () => pass(undefined) };
      if (calls.size === 0) {
        lastSignAt = now;
        hasMoved();
      }
      calls.add(call);
      stopTicks ??= openLoopTicks(tickMs, tick);
      const ended = reply.finally(() => {
        lastSignAt = now;
        hasReplied = true;
        calls.delete(call);
        if (calls.size === 0) close();
      });
      return Promise.race([ended, passed]);
    },
    close,
  };
}

interface Call {
  readonly startedAt: number;
  /** How long it has waited for the transfer of another one's result. */
  behindMs: number;
  /** Lets its caller go on; its reply still comes in its turn. */
  readonly pass: () => void;
}

function wait(call: Call): void {
  call.behindMs += tickMs;
  if (call.behindMs >= maxWaitMs) call.pass();
}
