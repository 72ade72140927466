import { groupOf, type Owner } from '../../../concurrency/fair-share.ts';

/** A run that needs a slot. */
export interface Claim {
  readonly owner: Owner;
  /** True if it runs SQL of a caller, whom nothing but limits keeps from taking every slot for as long as it can. */
  readonly isCallerSql: boolean;
  /** True if it is expected to be slow, or has turned out to be. */
  isSlow: boolean;
}

/** Counts who holds slots, of which one is kept for saved queries that are quick. */
export class RunSlots {
  readonly #maxSlow: number;
  readonly #maxLong: number;
  readonly #held = new Set<Claim>();

  constructor(size: number, maxSlow: number) {
    // With one slot, everything takes turns in it.
    this.#maxLong = Math.max(1, size - 1);
    this.#maxSlow = Math.max(1, Math.min(maxSlow, this.#maxLong));
  }

  take(claim: Claim): void {
    this.#held.add(claim);
  }

  giveBack(claim: Claim): void {
    this.#held.delete(claim);
  }

  /** True if a run may take a slot, or, if it has one already, keep it. */
  mayHold(claim: Claim): boolean {
    const others = [...this.#held].filter((held) => held !== claim);
    const slow = others.filter(({ isSlow }) => isSlow).length;
    if (claim.isSlow && slow >= this.#maxSlow) return false;
    if (isLong(claim) && others.filter(isLong).length >= this.#maxLong) return false;
    const ofOwner = others.filter(
      ({ isCallerSql, owner }) => isCallerSql && groupOf(owner) === groupOf(claim.owner),
    ).length;
    return !claim.isCallerSql || ofOwner < Math.ceil(this.#maxLong / 2);
  }
}

const isLong = ({ isCallerSql, isSlow }: Claim): boolean => isCallerSql || isSlow;
