import { FairQueue } from './fair-queue.ts';
import type { Owner } from './fair-share.ts';

/** A bounded number of slots for work that takes much memory, for which owners are served in turn. */
export class Slots {
  readonly #queue = new FairQueue<true>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** A slot that is not taken yet: who knows when it is needed is not always who knows when it is not needed any more. */
  slotFor(owner: Owner): Slot {
    return new Slot(
      (signal) => this.#take(signal, owner),
      () => this.#giveBack(),
    );
  }

  async #take(signal: AbortSignal, owner: Owner): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#queue.wait(signal, undefined, owner);
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
