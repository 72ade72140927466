import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { getOrAdd } from '../../get-or-add.ts';
import { openRotation, type Rotation } from './rotation.ts';

/** Decides which requests are compared. */
export interface Sampling {
  /**
   * To be called for each request of a query with a shadow.
   *
   * @param share of the requests that are compared
   * @param isComputed whether the query was run for this request
   * @param hasPlace whether a comparison of the query can be added to those that wait
   * @returns whether the request is to be compared; if so, it counts as compared
   */
  take(bound: BoundQuery, share: number, isComputed: boolean, hasPlace: boolean): boolean;
}

/** How often a query whose results come from the cache is run again only to compare it. */
const cachedEveryMs = 30_000;

/** The state of a query's sampling. */
interface Sampled {
  /** Grows by the share with each request; at 1 a request is compared. */
  due: number;
  /** When a request was compared last, by `elapsedMs`. */
  startedAt: number;
  readonly rotation: Rotation;
}

/** @param now as `elapsedMs` */
export function openSampling(now: () => number): Sampling {
  const samples = new WeakMap<SavedQuery, Sampled>();
  // The first request is compared.
  const first = (): Sampled => ({ due: 1, startedAt: Number.NEGATIVE_INFINITY, rotation: openRotation() });
  return {
    take({ query, parameters }, share, isComputed, hasPlace) {
      const sampled = getOrAdd(samples, query, first);
      sampled.rotation.note(parameters);
      sampled.due = Math.min(1, sampled.due + share);
      // In floating point, ten times 0.1 is a little less than 1.
      if (sampled.due < 1 - 1e-9 || !hasPlace) return false;
      if (!isComputed && now() < sampled.startedAt + cachedEveryMs) return false;
      if (!sampled.rotation.take(parameters, now())) return false;
      sampled.due = 0;
      sampled.startedAt = now();
      return true;
    },
  };
}
