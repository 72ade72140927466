import { LRUCache } from 'lru-cache';
import { concurrencyLimiterFor, rateLimitFor } from './keyring.ts';
import type { Principal } from './principal.ts';
import type { NewRateLimit } from './rates/rate-limiter.ts';

/** How many ids keep the state of their limits. */
const maxIds = 50_000;

interface Limits {
  readonly requestsPerMinute: number | undefined;
  readonly concurrentQueries: number | undefined;
}

type Limiters = Pick<Principal, 'rateLimiter' | 'concurrencyLimiter'>;

/** Gives the same principal each time, with its own limits again: others of its id may have changed them. */
export type LimitedPrincipal = () => Principal;

/** Makes principals that share the state of their limits with others of their id. */
export function buildLimitedPrincipals(
  newRateLimit: NewRateLimit,
): (rights: Omit<Principal, 'rateLimiter' | 'concurrencyLimiter'>, limits: Limits) => LimitedPrincipal {
  const latest = new LRUCache<string, Limiters & { readonly user: Principal }>({ max: maxIds });
  return (rights, { requestsPerMinute, concurrentQueries }) => {
    const { id } = rights;
    const limited = (before: Partial<Limiters> = {}) => ({
      rateLimiter: rateLimitFor(id, requestsPerMinute, before.rateLimiter, newRateLimit),
      concurrencyLimiter: concurrencyLimiterFor(concurrentQueries, before.concurrencyLimiter),
    });
    const principal = { ...rights, ...limited(latest.get(id)) };
    return () => {
      const last = latest.get(id);
      if (last?.user === principal) return principal;
      limited(principal);
      // One without a limit leaves that of others as it is.
      latest.set(id, {
        user: principal,
        rateLimiter: principal.rateLimiter ?? last?.rateLimiter,
        concurrencyLimiter: principal.concurrencyLimiter ?? last?.concurrencyLimiter,
      });
      return principal;
    };
  };
}
