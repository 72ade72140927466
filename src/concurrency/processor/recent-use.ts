import { LRUCache } from 'lru-cache';
import { groupOf, keyOf, type Owner } from '../fair-share.ts';

/** After this time, what was used counts half. */
const halfLifeMs = 60_000;

/** Owners that used something lately; others are forgotten. */
const maxOwners = 10_000;

interface Use {
  readonly ms: number;
  readonly at: number;
}

/** How much processor time owners have used in the last minutes. */
export class RecentUse {
  readonly #byGroup = new LRUCache<string, Use>({ max: maxOwners });
  readonly #byKey = new LRUCache<string, Use>({ max: maxOwners });
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(owner: Owner, ms: number): void {
    const at = this.#now();
    const group = groupOf(owner) ?? '';
    this.#byGroup.set(group, { ms: this.ofGroup(group) + ms, at });
    const key = keyOf(owner) ?? '';
    if (key !== group) this.#byKey.set(key, { ms: this.ofKey(key) + ms, at });
  }

  ofGroup(group: string | undefined): number {
    return this.#left(this.#byGroup.get(group ?? ''));
  }

  ofKey(key: string | undefined): number {
    return this.#left(this.#byKey.get(key ?? ''));
  }

  /** Who has used more comes later: by groups, and within one by keys. */
  readonly compare = (a: Owner, b: Owner): number =>
    this.ofGroup(groupOf(a)) - this.ofGroup(groupOf(b)) || this.ofKey(keyOf(a)) - this.ofKey(keyOf(b));

  #left(use: Use | undefined): number {
    return use === undefined ? 0 : use.ms * 0.5 ** ((this.#now() - use.at) / halfLifeMs);
  }
}
