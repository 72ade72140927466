import { type RateLimit, RateLimiter, type RateLimitStatus } from './rate-limiter.ts';

/** The request of a gateway about a key's limit; Redis answers it in one step. */
export interface RateDemand {
  /** How much of the window one request takes. */
  readonly intervalMs: number;
  /** Requests that wait to be counted. */
  readonly needed: number;
  /** Requests that are expected soon: some of them are counted beforehand, if the limit allows. */
  readonly expected: number;
  /** The time that was counted beforehand and is given back. */
  readonly unusedMs: number;
  /** The time that this gateway counted by itself while Redis did not respond. */
  readonly owedMs: number;
  /** The time that this gateway knows to be used; it counts if Redis has lost the state. */
  readonly knownMs: number;
}

export interface RateGrant {
  /** How many requests have been counted for this gateway. */
  readonly granted: number;
  /** How long it takes until the whole limit is available again. */
  readonly usedMs: number;
}

/** Where gateways count together. */
export interface RateExchange {
  isUp(): boolean;
  /** Sends the limiter's demand soon, together with those of others, and settles it. */
  request(limiter: SharedRateLimiter): void;
}

/** For how long requests are counted beforehand; when none has come for as long, the rest is given back. */
export const reserveMs = 500;

/**
 * A rate limit that gateways count together. Redis decides. To keep it out of the way of most requests, a gateway has
 * some requests counted beforehand while a key is in use: its reserve. The known state of the limit is counted here
 * too: it decides while Redis does not respond, and refuses at once any request that is beyond the limit in any case.
 */
export class SharedRateLimiter implements RateLimit {
  /** The name of the limit in Redis. */
  readonly name: string;
  readonly #exchange: RateExchange;
  /** As Redis said last, and what was counted here since. */
  readonly #known: RateLimiter;
  /** The time that was counted only here. */
  readonly #owed: RateLimiter;
  /** Requests that are counted in Redis and have not been made yet. */
  #reserved = 0;
  /** A reserve that is this small is filled up. */
  #refillAt = 0;
  /** The number of requests that are being given back. */
  #returned = 0;
  #isRequested = false;
  readonly #waiting: ((status: RateLimitStatus) => void)[] = [];
  /** Requests since the last demand. */
  #taken = 0;
  #takenAt = 0;
  /** When the last demand was sent, and the one before. */
  #demandedAt = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY] as readonly [
    last: number,
    before: number,
  ];

  constructor(perMinute: number, name: string, exchange: RateExchange) {
    this.name = name;
    this.#exchange = exchange;
    this.#known = new RateLimiter(perMinute);
    this.#owed = new RateLimiter(perMinute);
  }

  get perMinute(): number {
    return this.#known.perMinute;
  }

  set perMinute(perMinute: number) {
    this.#known.perMinute = perMinute;
    this.#owed.perMinute = perMinute;
  }

  get hasReserve(): boolean {
    return this.#reserved > 0;
  }

  /** True if the reserve should be given back. */
  isIdle(now: number): boolean {
    return now - this.#takenAt >= reserveMs && this.#waiting.length === 0;
  }

  take(now: number): RateLimitStatus | Promise<RateLimitStatus> {
    this.#taken += 1;
    this.#takenAt = now;
    if (this.#reserved > 0) return this.#takeReserved(now);
    if (!this.#exchange.isUp()) return this.#takeHere(now);
    // Other gateways can only have used more of it.
    const status = this.#known.status(now, false, 0);
    if (status.nextInSeconds > 0) return status;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#request();
    });
  }

  /** Requests that the reserve is given back, unless it is in use again by then. */
  giveBack(): void {
    this.#request();
  }

  /** The demand to send to Redis now. `settle` must follow. @param isClosing the reserve is given back in any case */
  demand(now: number, isClosing: boolean): RateDemand {
    const { intervalMs } = this.#known;
    const gaveBack = isClosing || this.isIdle(now);
    if (gaveBack) {
      this.#returned += this.#reserved;
      this.#reserved = 0;
    }
    const [last, before] = this.#demandedAt;
    this.#demandedAt = [now, last];
    const expected = Math.min((this.#taken * reserveMs) / Math.max(now - last, 1), 4 * this.#taken);
    this.#taken = 0;
    return {
      intervalMs,
      needed: this.#waiting.length,
      expected: gaveBack ? 0 : Math.floor(Math.max(expected, 0)),
      // As much of the limit may have become available again since the oldest part of the reserve was counted.
      unusedMs: Math.max(this.#returned * intervalMs - (now - before), 0),
      owedMs: this.#owed.usedMs(now),
      knownMs: this.#known.usedMs(now),
    };
  }

  /** @param grant undefined: Redis has not responded, and requests that wait are counted here */
  settle({ needed, owedMs }: RateDemand, grant: RateGrant | undefined, now: number): void {
    this.#isRequested = false;
    if (grant === undefined) {
      this.#reserved += this.#returned;
    } else {
      this.#reserved += grant.granted;
      this.#refillAt = Math.floor(Math.max(grant.granted - needed, 0) / 4);
      this.#known.setUsed(grant.usedMs, now);
      this.#owed.setUsed(Math.max(this.#owed.usedMs(now) - owedMs, 0), now);
    }
    this.#returned = 0;
    this.#serveWaiting(now, grant !== undefined);
  }

  #serveWaiting(now: number, isShared: boolean): void {
    while (this.#waiting.length > 0) {
      if (this.#reserved > 0) {
        this.#waiting.shift()?.(this.#takeReserved(now));
        continue;
      }
      const refusal = this.#known.status(now, false, 0);
      // Requests that came after the demand was sent may still be within the limit.
      if (isShared && refusal.nextInSeconds === 0) {
        this.#request();
        return;
      }
      this.#waiting.shift()?.(isShared ? refusal : this.#takeHere(now));
    }
  }

  #takeReserved(now: number): RateLimitStatus {
    this.#reserved -= 1;
    if (this.#reserved <= this.#refillAt) this.#request();
    return this.#known.status(now, true, this.#reserved);
  }

  #takeHere(now: number): RateLimitStatus {
    const status = this.#known.take(now);
    if (status.isWithin) this.#owed.setUsed(this.#owed.usedMs(now) + this.#owed.intervalMs, now);
    return status;
  }

  #request(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    this.#exchange.request(this);
  }
}
