import type { HotKey } from './hot-keys.ts';
import { turnOf } from './recent-keys.ts';

/** How much the refreshes of keys weigh: each as one, and once more if it is billed as much as they are on average. */
function weigh(keys: readonly HotKey[]): (hotKey: HotKey) => number {
  const mean = keys.reduce((sum, { bytesBilled }) => sum + bytesBilled, 0) / keys.length;
  return ({ bytesBilled }) => 1 + (mean > 0 ? bytesBilled / mean : 0);
}

/**
 * The order of refreshes that are due. Tenants take turns, so that one with many keys does not hold back one with few; after
 * an expensive refresh the others come first for longer. Queries without a tenant take turns with them.
 *
 * @see Goyal, Vin and Cheng, "Start-time Fair Queuing", 1997
 */
export class RefreshTurns {
  /** The weight of the refreshes that have begun, by whose they were, as long as others of theirs are due. */
  #taken = new Map<string, number>();
  #weightOf: (hotKey: HotKey) => number = () => 1;

  /** Those of one tenant: the longest overdue first, then those that were requested last. */
  order(due: readonly HotKey[]): readonly HotKey[] {
    const byTurn = Map.groupBy(due, ({ bound }) => turnOf(bound));
    const waiting = [...this.#taken].filter(([turn]) => byTurn.has(turn));
    // Who has waited for nothing until now has no claim on earlier turns.
    const least = waiting.length === 0 ? 0 : Math.min(...waiting.map(([, taken]) => taken));
    this.#taken = new Map([...byTurn.keys()].map((turn) => [turn, this.#taken.get(turn) ?? least]));
    this.#weightOf = weigh(due);
    const places = [...byTurn].flatMap(([turn, keys]) => {
      let taken = this.#taken.get(turn) ?? least;
      return keys.toSorted(byNeed).map((hotKey) => {
        const place = { hotKey, taken };
        taken += this.#weightOf(hotKey);
        return place;
      });
    });
    return places
      .sort((one, other) => one.taken - other.taken || byNeed(one.hotKey, other.hotKey))
      .map(({ hotKey }) => hotKey);
  }

  /** A refresh begins. */
  take(hotKey: HotKey): void {
    const turn = turnOf(hotKey.bound);
    const taken = (this.#taken.get(turn) ?? 0) + this.#weightOf(hotKey);
    this.#taken.set(turn, taken);
  }
}

const byNeed = (one: HotKey, other: HotKey): number =>
  one.refreshAt - other.refreshAt || other.requestedAt - one.requestedAt;
