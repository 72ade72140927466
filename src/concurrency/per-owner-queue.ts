import type { Owner } from './fair-share.ts';

/**
 * Runs the tasks of each owner one after another, those of different owners side by side. Many large tasks that take turns
 * in pieces would all be half done, and all in memory, at the same time.
 */
export class PerOwnerQueue {
  readonly #last = new Map<Owner, Promise<unknown>>();

  async run<T>(owner: Owner, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(owner);
    const running = before === undefined ? task() : before.then(task);
    // The next one follows a failure too.
    const ended = running.catch(() => {});
    this.#last.set(owner, ended);
    try {
      return await running;
    } finally {
      if (this.#last.get(owner) === ended) this.#last.delete(owner);
    }
  }
}
