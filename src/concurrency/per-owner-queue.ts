import { FairQueue } from './fair-queue.ts';
import { groupOf, type Owner } from './fair-share.ts';

/**
 * Runs the tasks of each group of owners one after another, those of different groups side by side. Many large tasks that
 * take turns in pieces would all be half done, and all in memory, at the same time.
 */
export class PerOwnerQueue {
  /** Of groups of which a task runs. */
  readonly #waiting = new Map<string | undefined, FairQueue<true>>();

  async run<T>(owner: Owner, task: () => Promise<T>): Promise<T> {
    const group = groupOf(owner);
    const waiting = this.#waiting.get(group);
    if (waiting === undefined) this.#waiting.set(group, new FairQueue());
    else await waiting.wait(undefined, undefined, owner);
    try {
      return await task();
    } finally {
      if (this.#waiting.get(group)?.serveNext(() => true) !== true) this.#waiting.delete(group);
    }
  }
}
