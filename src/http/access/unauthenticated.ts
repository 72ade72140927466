import { LRUCache } from 'lru-cache';
import { addressGroup } from '../../config/address-list.ts';
import { GatewayError, type Refusal } from '../../errors.ts';
import { RateLimiter } from '../../keys/rates/rate-limiter.ts';
import { httpLimits } from '../message/http-limits.ts';
import { shownTokenProblem } from '../message/reply.ts';

/** The error for a wrong key, with advice on its form. Each one counts for the address that sent it. */
export type RejectWrongKey = (
  address: string | undefined,
  refusal: Refusal,
  advice?: string | undefined,
) => GatewayError;

/** How many addresses are counted: an attacker with more of them has not been slowed down either. */
const maxAddresses = 10_000;

const { maxWrongKeysPerMinute } = httpLimits;

/**
 * Answers wrong keys with 401, and with 429 when too many came from one address, or from one /64 of IPv6 addresses. Valid
 * keys from there are not affected.
 */
export function buildRejectWrongKey(elapsedMs: () => number): RejectWrongKey {
  const limiters = new LRUCache<string, RateLimiter>({ max: maxAddresses });
  return (address, refusal, advice) => {
    // To count all callers together would let one of them hide what is wrong with the keys of others.
    if (address === undefined) return unauthenticated(refusal, advice);
    const group = addressGroup(address);
    const limiter = limiters.get(group) ?? new RateLimiter(maxWrongKeysPerMinute);
    limiters.set(group, limiter);
    const { isWithin, nextInSeconds } = limiter.take(elapsedMs());
    if (isWithin) return unauthenticated(refusal, advice);
    return new GatewayError(
      'RATE_LIMITED',
      `More than ${maxWrongKeysPerMinute} wrong keys came from your address within a minute; try again later with a valid one`,
      { retryAfterSeconds: nextInSeconds, refusal },
    );
  };
}

/**
 * Says whether a key was sent, and of a wrong one no more. Of a token, a browser's developer has to know what to do: get a new one.
 */
export function unauthenticated(refusal: Refusal, advice?: string): GatewayError {
  if (refusal.reason === 'unknown caller')
    return new GatewayError(
      'UNAUTHENTICATED',
      'The request is not one of a known caller; send credentials that this service knows',
      { refusal },
    );
  const wrong = advice ?? shownTokenProblem(refusal);
  const message = `${sentKeys(refusal)}; send one valid API key, in the header X-API-KEY or in Authorization after Bearer`;
  return new GatewayError('UNAUTHENTICATED', wrong === undefined ? message : `${message}; ${wrong}`, {
    refusal,
  });
}

function sentKeys({ reason }: Refusal): string {
  if (reason === 'missing') return 'No key was sent';
  return reason === 'two keys' ? 'Two different keys were sent' : 'The key that was sent is not valid';
}
