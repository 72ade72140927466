import { FairQueue } from './fair-queue.ts';
import type { Owner } from './fair-share.ts';

interface QueueBound {
  /** How many more may wait for a slot. */
  readonly queueLength: number;
  /** The error for a task that comes when the queue, or its owner's share of it, is full. */
  readonly overflow: () => Error;
}

/** A bounded number of slots, in each of which a task runs. Owners are served in turn. */
export class Slots {
  readonly #bound: QueueBound | undefined;
  readonly #queue = new FairQueue<true>();
  #free: number;

  /** @param bound of the queue; without it, any number of tasks may wait */
  constructor(count: number, bound?: QueueBound) {
    this.#free = count;
    this.#bound = bound;
  }

  /**
   * Runs a task as soon as it has a slot.
   *
   * @throws `overflow()` when the queue is full; the signal's reason when it is aborted before the task has a slot
   */
  async run<T>(signal: AbortSignal, task: () => Promise<T>, owner?: Owner): Promise<T> {
    await this.#take(signal, owner);
    try {
      return await task();
    } finally {
      this.#giveBack();
    }
  }

  /** A slot that is not taken yet: who knows when it is needed is not always who knows when it is not needed any more. */
  slotFor(owner: Owner): Slot {
    return new Slot(
      (signal) => this.#take(signal, owner),
      () => this.#giveBack(),
    );
  }

  async #take(signal: AbortSignal, owner: Owner): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const bound = this.#bound;
    if (bound !== undefined && !this.#queue.hasRoom(owner, bound.queueLength)) throw bound.overflow();
    await this.#queue.wait(signal, undefined, owner);
  }

  #giveBack(): void {
    if (!this.#queue.serveNext(() => true)) this.#free += 1;
  }
}

class Slot {
  readonly #take: (signal: AbortSignal) => Promise<void>;
  readonly #giveBack: () => void;
  #taking: Promise<void> | undefined;

  constructor(take: (signal: AbortSignal) => Promise<void>, giveBack: () => void) {
    this.#take = take;
    this.#giveBack = giveBack;
  }

  /** Waits for the slot, unless it is taken already. @throws the signal's reason when it is aborted first */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#taking ??= this.#take(signal);
    await this.#taking;
  }

  /** To be called once, when nothing takes it any more but one that waits for it: it is given back as soon as it has it. */
  giveBack(): void {
    this.#taking?.then(this.#giveBack, () => {});
  }
}
