import { GatewayError } from '../errors.ts';

/** How soon a place in a full queue may be free. */
const retryAfterSeconds = 1;

export const queueFull = (): GatewayError =>
  new GatewayError('ENGINE_BUSY', 'Too many queries are waiting; try again in a moment', {
    retryAfterSeconds,
  });

export interface SemaphoreOptions {
  /** How many pieces of work may run at the same moment. */
  readonly width: number;
  /** How many more may wait for their turn. */
  readonly length: number;
}

/** A bounded queue: so much runs, so much waits, first come first served, and whatever comes then is refused at once. */
export class Semaphore {
  readonly #length: number;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor({ width, length }: SemaphoreOptions) {
    this.#free = width;
    this.#length = length;
  }

  /**
   * Does a piece of work when its turn comes.
   *
   * @throws GatewayError ENGINE_BUSY where the queue is full; the signal's reason where it is aborted before the turn
   */
  async use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#turn(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    if (this.#waiting.length >= this.#length) {
      return Promise.reject(queueFull());
    }
    return new Promise((resolve, reject) => {
      const take = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(take);
    });
  }
}
