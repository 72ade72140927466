import type { BoundValues } from '../../catalog/binding/bind.ts';
import { memoize } from '../../memoize.ts';
import { hashText } from './hash-rows.ts';

/** Chooses among requests with different parameters those that were not compared yet, or longest ago. */
export interface Rotation {
  /** To be called for each request, compared or not. */
  note(parameters: BoundValues): void;
  /** True if a request with these parameters is next; it then counts as compared. */
  take(parameters: BoundValues, now: number): boolean;
}

/** Parameters that are remembered, compared or not. */
const maxKnown = 1_000;

/** If the request whose turn it is does not arrive for this long, another one takes its place. */
const maxWaitMs = 5_000;

/** Dashboards repeat their requests in the same order: without a rotation, always the same one would be compared. */
export function openRotation(): Rotation {
  /** Not compared yet: by hash, in the order of arrival. */
  const uncompared = new Set<number>();
  /** By hash, the one that was compared longest ago first. */
  const compared = new Set<number>();
  let waitingSince: number | undefined;
  return {
    note(parameters) {
      const key = keyOf(parameters);
      if (!compared.has(key) && uncompared.size < maxKnown) uncompared.add(key);
    },
    take(parameters, now) {
      const key = keyOf(parameters);
      const [oldest] = compared;
      const isNext = !compared.has(key) || (uncompared.size === 0 && key === oldest);
      waitingSince ??= now;
      if (!isNext && now < waitingSince + maxWaitMs) return false;
      waitingSince = undefined;
      if (!isNext) {
        // The requests whose turn it was have not arrived again.
        if (uncompared.size > 0) uncompared.clear();
        else if (oldest !== undefined) compared.delete(oldest);
      } else if (compared.size >= maxKnown && oldest !== undefined) compared.delete(oldest);
      uncompared.delete(key);
      compared.delete(key);
      compared.add(key);
      return true;
    },
  };
}

/** Equal requests have the same object as long as their URL is remembered. */
const keyOf = memoize((parameters: BoundValues) => hashText(JSON.stringify(parameters)));
