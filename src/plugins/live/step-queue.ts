import type { Owner } from '../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';

/** How long steps are done in one turn of the event loop, in milliseconds: requests wait meanwhile. */
const sliceMs = 3;

/** How long items are worked on in one step: a large event takes as long as thousands of signs of life. */
const stepMs = 0.5;

/**
 * Work for many clients in turns of the event loop: each piece is steps of a fraction of a millisecond, and pieces are done
 * in their order.
 */
export class StepQueue {
  readonly #turns: LoopTurns;
  /** Takes turns with the requests of keys. */
  readonly #owner: Owner;
  readonly #onBug: (error: unknown) => void;
  readonly #pieces: Iterator<void, unknown>[] = [];
  #isRunning = false;

  constructor(turns: LoopTurns, owner: Owner, onBug: (error: unknown) => void) {
    this.#turns = turns;
    this.#owner = owner;
    this.#onBug = onBug;
  }

  /** @param isUrgent true to do its first steps at once, if no other work is before it */
  add(piece: Iterator<void, unknown>, isUrgent = false): void {
    this.#pieces.push(piece);
    if (this.#isRunning) return;
    this.#isRunning = true;
    const turn = isUrgent ? this.#turns.next(this.#owner) : this.#turns.wait(this.#owner);
    if (turn === undefined) this.#runSlice();
    void this.#run(turn);
  }

  /** Does something with each of many. */
  each<T>(items: Iterable<T>, work: (item: T) => void, isUrgent = false): void {
    this.add(stepsOf(items, work), isUrgent);
  }

  async #run(first: Promise<true> | undefined): Promise<void> {
    for (let turn = first; turn !== undefined || this.#pieces.length > 0; turn = undefined) {
      await (turn ?? this.#turns.wait(this.#owner));
      this.#runSlice();
    }
    this.#isRunning = false;
  }

  #runSlice(): void {
    const until = performance.now() + sliceMs;
    do this.#step();
    while (this.#pieces.length > 0 && performance.now() < until);
  }

  #step(): void {
    try {
      if (this.#pieces[0]?.next().done === false) return;
    } catch (error) {
      this.#onBug(error);
    }
    this.#pieces.shift();
  }
}

/** Does something with each of many, in steps. */
export function* stepsOf<T>(items: Iterable<T>, work: (item: T) => void): Generator<void> {
  let until = performance.now() + stepMs;
  for (const item of items) {
    work(item);
    if (performance.now() < until) continue;
    yield;
    until = performance.now() + stepMs;
  }
}
