import { LRUCache } from 'lru-cache';
import { groupOf, type Owner, sharersOf } from '../../../concurrency/fair-share.ts';
import { GatewayError } from '../../../errors.ts';

/** How many texts of one owner may have to be stopped by the end of their process before the owner has to pause. */
const maxStops = 3;

/** Within this time; and how long the pause is. */
const withinMs = 600_000;
const restMs = 60_000;

/** Owners whose texts were stopped lately; others are forgotten. */
const maxOwners = 10_000;

/** Counts texts that did not stop by themselves, of those who share what owners share. */
export class Strikes {
  readonly #stops = new LRUCache<string, readonly number[]>({ max: maxOwners });
  readonly #restUntil = new LRUCache<string, number>({ max: maxOwners });

  /** @returns whether the owner rests from now on */
  add(owner: Owner, now = performance.now()): boolean {
    const group = groupOf(owner) ?? '';
    const stops = [...(this.#stops.get(group) ?? []), now].filter((at) => at > now - withinMs);
    if (stops.length < maxStops) {
      this.#stops.set(group, stops);
      return false;
    }
    this.#stops.delete(group);
    this.#restUntil.set(group, now + restMs);
    return true;
  }

  /** @throws GatewayError RATE_LIMITED while the owner rests */
  requireNone(owner: Owner, now = performance.now()): void {
    const leftMs = (this.#restUntil.get(groupOf(owner) ?? '') ?? 0) - now;
    if (leftMs <= 0) return;
    const retryAfterSeconds = Math.ceil(leftMs / 1000);
    throw new GatewayError(
      'RATE_LIMITED',
      `sql: ${maxStops} texts of ${sharersOf(owner)} had to be stopped by ending their process; the permission sql rests for ${retryAfterSeconds} s`,
      { parameter: 'sql', retryAfterSeconds },
    );
  }
}
