/** Work of one turn of the event loop after which the next piece waits for another turn. */
const budgetMs = 10;

/**
 * Splits the work that one event starts for many requests over turns of the event loop: when a query run ends, all of its
 * waiters continue in one turn, and 200 answers of 3 MB took 20 s in which nothing else was answered.
 */
class Turns {
  /** When the first piece of this turn began; undefined if there was none. */
  #startedAt: number | undefined;
  readonly #waiting = new Set<() => void>();

  /**
   * To be called before a piece of work that may take a millisecond or more. Each turn resumes one that waits, besides
   * pieces that have not waited: a small answer is not behind 200 large ones.
   *
   * @returns undefined if the work may begin now, and it must without an `await`: others see by the clock what it took
   */
  claim(): Promise<void> | undefined {
    if (this.#startedAt === undefined) {
      this.#begin();
      return undefined;
    }
    if (performance.now() - this.#startedAt < budgetMs) return undefined;
    return this.next();
  }

  /** Resolves in a turn of its own, for work that does not begin at once. */
  next(): Promise<void> {
    if (this.#startedAt === undefined) this.#begin();
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #begin(): void {
    this.#startedAt = performance.now();
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    this.#startedAt = undefined;
    for (const resume of this.#waiting) {
      this.#waiting.delete(resume);
      this.#begin();
      resume();
      return;
    }
  };
}

/** Of this process: it has one event loop. */
export const turns = new Turns();
