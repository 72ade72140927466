import type { CachePolicy } from '../catalog/model/saved-query.ts';
import type { ResultDocument } from './result-document.ts';

/** fresh: within `caching`. stale: returned only when the engine fails. expired: never returned. */
type Freshness = 'fresh' | 'stale' | 'expired';

export function freshnessOf(document: ResultDocument, policy: CachePolicy, elapsedMs: number): Freshness {
  const age = ageMs(document, elapsedMs);
  if (age < policy.ttlSeconds * 1000) return 'fresh';
  return age < keepMs(policy) ? 'stale' : 'expired';
}

/**
 * Never below zero: the clock of the gateway that computed the result may be ahead of ours.
 *
 * @param elapsedMs the time now, as `Clock` has it
 */
export function ageMs({ begunAt }: ResultDocument, elapsedMs: number): number {
  return Math.max(0, elapsedMs - begunAt);
}

/** How long after its computation a result may be returned at all. */
export function keepMs({ ttlSeconds, staleIfErrorSeconds }: CachePolicy): number {
  return (ttlSeconds + staleIfErrorSeconds) * 1000;
}
