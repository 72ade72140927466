import type { CachePolicy } from '../catalog/saved-query.ts';
import type { ResultDocument } from './result-document.ts';

/** Fresh: as good as new. Expired: to be given only where the engine fails. Gone: never to be given. */
export type Freshness = 'fresh' | 'expired' | 'gone';

export function freshnessOf(content: ResultDocument, policy: CachePolicy, now: Date): Freshness {
  const age = ageMs(content, now);
  if (age < policy.ttlSeconds * 1000) return 'fresh';
  return age < keepMs(policy) ? 'expired' : 'gone';
}

/** Never below zero: another gateway's clock may run ahead of ours. */
export function ageMs({ computedAt }: ResultDocument, now: Date): number {
  return Math.max(0, now.getTime() - computedAt);
}

/** How long after its run an answer may be of use at all. */
export function keepMs({ ttlSeconds, staleIfErrorSeconds }: CachePolicy): number {
  return (ttlSeconds + staleIfErrorSeconds) * 1000;
}
