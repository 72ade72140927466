import { hash } from 'node:crypto';
import { buildLimitedPrincipals, type LimitedPrincipal } from '../limited-principals.ts';
import { type EndpointNames, type HideEndpoints, hidesEndpoints, resolveEndpoints } from '../principal.ts';
import type { NewRateLimit } from '../rates/rate-limiter.ts';
import type { TokenClaims } from './claims.ts';

interface TokenPrincipalsOptions {
  readonly hideEndpoints: HideEndpoints;
  /** Those that are served now. */
  readonly queries: () => EndpointNames;
  readonly newRateLimit: NewRateLimit;
}

/**
 * Makes principals of claims. Tokens of one subject for the same tenants are one principal to limits and fairness: a
 * new token does not get a new rate.
 */
export function buildTokenPrincipals({
  queries,
  hideEndpoints,
  newRateLimit,
}: TokenPrincipalsOptions): (claims: TokenClaims) => LimitedPrincipal {
  const limitedPrincipal = buildLimitedPrincipals(newRateLimit);
  return (claims) => {
    const { tenants, rate, permissions } = claims;
    const id = principalId(claims);
    const rights = {
      id,
      permissions: new Set(permissions),
      endpoints: resolveEndpoints({ queries: queries() }, claims).ids,
      tenants: tenants && new Set(tenants),
      hidesEndpoints: hidesEndpoints(hideEndpoints, tenants !== undefined),
      ...(claims.budget && { budget: claims.budget }),
    };
    return limitedPrincipal(rights, {
      requestsPerMinute: rate.requests_per_minute,
      concurrentQueries: rate.concurrent_queries,
    });
  };
}

/**
 * For the log and for limits, as in `jwt:alice@abc`: the subject and the tenant, or digests of what is long, unusual or
 * many. It has only characters that need no escape in JSON.
 */
function principalId({ subject = '', tenants }: TokenClaims): string {
  return `jwt:${plainSubject.test(subject) ? subject : digest(subject)}@${tenantsPart(tenants)}`;
}

const plainSubject = /^[\w.@|:+-]{0,64}$/;
const plainTenant = /^[\w.-]{1,64}$/;

function tenantsPart(tenants: readonly string[] | undefined): string {
  if (tenants === undefined) return '*';
  const [only = ''] = tenants;
  return tenants.length === 1 && plainTenant.test(only) ? only : digest(JSON.stringify([...tenants].sort()));
}

const digest = (text: string): string => `#${hash('sha256', text, 'hex').slice(0, 16)}`;
