import { lowerCaseUuid, type QueryAddresses } from '../catalog/find-query.ts';
import type { Config } from '../config.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { Permission } from './file/key-schema.ts';
import type { RateLimit } from './rates/rate-limiter.ts';

/** An authenticated caller: a key, and what it permits. */
export interface Principal {
  /** For the log: the id is not secret. */
  readonly id: string;
  readonly permissions: ReadonlySet<Permission>;
  /** The ids of the saved queries that the key permits; undefined: all. */
  readonly endpoints: ReadonlySet<string> | undefined;
  /** The tenants whose rows the key permits; undefined: all. */
  readonly tenants: ReadonlySet<string> | undefined;
  /** Whether endpoints that the key may not query are answered as if they did not exist. */
  readonly hidesEndpoints: boolean;
  /** undefined: unlimited. */
  readonly rateLimiter: RateLimit | undefined;
  /** undefined: unlimited. */
  readonly concurrencyLimiter: ConcurrencyLimiter | undefined;
}

/** A principal without restrictions. */
export function unrestricted(id: string): Principal {
  return {
    id,
    permissions: new Set(['fresh', 'catalog', 'metrics', 'sql']),
    endpoints: undefined,
    tenants: undefined,
    hidesEndpoints: false,
    rateLimiter: undefined,
    concurrencyLimiter: undefined,
  };
}

/**
 * Whether a principal may send SQL of its own, where a saved query takes it. A key that is bound to tenants needs the
 * permission: it is given to others than the operator.
 */
export const mayPassSql = ({ permissions, tenants }: Pick<Principal, 'permissions' | 'tenants'>): boolean =>
  permissions.has('sql') || tenants === undefined;

/** Whether the operator hides from a principal what it may not query. */
export function hidesEndpoints(setting: Config['hideEndpoints'], isBoundToTenants: boolean): boolean {
  return setting === 'all' || (setting === 'tenants' && isBoundToTenants);
}

/** What saved queries are addressed by. */
export type EndpointNames = readonly QueryAddresses[];

/** Without what else saved queries have: to compare them, and to give them to a thread. */
export const namesOf = (queries: EndpointNames): EndpointNames =>
  queries.map(({ id, name, aliases }) => ({ id, name, aliases }));

/** Resolves the endpoints of a key, given as names, UUIDs or aliases, to ids; `unknown` are those that match no saved query. */
export function resolveEndpoints(
  catalog: { readonly queries: EndpointNames },
  { endpoints }: { readonly endpoints?: readonly string[] | undefined },
): { readonly ids: ReadonlySet<string> | undefined; readonly unknown: readonly string[] } {
  if (endpoints === undefined) return { ids: undefined, unknown: [] };
  const byAddress = idsByAddress(catalog.queries);
  const resolved = endpoints.map((address) => ({
    address,
    id: byAddress.get(address) ?? byAddress.get(lowerCaseUuid(address)),
  }));
  return {
    ids: new Set(resolved.flatMap(({ id }) => id ?? [])),
    unknown: resolved.filter(({ id }) => id === undefined).map(({ address }) => address),
  };
}

const indexes = new WeakMap<EndpointNames, ReadonlyMap<string, string>>();

/** As `lookUpQuery` finds them: every address leads to one query. Ten thousand keys are resolved at once. */
function idsByAddress(queries: EndpointNames): ReadonlyMap<string, string> {
  const known = indexes.get(queries);
  if (known !== undefined) return known;
  const made = new Map(
    queries.flatMap(({ id, name, aliases }) => [id, name, ...aliases].map((address) => [address, id])),
  );
  indexes.set(queries, made);
  return made;
}
