/** The state of a key's rate limit after one request. */
interface RateLimitStatus {
  /** False for a request over the limit, which is not counted. */
  readonly isWithin: boolean;
  /** How many more requests are within the limit now. */
  readonly remaining: number;
  /** When the whole limit will be available again. */
  readonly fullInSeconds: number;
  /** When the next request will be within the limit; 0 if it is now. */
  readonly nextInSeconds: number;
}

const windowMs = 60_000;

/**
 * Limits the requests of a key per minute: they may come all at once, and become available again evenly. The state is one
 * timestamp.
 *
 * @see GCRA, the generic cell rate algorithm: https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
 */
export class RateLimiter {
  perMinute: number;
  /** When all requests counted so far will be available again; milliseconds since the epoch. */
  #fullAt = Number.NEGATIVE_INFINITY;

  constructor(perMinute: number) {
    this.perMinute = perMinute;
  }

  /** Counts one request, if it is within the limit. @param now milliseconds since the epoch */
  take(now: number): RateLimitStatus {
    const intervalMs = windowMs / this.perMinute;
    // Bounded by the window: a clock that is set back must not lock anybody out.
    const fullAt = Math.min(Math.max(this.#fullAt, now), now + windowMs);
    const isWithin = fitsWindow(fullAt + intervalMs - now);
    this.#fullAt = isWithin ? fullAt + intervalMs : fullAt;
    const usedMs = this.#fullAt - now;
    return {
      isWithin,
      remaining: Math.floor((windowMs - usedMs) / intervalMs + rounding),
      fullInSeconds: Math.ceil(usedMs / 1000),
      nextInSeconds: fitsWindow(usedMs + intervalMs) ? 0 : (usedMs + intervalMs - windowMs) / 1000,
    };
  }
}

/** For the rounding errors in sums of fractions of a millisecond. */
const rounding = 1e-6;

function fitsWindow(ms: number): boolean {
  return ms <= windowMs + rounding;
}
