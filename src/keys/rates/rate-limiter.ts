/** The state of a key's rate limit after one request. */
export interface RateLimitStatus {
  /** False for a request over the limit, which is not counted. */
  readonly isWithin: boolean;
  /** How many more requests are within the limit now. */
  readonly remaining: number;
  /** When the whole limit will be available again. */
  readonly fullInSeconds: number;
  /** When the next request will be within the limit; 0 if it is now. */
  readonly nextInSeconds: number;
}

/** The rate limit of one key, counted by this gateway alone or together with others. */
export interface RateLimit {
  perMinute: number;
  /**
   * Counts one request, if it is within the limit.
   *
   * @param now by `elapsedMs`
   * @returns a promise, which never rejects, only if other gateways count too and their count is needed
   */
  take(now: number): RateLimitStatus | Promise<RateLimitStatus>;
}

/** @param id of the principal, by which other gateways recognize the same limit */
export type NewRateLimit = (id: string, perMinute: number) => RateLimit;

export const windowMs = 60_000;

/**
 * Limits the requests of a key per minute: they may come all at once, and become available again evenly.
 *
 * @see GCRA, the generic cell rate algorithm: https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
 */
export class RateLimiter implements RateLimit {
  perMinute: number;
  /** How long it took at `#at` until the whole limit was available again. Timestamps would be too coarse to be added up. */
  #usedMs = 0;
  #at = 0;

  constructor(perMinute: number) {
    this.perMinute = perMinute;
  }

  /** How much of the window one request takes. */
  get intervalMs(): number {
    return windowMs / this.perMinute;
  }

  take(now: number): RateLimitStatus {
    const usedMs = this.usedMs(now) + this.intervalMs;
    const isWithin = fitsWindow(usedMs);
    if (isWithin) this.setUsed(usedMs, now);
    return this.status(now, isWithin, 0);
  }

  /** How long it takes until the whole limit is available again. */
  usedMs(now: number): number {
    // A clock that is set back must not lock anybody out.
    if (now < this.#at) this.#at = now;
    return Math.min(Math.max(this.#usedMs - (now - this.#at), 0), windowMs);
  }

  setUsed(usedMs: number, now: number): void {
    this.#usedMs = usedMs;
    this.#at = now;
  }

  /** @param reserved requests that are counted already, and may still be made */
  status(now: number, isWithin: boolean, reserved: number): RateLimitStatus {
    const { intervalMs } = this;
    const usedMs = this.usedMs(now);
    const nextMs = usedMs + intervalMs;
    return {
      isWithin,
      remaining: Math.floor((windowMs - usedMs) / intervalMs + rounding) + reserved,
      fullInSeconds: Math.ceil(Math.max(usedMs - reserved * intervalMs, 0) / 1000),
      nextInSeconds: reserved > 0 || fitsWindow(nextMs) ? 0 : (nextMs - windowMs) / 1000,
    };
  }
}

export const newLocalRateLimit: NewRateLimit = (_, perMinute) => new RateLimiter(perMinute);

/** For the rounding errors in sums of fractions of a millisecond. */
const rounding = 1e-6;

function fitsWindow(ms: number): boolean {
  return ms <= windowMs + rounding;
}
