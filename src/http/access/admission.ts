import { type Clock, within } from '../../concurrency/clock.ts';
import { GatewayError, GivenCodeError } from '../../errors.ts';
import type { Callers } from '../../keys/join-sources.ts';
import { ownerOf, type Principal } from '../../keys/principal.ts';
import type { RateLimit, RateLimitStatus } from '../../keys/rates/rate-limiter.ts';
import { hasNoCache } from '../message/cache-headers.ts';
import type { CallerInfo } from '../message/exchange.ts';
import type { RequestHead } from '../message/head.ts';
import { httpLimits } from '../message/http-limits.ts';
import type { PreparedRequest } from '../message/prepared-request.ts';
import type { Access } from '../message/route.ts';
import type { Admission } from '../../call/caller.ts';
import type { RejectKeysInUrls } from './reject-keys-in-urls.ts';
import { hasTwoKeys, keyOf } from './request-key.ts';
import { type RejectWrongKey, unauthenticated } from './unauthenticated.ts';

/**
 * Admits a request to its route: no key in the URL, URL length; then, if the route needs a key, authentication and the
 * key's rate.
 *
 * @param caller is filled in, also if an error is thrown afterwards
 * @throws GatewayError BAD_REQUEST | URL_TOO_LONG; UNAUTHENTICATED, the same for a key that is unknown, expired or revoked;
 * RATE_LIMITED
 */
export type Admit = (
  head: RequestHead,
  request: PreparedRequest,
  access: Access,
  caller: CallerInfo,
) => Admission | Promise<Admission>;

interface AdmitOptions {
  readonly callers: Pick<Callers, 'find' | 'explain' | 'takesKeys'>;
  readonly rejectKeysInUrls: RejectKeysInUrls;
  readonly rejectWrongKey: RejectWrongKey;
  readonly clock: Clock;
}

const { maxUrlLength, callerTimeoutMs } = httpLimits;

export function buildAdmit(options: AdmitOptions): Admit {
  const { callers, rejectKeysInUrls, rejectWrongKey, clock } = options;
  const admitPrincipal = (
    principal: Principal,
    head: RequestHead,
    caller: CallerInfo,
  ): Admission | Promise<Admission> => {
    caller.keyId = principal.id;
    caller.owner = ownerOf(principal);
    head.onKey?.();
    const { rateLimiter } = principal;
    if (rateLimiter === undefined) return admission(principal, head);
    const status = rateLimiter.take(clock.elapsedMs());
    // Most requests are counted without waiting.
    if (status instanceof Promise) {
      return status.then((later) => {
        reportRate(rateLimiter, later, caller);
        return admission(principal, head);
      });
    }
    reportRate(rateLimiter, status, caller);
    return admission(principal, head);
  };
  return (head, request, access, caller) => {
    if (request.parameters === undefined) rejectKeysInUrls(request);
    if (access === 'always') return anonymous;
    if (request.url.href.length > maxUrlLength) throw urlTooLong(request.url.href.length);
    if (access === 'public') return anonymous;

    const text = keyOf(head.headers);
    const found = callers.find(text, head);
    if (found === undefined) throw wrongKey(text, head, options);
    if (!(found instanceof Promise)) return admitPrincipal(found, head, caller);
    return within(clock, callerTimeoutMs, found, noCaller).then((verified) => {
      if ('principal' in verified) return admitPrincipal(verified.principal, head, caller);
      const { refusal } = verified;
      throw refusal === undefined ? wrongKey(text, head, options) : rejectWrongKey(head.address, refusal);
    });
  };
}

const noCaller = (): Error =>
  new GivenCodeError('a source of keys has failed', new Error('no source of keys has answered in time'));

function admission(principal: Principal, { headers }: RequestHead): Admission {
  const { concurrencyLimiter, permissions } = principal;
  // `no-cache` without the permission `fresh` is ignored, as RFC 9111 allows.
  const cacheControl = headers['cache-control'];
  const noCache = cacheControl !== undefined && permissions.has('fresh') && hasNoCache(cacheControl);
  return { principal, noCache, schedule: concurrencyLimiter?.forRequest() };
}

/** The part of a header that is not one of a key: no key has blanks or quotes. */
function wrongForm(text: string): string | undefined {
  if (/^Bearer(?:\s|$)/i.test(text)) return 'leave out Bearer, which is for the header Authorization';
  return /^(["'`<]).+["'`>]$/.test(text) ? `leave out the ${text[0]} around it` : undefined;
}

function wrongKey(
  text: string | undefined,
  { headers, address }: RequestHead,
  { callers, rejectWrongKey }: AdmitOptions,
): GatewayError {
  if (text !== undefined) return rejectWrongKey(address, callers.explain(text), wrongForm(text));
  if (!callers.takesKeys) return unauthenticated({ reason: 'unknown caller' });
  // Two keys do not count as a wrong one: neither was looked up.
  return unauthenticated({ reason: hasTwoKeys(headers) ? 'two keys' : 'missing' });
}

/** For routes that need no key: it permits nothing. */
const anonymous: Admission = {
  principal: {
    id: 'anonymous',
    permissions: new Set(),
    endpoints: new Set(),
    tenants: new Set(),
    hidesEndpoints: true,
    rateLimiter: undefined,
    concurrencyLimiter: undefined,
  },
  noCache: false,
  schedule: undefined,
};

function urlTooLong(length: number): GatewayError {
  return new GatewayError(
    'URL_TOO_LONG',
    `The URL has ${length} characters; at most ${maxUrlLength} are allowed; send long operations, and long SQL, as GraphQL by POST`,
  );
}

function reportRate({ perMinute }: RateLimit, status: RateLimitStatus, caller: CallerInfo): void {
  const { isWithin, remaining, fullInSeconds, nextInSeconds } = status;
  caller.rateLimitHeaders = {
    'ratelimit-policy': `"default";q=${perMinute};w=60`,
    ratelimit: `"default";r=${remaining};t=${fullInSeconds}`,
  };
  if (isWithin) return;
  throw new GatewayError(
    'RATE_LIMITED',
    `This key is limited to ${perMinute} requests per minute; try again later`,
    { retryAfterSeconds: nextInSeconds, refusal: { reason: 'rate' } },
  );
}
