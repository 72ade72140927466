/** The time and the timers of the gateway, so that tests can let hours pass in a second. */
export interface Clock {
  /** The current moment. The clock of the machine may be set back or forward at any time: never compute durations from it. */
  readonly now: () => Date;
  /** Milliseconds that only go forward, for durations; they begin anywhere. */
  readonly elapsedMs: () => number;
  /** Runs something once, later. @returns cancels it */
  readonly after: (ms: number, run: () => void) => () => void;
}

export const systemClock: Clock = {
  now: () => new Date(),
  elapsedMs: () => performance.now(),
  after: (ms, run) => {
    // Timers of the cache must not keep the process alive.
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};

/** Timers for work that the process must not end before. */
export const waitingTimers: Pick<Clock, 'after'> = {
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
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

/** `elapsedMs` of a clock that gives moments only: steps back do not count. */
export function elapsedBy(now: Clock['now']): Clock['elapsedMs'] {
  let last = now().getTime();
  let elapsed = 0;
  return () => {
    const moment = now().getTime();
    elapsed += Math.max(0, moment - last);
    last = moment;
    return elapsed;
  };
}

/** Converts between moments, which gateways exchange, and the `elapsedMs` of this one. */
export interface Timeline {
  /** Equal for equal moments, unless the clock of the machine has been set meanwhile. */
  elapsedAt(moment: number): number;
  /** @returns milliseconds since the epoch */
  momentAt(elapsedMs: number): number;
}

/** A smaller difference is rounding, and the rate of the clocks. */
const setByMs = 100;

export function buildTimeline({ now, elapsedMs }: Pick<Clock, 'now' | 'elapsedMs'>): Timeline {
  const measure = () => now().getTime() - Math.round(elapsedMs());
  let offset = measure();
  const currentOffset = () => {
    const measured = measure();
    if (Math.abs(measured - offset) > setByMs) offset = measured;
    return offset;
  };
  return {
    elapsedAt: (moment) => moment - currentOffset(),
    momentAt: (elapsed) => Math.round(elapsed + currentOffset()),
  };
}

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
