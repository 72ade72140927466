import { openLoopTicks } from '../concurrency/loop-ticks.ts';

/** How long a connection with open calls may send no reply: the most that a stopped Redis costs a request. */
const maxSilenceMs = 100;

/** How long a call may wait although replies to earlier ones keep coming: Redis is too slow then to be of use. */
const maxWaitMs = 3 * maxSilenceMs;

/** How long the transfer of one large result may take. */
const maxTransferMs = 10_000;

/** A network that sends less is too slow to be of use: 40 Mbit/s. */
const minBytesOfMs = 5_000;

/** Short, so that a blocked event loop is charged little; long enough to cost nothing. */
const tickMs = 10;

/** How a call is followed. */
export interface CallOptions<R> {
  /** How much it sends: how much of it has arrived is not known, so that Redis may be silent for as long as that takes. */
  readonly sentBytes?: number;
  /**
   * Lets the call be passed over once it has waited for too long for the transfer of another one's result, and takes its
   * reply when that comes nevertheless. Without it the call waits for its turn: a write has an effect in any case.
   */
  readonly onLate?: (reply: R) => void;
}

/** A call whose reply is of no use any more when it is late. */
export const read: CallOptions<unknown> = { onLate: () => {} };

/** The calls of one connection that have no reply yet. */
export interface ReplyWatch {
  /** Follows one call. @returns its own result; undefined once it has been passed over */
  track<R>(reply: Promise<R>, options?: CallOptions<NoInfer<R>>): Promise<R | undefined>;
  close(): void;
}

/**
 * Detects that Redis no longer responds. Only time in which the event loop ran is charged to Redis: a reply that has
 * waited in our own process is not late. And the connection is judged, not the call: replies come in the order of the
 * calls, so that each proves that Redis is alive. So does each part of a large one; reads behind it do not wait for all of it.
 *
 * @param onSilent called once
 * @param hasReceived true if bytes have been received since it was called last
 */
export function openReplyWatch(onSilent: (error: Error) => void, hasReceived: () => boolean): ReplyWatch {
  const calls = new Set<Call>();
  /** In milliseconds of loop time, like `startedAt`; it does not advance during a transfer, and while no call waits. */
  let now = 0;
  let lastSignAt = 0;
  /** True if a reply has come since the last tick: what was received may be no more than that reply. */
  let hasReplied = false;
  let stopTicks: (() => void) | undefined;

  const close = () => {
    stopTicks?.();
    stopTicks = undefined;
  };
  const tick = () => {
    const isReceiving = hasReceived() && !hasReplied;
    hasReplied = false;
    const [oldest, ...others] = calls;
    if (oldest === undefined) return;
    if (isReceiving || oldest.transferMs + tickMs <= oldest.sendMs) {
      lastSignAt = now;
      oldest.transferMs += tickMs;
      for (const call of others) waitBehind(call);
    } else now += tickMs;
    const limitMs = exceededLimit(oldest, now, lastSignAt);
    if (limitMs === undefined) return;
    close();
    onSilent(new Error(`no reply within ${limitMs} ms`));
  };

  return {
    track(reply, { sentBytes = 0, onLate } = {}) {
      const { promise: passed, resolve } = Promise.withResolvers<undefined>();
      const pass = () => {
        resolve(undefined);
        if (onLate !== undefined) ended.then(onLate, () => {});
      };
      const call = {
        startedAt: now,
        sendMs: Math.min(sentBytes / minBytesOfMs, maxTransferMs),
        transferMs: 0,
        behindMs: 0,
        pass: onLate && pass,
      };
      if (calls.size === 0) {
        lastSignAt = now;
        hasReceived();
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
  /** How long sending it may take. */
  readonly sendMs: number;
  /** How long it or its reply has been transferred. */
  transferMs: number;
  /** How long it has waited for the transfer of another one's result. */
  behindMs: number;
  /** Lets its caller go on; its reply still comes in its turn. */
  pass: (() => void) | undefined;
}

/** @returns the limit in milliseconds that a call has exceeded */
function exceededLimit(call: Call, now: number, lastSignAt: number): number | undefined {
  if (now - lastSignAt >= maxSilenceMs) return maxSilenceMs;
  if (now - call.startedAt >= maxWaitMs) return maxWaitMs;
  return call.transferMs >= maxTransferMs ? maxTransferMs : undefined;
}

function waitBehind(call: Call): void {
  call.behindMs += tickMs;
  if (call.behindMs < maxWaitMs) return;
  call.pass?.();
  call.pass = undefined;
}
