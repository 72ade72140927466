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
  const timer = timeout && setTimeout(() => controller.abort(timeout.reason()), timeout.ms);
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release() {
      clearTimeout(timer);
      for (const remove of listeners) remove();
    },
  };
}

/** Some who wait for the same: its signal is aborted when all of them have gone. */
export class JoinedCallers {
  readonly #callers = new Set<{ readonly signal: AbortSignal }>();
  #gone = 0;
  #controller: AbortController | undefined;

  get haveGone(): boolean {
    return this.#controller?.signal.aborted === true;
  }

  /** @param caller its getter is read only if the signal of all is */
  add(caller: { readonly signal: AbortSignal }): void {
    this.#callers.add(caller);
    if (this.#controller !== undefined) this.#follow(caller, this.#controller);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      for (const caller of this.#callers) this.#follow(caller, this.#controller);
    }
    return this.#controller.signal;
  }

  #follow({ signal }: { readonly signal: AbortSignal }, controller: AbortController): void {
    const leave = () => {
      this.#gone += 1;
      if (this.#gone === this.#callers.size) controller.abort(signal.reason);
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  }
}
