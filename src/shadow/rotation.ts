import type { BoundValues } from '../catalog/binding/bind.ts';
import { hashText } from './hash-rows.ts';

/** Chooses among requests with different parameters those that were not compared yet, or longest ago. */
export interface Rotation {
  /** To be called for each request, compared or not. */
  note(parameters: BoundValues): void;
  /** Whether a request with these parameters is next; if so, it counts as compared. */
  take(parameters: BoundValues, now: number): boolean;
}

/** Parameters that are remembered, compared or not. */
const maxKnown = 1_000;

/** A request is taken out of turn if the next one has not come for so long. */
const patienceMs = 5_000;

/** Dashboards send the same requests in the same order: the first one that comes would always be the same. */
export function openRotation(): Rotation {
  /** By hash, in the order in which they came. */
  const isNew = new Set<number>();
  /** By hash, the one that was compared longest ago first. */
  const compared = new Set<number>();
  let waitsSince: number | undefined;
  return {
    note(parameters) {
      const key = keyOf(parameters);
      if (!compared.has(key) && isNew.size < maxKnown) isNew.add(key);
    },
    take(parameters, now) {
      const key = keyOf(parameters);
      const [oldest] = compared;
      const isNext = !compared.has(key) || (isNew.size === 0 && key === oldest);
      waitsSince ??= now;
      if (!isNext && now < waitsSince + patienceMs) return false;
      waitsSince = undefined;
      if (!isNext) {
        // Those that should have come before it have not come again.
        if (isNew.size > 0) isNew.clear();
        else if (oldest !== undefined) compared.delete(oldest);
      } else if (compared.size >= maxKnown && oldest !== undefined) compared.delete(oldest);
      isNew.delete(key);
      compared.delete(key);
      compared.add(key);
      return true;
    },
  };
}

const keys = new WeakMap<BoundValues, number>();

/** Equal requests have the same object as long as their URL is remembered. */
function keyOf(parameters: BoundValues): number {
  const known = keys.get(parameters);
  if (known !== undefined) return known;
  const key = hashText(JSON.stringify(parameters));
  keys.set(parameters, key);
  return key;
}
