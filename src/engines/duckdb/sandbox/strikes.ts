import { LRUCache } from 'lru-cache';
import type { Owner } from '../../../concurrency/fair-share.ts';
import { GatewayError } from '../../../errors.ts';

/** How many texts of one key may have to be stopped by the end of their process before the key has to pause. */
const maxStops = 3;

/** Within this time; and how long the pause is. */
const withinMs = 600_000;
const restMs = 60_000;

/** Keys whose texts were stopped lately; others are forgotten. */
const maxOwners = 10_000;

/** Counts texts that did not stop by themselves, by key. */
export class Strikes {
  readonly #stops = new LRUCache<string, readonly number[]>({ max: maxOwners });
  readonly #restUntil = new LRUCache<string, number>({ max: maxOwners });

  /** @returns whether the key rests from now on */
  add(owner: Owner, now = performance.now()): boolean {
    const key = owner ?? '';
    const stops = [...(this.#stops.get(key) ?? []), now].filter((at) => at > now - withinMs);
    if (stops.length < maxStops) {
      this.#stops.set(key, stops);
      return false;
    }
    this.#stops.delete(key);
    this.#restUntil.set(key, now + restMs);
    return true;
  }

  /** @throws GatewayError RATE_LIMITED while the key rests */
  requireNone(owner: Owner, now = performance.now()): void {
    const leftMs = (this.#restUntil.get(owner ?? '') ?? 0) - now;
    if (leftMs <= 0) return;
    const retryAfterSeconds = Math.ceil(leftMs / 1000);
    throw new GatewayError(
      'RATE_LIMITED',
      `sql: ${maxStops} texts of this key had to be stopped by ending their process; its permission sql rests for ${retryAfterSeconds} s`,
      { parameter: 'sql', retryAfterSeconds },
    );
  }
}
