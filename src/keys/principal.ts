import { lookUpQuery } from '../catalog/find-query.ts';
import type { Catalog } from '../catalog/saved-query.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { Permission } from './file/key-schema.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** An authenticated caller: a key, and what it permits. */
export interface Principal {
  /** For the log: the id is not secret. */
  readonly id: string;
  readonly permissions: ReadonlySet<Permission>;
  /** The ids of the saved queries that the key permits; undefined: all. */
  readonly endpoints: ReadonlySet<string> | undefined;
  /** The tenants whose rows the key permits; undefined: all. */
  readonly projects: ReadonlySet<string> | undefined;
  /** undefined: unlimited. */
  readonly rateLimiter: RateLimiter | undefined;
  /** undefined: unlimited. */
  readonly concurrencyLimiter: ConcurrencyLimiter | undefined;
}

/** A principal without restrictions. */
export function unrestricted(id: string): Principal {
  return {
    id,
    permissions: new Set(['fresh', 'catalog', 'metrics']),
    endpoints: undefined,
    projects: undefined,
    rateLimiter: undefined,
    concurrencyLimiter: undefined,
  };
}

/** Resolves the endpoints of a key, given as names or UUIDs, to ids; `unknown` are those that match no saved query. */
export function resolveEndpoints(
  catalog: Catalog,
  { endpoints }: { readonly endpoints?: readonly string[] | undefined },
): { readonly ids: ReadonlySet<string> | undefined; readonly unknown: readonly string[] } {
  if (endpoints === undefined) return { ids: undefined, unknown: [] };
  const resolved = endpoints.map((address) => ({
    address,
    id: lookUpQuery(catalog, address)?.id,
  }));
  return {
    ids: new Set(resolved.flatMap(({ id }) => id ?? [])),
    unknown: resolved.filter(({ id }) => id === undefined).map(({ address }) => address),
  };
}
