import type { CachePolicy } from '../catalog/model/saved-query.ts';
import type { ResultDocument } from './result-document.ts';

/** fresh: within `caching`. stale: returned only when the engine fails. expired: never returned. */
type Freshness = 'fresh' | 'stale' | 'expired';

export function freshnessOf(document: ResultDocument, policy: CachePolicy, now: Date): Freshness {
  const age = ageMs(document, now.getTime());
  if (age < policy.ttlSeconds * 1000) return 'fresh';
  return age < keepMs(policy) ? 'stale' : 'expired';
}

/** Never below zero: the clock of the gateway that computed the result may be ahead of ours. */
export function ageMs({ computedAt }: ResultDocument, now: number): number {
  return Math.max(0, now - computedAt);
}

/** How long after its computation a result may be returned at all. */
export function keepMs({ ttlSeconds, staleIfErrorSeconds }: CachePolicy): number {
  return (ttlSeconds + staleIfErrorSeconds) * 1000;
}
