/**
 * The result of a promise, unless the signal is aborted first. The work behind the promise goes on: use this for work
 * that cannot be aborted.
 *
 * @throws the signal's reason when it is aborted first
 */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** An abort signal that also follows others. */
interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Begins another timeout instead. */
  restartTimer(ms: number): void;
  /** Removes the listeners and the timer; the signal is not aborted by them afterwards. */
  release(): void;
}

interface LinkedAbortOptions {
  /** Each aborts this one with its own reason. */
  readonly follow: readonly AbortSignal[];
  /** Aborts after this many milliseconds. */
  readonly timeout?: { readonly ms: number; readonly reason: () => unknown };
}

/**
 * A signal that is aborted with the first of several, or after a time. It must be released: unlike
 * `AbortSignal.any` over a signal that is itself made by `any`, which Node 24 never frees.
 */
export function openLinkedAbort({ follow, timeout }: LinkedAbortOptions): LinkedAbort {
  const controller = new AbortController();
  const listeners = follow.map((signal) => {
    const listener = () => controller.abort(signal.reason);
    if (signal.aborted) listener();
    signal.addEventListener('abort', listener, { once: true });
    return () => signal.removeEventListener('abort', listener);
  });
  const startTimer = (ms: number) => setTimeout(() => controller.abort(timeout?.reason()), ms);
  let timer = timeout && startTimer(timeout.ms);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    restartTimer(ms) {
      clearTimeout(timer);
      timer = startTimer(ms);
    },
    release() {
      clearTimeout(timer);
      for (const remove of listeners) remove();
    },
  };
}
