import { ageMs } from '../../results/freshness.ts';
import type { CachedResult, CacheStatus } from '../../results/get-result.ts';
import { elementsOf } from './list-header.ts';
import type { Reply } from './reply.ts';

/** Request headers that change a response, by whose key or by the client's preference: caches must distinguish them. */
export const variesBy = 'X-API-KEY, Authorization, Accept-Encoding';

/** The same where `Accept` chooses the format. */
export const variesByFormat = `${variesBy}, Accept`;

/**
 * The headers that describe the results in a response to HTTP caches and people: `ETag`, `Age`, `Cache-Control`,
 * `Cache-Status`, `Vary`. Caches may use a result until its next refresh (`max-age`), during the refresh until it is
 * older than `caching` (`stale-while-revalidate`), and while we fail until it expires (`stale-if-error`); and never
 * after a relative default has changed, from when on the same request means other rows. All times are those of when the
 * last result was obtained.
 *
 * @param results at least one
 * @param digest of the body before compression
 * @see RFC 9111, RFC 5861, RFC 9211
 */
export function cacheHeaders(results: readonly CachedResult[], digest: string): Reply['headers'] {
  const now = Math.max(...results.map(({ obtainedAt }) => obtainedAt));
  const times = results.map((result) => timesOf(result, now));
  const age = Math.max(...times.map((one) => one.age));
  const least = (stage: keyof Times) => Math.min(...times.map((one) => one[stage]));
  return {
    // Weak: the same rows have several codings.
    etag: `W/"${digest}"`,
    age: String(age),
    'cache-control': results.some(({ caching }) => caching === 'disabled')
      ? 'private, no-cache'
      : cacheControl(age, least('untilRefresh'), least('untilExpiry'), least('untilDeletion')),
    'cache-status': cacheStatus(results, least('untilExpiry')),
    vary: variesBy,
  };
}

/** True if one of the entity tags in `If-None-Match`, weak or not, is this one. */
export function matchesEtag(etag: string, ifNoneMatch: string): boolean {
  if (ifNoneMatch === etag) return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || elementsOf(ifNoneMatch).some((tag) => opaque(tag) === opaque(etag));
}

/** True if the caller does not want a cached response. */
export function hasNoCache(cacheControl: string): boolean {
  return /(?:^|,)\s*no-cache\s*(?:,|$)/i.test(cacheControl);
}

function cacheControl(age: number, untilRefresh: number, untilExpiry: number, untilDeletion: number): string {
  const staleSeconds = untilExpiry - untilRefresh;
  return [
    'private',
    `max-age=${Math.max(0, age + untilRefresh)}`,
    ...(staleSeconds > 0 ? [`stale-while-revalidate=${staleSeconds}`] : []),
    `stale-if-error=${Math.max(0, untilDeletion - untilRefresh)}`,
  ].join(', ');
}

/** Of a result, in seconds; negative if a time has passed. */
interface Times {
  readonly age: number;
  readonly untilRefresh: number;
  readonly untilExpiry: number;
  readonly untilDeletion: number;
}

function timesOf(result: CachedResult, now: number): Times {
  const age = Math.floor(ageMs(result.document, now) / 1000);
  if (result.caching === 'disabled') return { age, untilRefresh: 0, untilExpiry: 0, untilDeletion: 0 };
  const { ttlSeconds, warmingSeconds = ttlSeconds, staleIfErrorSeconds } = result.caching;
  const { defaultsUntil = Number.POSITIVE_INFINITY } = result;
  const untilChange = Math.floor((defaultsUntil - now) / 1000);
  return {
    age,
    untilRefresh: Math.min(warmingSeconds - age, untilChange),
    untilExpiry: Math.min(ttlSeconds - age, untilChange),
    untilDeletion: Math.min(ttlSeconds + staleIfErrorSeconds - age, untilChange),
  };
}

/** From the most to the least expensive: for several results, the most expensive status is reported. */
const byExpense = ['BYPASS', 'MISS', 'SHARED', 'STALE', 'HIT'] as const satisfies readonly CacheStatus[];

function cacheStatus(results: readonly CachedResult[], ttl: number): string {
  const status =
    byExpense.find((status) => results.some(({ cacheStatus }) => cacheStatus === status)) ?? 'HIT';
  const isStored = results.every(({ caching }) => caching !== 'disabled');
  return `querygate; ${
    {
      HIT: `hit; ttl=${ttl}`,
      STALE: `hit; ttl=${ttl}; detail=stale-if-error`,
      MISS: 'fwd=miss; stored',
      SHARED: 'fwd=miss; collapsed',
      BYPASS: isStored ? 'fwd=request; stored' : 'fwd=bypass',
    }[status]
  }`;
}
