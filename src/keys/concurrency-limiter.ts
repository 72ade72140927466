import { FairQueue } from '../concurrency/fair-queue.ts';
import { callerDisconnected, GatewayError } from '../errors.ts';

/** Runs one query of a request as soon as its key's limit allows. Without a limit it returns what the work returns. */
export type Schedule = <T>(
  work: () => T | Promise<T>,
  /** Its signal is aborted when the caller disconnects. The getter is read only when there is something to wait for. */
  caller: { readonly signal: AbortSignal },
) => T | Promise<T>;

/** Limits how many queries of one key run at the same time, over all its requests. */
export class ConcurrencyLimiter {
  limit: number;
  #running = 0;
  readonly #queue = new FairQueue<true>();

  constructor(limit: number) {
    this.limit = limit;
  }

  /**
   * The schedule of one request. Its first query is rejected when the limit is reached; further ones wait in order of
   * arrival, so that a request may contain more queries than may run at the same time.
   */
  forRequest(): Schedule {
    let isAdmitted = false;
    return async (work, caller) => {
      if (!isAdmitted && this.isFull) {
        throw new GatewayError(
          'RATE_LIMITED',
          `This key is limited to ${this.limit} concurrent queries, which are all in use; wait for one to finish`,
          { retryAfterSeconds: 1, refusal: { reason: 'concurrency' } },
        );
      }
      isAdmitted = true;
      if (this.isFull) await this.#waitForPermit(caller.signal);
      else this.#running += 1;
      try {
        return await work();
      } finally {
        this.#running -= 1;
        this.#serveQueue();
      }
    };
  }

  /** Full while others wait: a new query must not overtake them. */
  get isFull(): boolean {
    return this.#running >= this.limit || this.#queue.size > 0;
  }

  async #waitForPermit(signal: AbortSignal): Promise<void> {
    try {
      await this.#queue.wait(signal, undefined);
    } catch {
      this.#serveQueue();
      throw callerDisconnected();
    }
  }

  /** More than one may be served: a new key file can raise the limit. */
  #serveQueue(): void {
    const grant = () => {
      this.#running += 1;
      return true as const;
    };
    while (this.#running < this.limit && this.#queue.serveNext(grant));
  }
}
