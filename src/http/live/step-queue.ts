import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { Owner } from '../../concurrency/fair-share.ts';

/** How long events are written in one turn of the event loop, in milliseconds: requests wait meanwhile. */
const sliceMs = 3;

/** Takes turns with the requests of keys. */
const writing: Owner = 'live streams';

/**
 * Writes to many clients in turns of the event loop: each piece of work is steps of a fraction of a millisecond, and pieces
 * are done in their order.
 */
export class StreamWriter {
  readonly #turns: LoopTurns;
  readonly #queue: Iterator<void, unknown>[] = [];
  readonly #onBug: (error: unknown) => void;
  #isRunning = false;

  constructor(turns: LoopTurns, onBug: (error: unknown) => void) {
    this.#turns = turns;
    this.#onBug = onBug;
  }

  add(steps: Iterator<void, unknown>): void {
    this.#queue.push(steps);
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      await this.#turns.wait(writing);
      const until = performance.now() + sliceMs;
      do this.#step();
      while (this.#queue.length > 0 && performance.now() < until);
    }
    this.#isRunning = false;
  }

  #step(): void {
    try {
      if (this.#queue[0]?.next().done) this.#queue.shift();
    } catch (error) {
      this.#queue.shift();
      this.#onBug(error);
    }
  }
}
