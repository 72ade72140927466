import { callerGone, GatewayError } from '../../errors.ts';

/** How long one query may go on, and for whom. */
export interface Limit {
  /** Aborted when nobody wants the answer any longer: the time is over, the caller has gone, the engine closes. */
  readonly gone: AbortSignal;
  /** Aborted when nothing may be under way any longer: the same, but not when only the caller has gone. */
  readonly over: AbortSignal;
  /** Milliseconds until the time is over, at least 0. */
  remainingMs(): number;
  /** Lets go of the timer and of the signals it listens to. */
  release(): void;
}

export interface LimitOptions {
  readonly timeoutMs: number;
  /** Aborted when the caller has gone. */
  readonly caller: AbortSignal;
  /** Aborted when the engine closes. */
  readonly closing: AbortSignal;
}

/** Starts the clock of one query. The reasons of both signals are the GatewayErrors to tell. */
export function openLimit({ timeoutMs, caller, closing }: LimitOptions): Limit {
  const gone = new AbortController();
  const over = new AbortController();
  const end = (error: GatewayError) => {
    gone.abort(error);
    over.abort(error);
  };
  const leave = () => gone.abort(callerGone());
  const close = () => end(new GatewayError('CANCELLED', 'The service is ending'));
  const endsAt = performance.now() + timeoutMs;
  const timer = setTimeout(() => {
    const message = `No answer within ${timeoutMs} ms; ask for a shorter window, or try again later`;
    end(new GatewayError('ENGINE_TIMEOUT', message));
  }, timeoutMs);

  if (caller.aborted) leave();
  if (closing.aborted) close();
  caller.addEventListener('abort', leave, { once: true });
  closing.addEventListener('abort', close, { once: true });
  return {
    gone: gone.signal,
    over: over.signal,
    remainingMs: () => Math.max(0, endsAt - performance.now()),
    release() {
      clearTimeout(timer);
      caller.removeEventListener('abort', leave);
      closing.removeEventListener('abort', close);
    },
  };
}
