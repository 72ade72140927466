/** Where a caller stands after one request. */
export interface RateLimitStatus {
  /** False where the request is one too many; it is not counted then. */
  readonly isWithin: boolean;
  /** How many more requests would pass at this moment. */
  readonly remaining: number;
  /** When the whole budget is there again. */
  readonly fullInSeconds: number;
  /** When the next request passes; 0 where it does now. */
  readonly nextInSeconds: number;
}

const windowMs = 60_000;

/**
 * So many requests a minute: all at once, if a caller likes, and then as fast as they come back, evenly. It is one number,
 * whatever the traffic.
 *
 * @see GCRA, the generic cell rate algorithm: https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
 */
export class RateLimiter {
  perMinute: number;
  /** The moment at which everything that was taken has come back. */
  #fullAt = Number.NEGATIVE_INFINITY;

  constructor(perMinute: number) {
    this.perMinute = perMinute;
  }

  /** @param now in milliseconds since the epoch */
  take(now: number): RateLimitStatus {
    const step = windowMs / this.perMinute;
    // A clock that is set back must not lock anybody out.
    const fullAt = Math.min(Math.max(this.#fullAt, now), now + windowMs);
    const isWithin = fits(fullAt + step - now);
    this.#fullAt = isWithin ? fullAt + step : fullAt;
    const taken = this.#fullAt - now;
    return {
      isWithin,
      remaining: Math.floor((windowMs - taken) / step + rounding),
      fullInSeconds: Math.ceil(taken / 1000),
      nextInSeconds: fits(taken + step) ? 0 : (taken + step - windowMs) / 1000,
    };
  }
}

/** Sums of fractions of milliseconds are off by a little. */
const rounding = 1e-6;

function fits(ms: number): boolean {
  return ms <= windowMs + rounding;
}
