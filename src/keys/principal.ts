import { lookUpQuery } from '../catalog/find-query.ts';
import type { Catalog } from '../catalog/saved-query.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { Permission } from './file/key-schema.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** What the holder of a key may do. */
export interface Principal {
  /** For the log: it is no secret. */
  readonly id: string;
  readonly permissions: ReadonlySet<Permission>;
  /** The ids of the saved queries that may be asked; undefined: all. */
  readonly endpoints: ReadonlySet<string> | undefined;
  /** The only tenants whose rows may be read; undefined: all. */
  readonly projects: ReadonlySet<string> | undefined;
  /** Requests per minute; undefined: as many as come. */
  readonly rateLimiter: RateLimiter | undefined;
  /** Questions in flight; undefined: as many as come. */
  readonly concurrencyLimiter: ConcurrencyLimiter | undefined;
}

/** The holder of a key that is bound to nothing. */
export function unrestricted(id: string): Principal {
  return {
    id,
    permissions: new Set(['fresh', 'catalog']),
    endpoints: undefined,
    projects: undefined,
    rateLimiter: undefined,
    concurrencyLimiter: undefined,
  };
}

/** The endpoints of a key as ids, and those that no saved query has. */
export function resolveEndpoints(
  catalog: Catalog,
  { endpoints }: { readonly endpoints?: readonly string[] | undefined },
): { readonly ids: ReadonlySet<string> | undefined; readonly unknown: readonly string[] } {
  if (endpoints === undefined) return { ids: undefined, unknown: [] };
  const found = endpoints.map((address) => ({
    address,
    id: lookUpQuery(catalog, address)?.id,
  }));
  return {
    ids: new Set(found.flatMap(({ id }) => id ?? [])),
    unknown: found.filter(({ id }) => id === undefined).map(({ address }) => address),
  };
}
