/**
 * Who uses what several share: a caller that shares with no other, by the id of its key; one of the callers that are bound to
 * the same tenants; or a part of this process, by its name. undefined is the process itself, whose work is done last.
 *
 * @see ownerOf
 */
export type Owner = string | BoundOwner | undefined;

/** A caller among those that are bound to the same tenants: they have one share, and one turn, in which they take turns. */
export interface BoundOwner {
  readonly group: string;
  readonly key: string;
}

/** Among whom something is shared first. */
export const groupOf = (owner: Owner): string | undefined =>
  typeof owner === 'object' ? owner.group : owner;

/** Among whom the share of a group is divided: for logs, too. */
export const keyOf = (owner: Owner): string | undefined => (typeof owner === 'object' ? owner.key : owner);

/** Who holds the share of an owner, for messages. */
export const sharersOf = (owner: Owner): string =>
  typeof owner === 'object' ? 'keys with the same tenants' : 'this key';

/** How many times as much as is still free one owner may hold. */
const holdsTimesFree = 7;

/**
 * True if an owner may take some more of a resource that several share: before its last unit it must hold less than
 * seven times what is free. Alone it gets seven eighths; the more the others hold, the smaller is the share that one
 * can reach, and an eighth or less stays free for those that hold little.
 *
 * @param held what the owner holds already
 * @param free what no owner holds
 * @see Choudhury and Hahne, "Dynamic Queue Length Thresholds in a Shared-Memory Packet Switch", 1998
 */
function isWithinShare(held: number, free: number, amount: number): boolean {
  return amount <= free && held + amount - 1 < holdsTimesFree * (free - amount + 1);
}

/** The amounts that an owner holds: those of its group together, and those of its key in the group. */
interface Held {
  readonly ofGroup: number;
  readonly ofKey: number;
}

/**
 * The same for an owner of a group: what the group may take in all is divided among its keys as the resource is among
 * groups.
 */
export function isWithinShares(
  owner: Owner,
  { ofGroup, ofKey }: Held,
  free: number,
  amount: number,
): boolean {
  if (!isWithinShare(ofGroup, free, amount)) return false;
  return typeof owner !== 'object' || isWithinShare(ofKey, roomOf(ofGroup, free), amount);
}

/** How much more one may take, in units, that holds something already. */
const roomOf = (held: number, free: number): number =>
  Math.min(free, Math.ceil((holdsTimesFree * (free + 1) - held + 1) / (holdsTimesFree + 1)) - 1);

/** Beyond this number, groups that hold nothing are forgotten. */
const maxIdleGroups = 10_000;

interface Holdings {
  amount: number;
  /** Of keys that hold something. */
  readonly byKey: Map<string, number>;
}

/** How much of a bounded resource each owner holds. */
export class FairShare {
  readonly capacity: number;
  /**
   * Some groups that hold nothing any more stay in it: each of their requests would add them again. Tokens have more
   * subjects than a key file has keys, so not all of them stay.
   */
  readonly #holdings = new Map<string | undefined, Holdings>();
  #used = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get used(): number {
    return this.#used;
  }

  /** The amount that an owner holds together with the others of its group. */
  heldBy(owner: Owner): number {
    return this.#holdings.get(groupOf(owner))?.amount ?? 0;
  }

  mayTake(owner: Owner, amount = 1): boolean {
    const { amount: ofGroup = 0, byKey } = this.#holdings.get(groupOf(owner)) ?? {};
    const ofKey = typeof owner === 'object' ? (byKey?.get(owner.key) ?? 0) : ofGroup;
    return isWithinShares(owner, { ofGroup, ofKey }, this.capacity - this.#used, amount);
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
    const group = groupOf(owner);
    const known = this.#holdings.get(group);
    const holdings = known ?? { amount: 0, byKey: new Map<string, number>() };
    holdings.amount += amount;
    if (typeof owner === 'object') {
      const ofKey = (holdings.byKey.get(owner.key) ?? 0) + amount;
      if (ofKey === 0) holdings.byKey.delete(owner.key);
      else holdings.byKey.set(owner.key, ofKey);
    }
    if (known === undefined) this.#holdings.set(group, holdings);
    else if (holdings.amount === 0 && this.#holdings.size > maxIdleGroups) this.#holdings.delete(group);
  }

  giveBack(owner: Owner, amount = 1): void {
    this.take(owner, -amount);
  }
}

/** The amount that one thing of an owner takes, beyond its share too, while it grows and shrinks. */
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
