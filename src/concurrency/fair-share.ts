/**
 * Who uses a resource, for sharing it fairly: the id of a caller's key. undefined is the process itself, whose work is
 * done last.
 */
export type Owner = string | undefined;

/** How many times as much as is still free one owner may hold. */
const holdsTimesFree = 7;

/**
 * Whether an owner may take some more of a resource that several share: before its last unit it must hold less than seven
 * times what is free. Alone it gets seven eighths; the more the others hold, the smaller is the share that one can reach,
 * and an eighth or less stays free for those that hold little.
 *
 * @param held what the owner holds already
 * @param free what no owner holds
 * @see Choudhury and Hahne, "Dynamic Queue Length Thresholds in a Shared-Memory Packet Switch", 1998
 */
export function isWithinShare(held: number, free: number, amount: number): boolean {
  return amount <= free && held + amount - 1 < holdsTimesFree * (free - amount + 1);
}

/** Beyond this number, owners that hold nothing are forgotten. */
const maxIdleOwners = 10_000;

/** How much of a bounded resource each owner holds. */
export class FairShare {
  readonly capacity: number;
  /**
   * Some owners that hold nothing any more stay in it: each of their requests would add them again. Tokens have more
   * subjects than a key file has keys, so not all of them stay.
   */
  readonly #holdings = new Map<Owner, { amount: number }>();
  #used = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get used(): number {
    return this.#used;
  }

  heldBy(owner: Owner): number {
    return this.#holdings.get(owner)?.amount ?? 0;
  }

  mayTake(owner: Owner, amount = 1): boolean {
    return isWithinShare(this.heldBy(owner), this.capacity - this.#used, amount);
  }

  /** @returns false if the owner's share is used up: nothing was taken */
  tryTake(owner: Owner, amount = 1): boolean {
    if (!this.mayTake(owner, amount)) return false;
    this.take(owner, amount);
    return true;
  }

  /** Takes an amount that is in use in any case, beyond the owner's share or the capacity too. */
  take(owner: Owner, amount = 1): void {
    this.#used += amount;
    const holding = this.#holdings.get(owner);
    if (holding === undefined) this.#holdings.set(owner, { amount });
    else if (holding.amount + amount === 0 && this.#holdings.size > maxIdleOwners)
      this.#holdings.delete(owner);
    else holding.amount += amount;
  }

  giveBack(owner: Owner, amount = 1): void {
    this.take(owner, -amount);
  }
}

/** What one thing of an owner takes, beyond its share too, while it grows and shrinks. */
export class Holding {
  readonly #share: FairShare;
  readonly #owner: Owner;
  #amount = 0;
  #isClosed = false;

  constructor(share: FairShare, owner: Owner) {
    this.#share = share;
    this.#owner = owner;
  }

  set(amount: number): void {
    if (this.#isClosed || amount === this.#amount) return;
    this.#share.take(this.#owner, amount - this.#amount);
    this.#amount = amount;
  }

  /** Gives all back; what is set later, by work that ends then, does not count. */
  close(): void {
    this.set(0);
    this.#isClosed = true;
  }
}
