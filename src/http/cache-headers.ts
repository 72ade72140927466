import { ageMs } from '../results/freshness.ts';
import type { CachedResult, CacheStatus } from '../results/get-result.ts';
import type { ResultDocument } from '../results/result-document.ts';

/**
 * What HTTP caches and people may know of the answers that a response is made of: `Age`, `Cache-Control`, `Cache-Status`.
 * An answer is as good as new until the next refresh stands (`max-age`), may be shown meanwhile until it expires
 * (`stale-while-revalidate`), and where we fail until it is gone (`stale-if-error`).
 *
 * @param answers at least one
 * @see RFC 9111, RFC 5861, RFC 9211
 */
export function cacheHeaders(answers: readonly CachedResult[], now: Date): Readonly<Record<string, string>> {
  const age = Math.max(...answers.map(({ document: content }) => ageSeconds(content, now)));
  const left = answers.map((answer) => secondsLeft(answer, now));
  const least = (stage: keyof Left) => Math.min(...left.map((one) => one[stage]));
  const status = { 'cache-status': cacheStatus(answers, least('fresh')) };
  if (answers.some(({ caching }) => caching === 'disabled')) {
    return { age: seconds(age), 'cache-control': 'private, no-cache', ...status };
  }
  const directives = [
    'private',
    `max-age=${seconds(age + least('newest'))}`,
    `stale-while-revalidate=${seconds(least('fresh') - least('newest'))}`,
    `stale-if-error=${seconds(least('usable') - least('newest'))}`,
  ];
  const told = directives.filter((directive) => directive !== 'stale-while-revalidate=0');
  return { age: seconds(age), 'cache-control': told.join(', '), ...status };
}

/** Of the entity tags that a caller has, weak or not, one is this. */
export function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag));
}

/** Weak: the same rows have several codings. */
export function etagOf(digest: string): string {
  return `W/"${digest}"`;
}

/** True where the caller wants nothing that was kept. */
export function asksForNew(cacheControl: string | undefined): boolean {
  return cacheControl !== undefined && /(?:^|,)\s*no-cache\s*(?:,|$)/i.test(cacheControl);
}

/** Seconds until a refresh stands, until an answer expires, until it is gone; negative where that is past. */
interface Left {
  readonly newest: number;
  readonly fresh: number;
  readonly usable: number;
}

function secondsLeft({ document: content, caching }: CachedResult, now: Date): Left {
  if (caching === 'disabled') return { newest: 0, fresh: 0, usable: 0 };
  const age = ageSeconds(content, now);
  const { ttlSeconds, warmingSeconds = ttlSeconds, staleIfErrorSeconds } = caching;
  return {
    newest: warmingSeconds - age,
    fresh: ttlSeconds - age,
    usable: ttlSeconds + staleIfErrorSeconds - age,
  };
}

function ageSeconds(content: ResultDocument, now: Date): number {
  return Math.floor(ageMs(content, now) / 1000);
}

function seconds(value: number): string {
  return String(Math.max(0, value));
}

/** Of several answers, the one that was farthest from being at hand is told. */
const farthest = ['BYPASS', 'MISS', 'SHARED', 'STALE', 'HIT'] as const satisfies readonly CacheStatus[];

function cacheStatus(answers: readonly CachedResult[], ttl: number): string {
  const status = farthest.find((one) => answers.some(({ cacheStatus }) => cacheStatus === one)) ?? 'HIT';
  const isKept = answers.every(({ caching }) => caching !== 'disabled');
  return `querygate; ${
    {
      HIT: `hit; ttl=${ttl}`,
      STALE: `hit; ttl=${ttl}; detail=stale-if-error`,
      MISS: 'fwd=miss; stored',
      SHARED: 'fwd=miss; collapsed',
      BYPASS: isKept ? 'fwd=request; stored' : 'fwd=bypass',
    }[status]
  }`;
}
