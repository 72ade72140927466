import { FairQueue } from './fair-queue.ts';
import type { Owner } from './fair-share.ts';

interface SemaphoreOptions {
  /** How many tasks may run at the same moment. */
  readonly permits: number;
  /** How many more may wait for a permit. */
  readonly queueLength: number;
  /** The error for a task that comes when the queue, or its owner's share of it, is full. */
  readonly overflow: () => Error;
}

/** A counting semaphore with a bounded queue, in which owners are served in turn. */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #queue = new FairQueue<true>();
  #free: number;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
    this.#free = options.permits;
  }

  /**
   * Runs a task as soon as it has a permit.
   *
   * @throws `overflow()` when the queue is full; the signal's reason when it is aborted before the task has a permit
   */
  async run<T>(signal: AbortSignal, task: () => Promise<T>, owner?: Owner): Promise<T> {
    await this.#acquire(signal, owner);
    try {
      return await task();
    } finally {
      if (!this.#queue.serveNext(() => true)) this.#free += 1;
    }
  }

  async #acquire(signal: AbortSignal, owner: Owner): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    if (!this.#queue.hasRoom(owner, this.#options.queueLength)) throw this.#options.overflow();
    await this.#queue.wait(signal, undefined, owner);
  }
}
