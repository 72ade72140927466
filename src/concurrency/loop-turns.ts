import { FairQueue } from './fair-queue.ts';
import type { Owner } from './fair-share.ts';

/** How long the work of one turn of the event loop may take before more work waits for a later turn. */
const busyMs = 10;

/**
 * The owner of work on results: it takes turns with the requests of the same key. Behind all of them, it would occupy the
 * engine for as long as they last.
 */
export const computingOwner = (owner: Owner): Owner =>
  typeof owner === 'object' ? { ...owner, group: `computing ${owner.group}` } : `computing ${owner}`;

/**
 * Divides long work over turns of the event loop, so that sockets are read and timers run in between: many requests that
 * resume from one promise would otherwise all be answered before anything else happens. Owners take turns.
 */
export class LoopTurns {
  readonly #queue = new FairQueue<true>();
  /** When the first work of the current turn began; undefined until some begins. */
  #startedAt: number | undefined;
  #hasArrivals = false;
  /** Until when the next work lets arrivals pass; undefined unless it does. */
  #yieldsUntil: number | undefined;

  /**
   * Call it when something arrives from outside. Waiting work lets arrivals pass for as long as the work before it took:
   * libuv accepts one connection in a turn of the event loop, so that the last one of many would have to wait for as many
   * pieces of work.
   */
  noteArrival(): void {
    this.#hasArrivals = true;
  }

  /**
   * Call it before each piece of work that takes about a millisecond or longer.
   *
   * @returns undefined if the work may begin at once, and then it must, without an `await`: others see by the clock what it
   * took; otherwise a promise to await first
   */
  next(owner: Owner): Promise<true> | undefined {
    if (this.#startedAt === undefined) {
      this.#begin();
      return undefined;
    }
    const isFree = this.#queue.size === 0 && performance.now() - this.#startedAt < busyMs;
    return isFree ? undefined : this.#queue.wait(undefined, undefined, owner);
  }

  /** Resolves in a turn of its own: for work that cannot begin at once. */
  wait(owner: Owner): Promise<true> {
    if (this.#startedAt === undefined) this.#begin();
    return this.#queue.wait(undefined, undefined, owner);
  }

  /** Does work in steps of about a millisecond, each within the time of a turn. */
  async run<T>(owner: Owner, steps: Iterator<void, T>): Promise<T> {
    for (;;) {
      const turn = this.next(owner);
      if (turn !== undefined) await turn;
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  /**
   * The same for work on a result, as `computingOwner` says; but the first step is done at once: most work is only one, and
   * waiting would take longer.
   */
  async compute<T>(owner: Owner, steps: Iterator<void, T>): Promise<T> {
    const first = steps.next();
    return first.done ? first.value : this.run(computingOwner(owner), steps);
  }

  #begin(): void {
    this.#startedAt = performance.now();
    setImmediate(this.#onTurn);
  }

  /** One waiter in each turn: how long it will take is not known. */
  readonly #onTurn = () => {
    const isAwaited = this.#queue.size > 0;
    if (isAwaited && this.#hasArrivals && this.#mayYield()) {
      this.#hasArrivals = false;
      setImmediate(this.#onTurn);
      return;
    }
    this.#yieldsUntil = undefined;
    this.#startedAt = undefined;
    if (!isAwaited) return;
    this.#begin();
    this.#queue.serveNext(() => true);
  };

  #mayYield(): boolean {
    const now = performance.now();
    this.#yieldsUntil ??= now + Math.min(busyMs, now - (this.#startedAt ?? now));
    return now < this.#yieldsUntil;
  }
}

/** Does all steps of some work at once, and gives its result. `LoopTurns` does them in turns of the event loop. */
export function runSteps<T>(steps: Iterator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
