/** The time and the timers of the cache, so that tests can let hours pass in a second. */
export interface Clock {
  readonly now: () => Date;
  /** Runs something once, later. @returns cancels it */
  readonly after: (ms: number, run: () => void) => () => void;
}

export const systemClock: Clock = {
  now: () => new Date(),
  after: (ms, run) => {
    // Timers of the cache must not keep the process alive.
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** The result of a promise that may never settle. @throws what `late` gives if it has not after this time */
export function within<T>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  promise: Promise<T>,
  late: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(late()));
    promise.then(resolve, reject).finally(cancel);
  });
}

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
