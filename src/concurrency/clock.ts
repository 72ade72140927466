/** Where the cache gets its time from, so that hours of it can be tested in a second. */
export interface Clock {
  readonly now: () => Date;
  /** Runs something once, later. @returns takes it back */
  readonly after: (ms: number, run: () => void) => () => void;
}

export const systemClock: Clock = {
  now: () => new Date(),
  after: (ms, run) => {
    // A timer of the cache never keeps the process alive.
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
