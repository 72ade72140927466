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

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
