import { callerGone, GatewayError } from '../errors.ts';

/** Runs one piece of a request's work when it may. */
export type Schedule = <T>(
  work: () => Promise<T>,
  /** Its signal is aborted when the caller has gone; it is looked at only where there is something to wait for. */
  incoming: { readonly signal: AbortSignal },
) => Promise<T>;

/** How many questions of one caller may be in flight at the same moment, over all requests. */
export class ConcurrencyLimiter {
  limit: number;
  #taken = 0;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.limit = limit;
  }

  /**
   * For one request. Its first question is refused where none is free; the others wait for their turn, so that a request
   * may ask for more than run at once.
   */
  forRequest(): Schedule {
    let isIn = false;
    return async (work, incoming) => {
      if (!isIn && this.#isFull()) {
        throw new GatewayError(
          'RATE_LIMITED',
          `This key's ${this.limit} concurrent queries are under way; wait for one of them`,
          { retryAfterSeconds: 1 },
        );
      }
      isIn = true;
      if (this.#isFull()) await this.#turn(incoming.signal);
      else this.#taken += 1;
      try {
        return await work();
      } finally {
        this.#taken -= 1;
        this.#callNext();
      }
    };
  }

  #isFull(): boolean {
    return this.#taken >= this.limit || this.#waiting.size > 0;
  }

  /** Fulfilled when a slot has been taken for whoever waits here. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const called = () => {
        signal.removeEventListener('abort', gone);
        this.#waiting.delete(called);
        this.#taken += 1;
        resolve();
      };
      const gone = () => {
        this.#waiting.delete(called);
        reject(callerGone());
        this.#callNext();
      };
      if (signal.aborted) return gone();
      this.#waiting.add(called);
      signal.addEventListener('abort', gone);
    });
  }

  #callNext(): void {
    for (const called of this.#waiting) {
      if (this.#taken >= this.limit) return;
      called();
    }
  }
}
