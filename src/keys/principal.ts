import { hash } from 'node:crypto';
import { lowerCaseUuid, type QueryAddresses } from '../catalog/model/find-query.ts';
import { queriesByName, seriesOf } from '../catalog/model/versions.ts';
import type { Budget } from '../config/budget.ts';
import type { Owner } from '../concurrency/fair-share.ts';
import { memoize } from '../memoize.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { RateLimit } from './rates/rate-limiter.ts';

/** The rights that a key can have besides running saved queries. */
export const permissions = ['fresh', 'catalog', 'metrics', 'sql'] as const;

export type Permission = (typeof permissions)[number];

/**
 * For which keys endpoints that they may not query do not seem to exist: for those that are bound to tenants, all, or none.
 */
export type HideEndpoints = 'tenants' | 'all' | 'off';

/** An authenticated caller: a key, and what it permits. */
export interface Principal {
  /** For the log: the id is not secret. */
  readonly id: string;
  readonly permissions: ReadonlySet<Permission>;
  /** The ids of the saved queries that the key permits; undefined: all. */
  readonly endpoints: ReadonlySet<string> | undefined;
  /** The tenants whose rows the key permits; undefined: all. */
  readonly tenants: ReadonlySet<string> | undefined;
  /** True if endpoints that the key may not query are answered as if they did not exist. */
  readonly hidesEndpoints: boolean;
  /** The most that runs for it may cost; undefined: unlimited. */
  readonly budget?: Budget | undefined;
  /** undefined: unlimited. */
  readonly rateLimiter: RateLimit | undefined;
  /** undefined: unlimited. */
  readonly concurrencyLimiter: ConcurrencyLimiter | undefined;
}

/**
 * Who owns what a caller uses: of requests, memory, streams, processes and turns alike. A tenant has as many keys and tokens
 * as it likes, so it is the set of tenants; a key without tenants is an owner by itself. Sets that overlap are different
 * owners: only the operator, or the issuer of tokens, makes sets, and one key for all tenants would make all of them one.
 */
export const ownerOf = memoize(
  ({ id, tenants }: Pick<Principal, 'id' | 'tenants'>): Exclude<Owner, undefined> =>
    tenants === undefined ? id : { group: `tenants ${digestOf(tenants)}`, key: id },
);

/** Not the names: there may be many of them, and a group is remembered for as long as it holds something. */
const digestOf = memoize((tenants: ReadonlySet<string>): string =>
  hash('sha256', JSON.stringify([...tenants].sort()), 'base64url'),
);

/** A principal without restrictions. */
export function unrestricted(id: string): Principal {
  return {
    id,
    permissions: new Set(permissions),
    endpoints: undefined,
    tenants: undefined,
    hidesEndpoints: false,
    rateLimiter: undefined,
    concurrencyLimiter: undefined,
  };
}

/**
 * True if a principal may send SQL of its own, where a saved query takes it. A key that is bound to tenants needs the
 * permission: it is given to others than the operator.
 */
export const mayPassSql = ({ permissions, tenants }: Pick<Principal, 'permissions' | 'tenants'>): boolean =>
  permissions.has('sql') || tenants === undefined;

/** True if the operator hides the endpoints that a principal may not query. */
export function hidesEndpoints(setting: HideEndpoints, isBoundToTenants: boolean): boolean {
  return setting === 'all' || (setting === 'tenants' && isBoundToTenants);
}

/** The parts of saved queries that address them. */
export type EndpointNames = readonly QueryAddresses[];

/** Without what else saved queries have: to compare them, and to give them to a thread. */
export const namesOf = (queries: EndpointNames): EndpointNames =>
  queries.map(({ id, name, aliases, isDefault }) => ({ id, name, aliases, isDefault }));

/**
 * Resolves the endpoints of a key, given as names, UUIDs or aliases, to ids; `unknown` are those that match no saved query. A
 * name without a number means all versions, which have the same tenant; a name with a number, a UUID or an alias means one.
 */
export function resolveEndpoints(
  catalog: { readonly queries: EndpointNames },
  { endpoints }: { readonly endpoints?: readonly string[] | undefined },
): { readonly ids: ReadonlySet<string> | undefined; readonly unknown: readonly string[] } {
  if (endpoints === undefined) return { ids: undefined, unknown: [] };
  const byAddress = idsByAddress(catalog.queries);
  const resolved = endpoints.map((address) => ({
    address,
    ids: byAddress.get(address) ?? byAddress.get(lowerCaseUuid(address)) ?? [],
  }));
  return {
    ids: new Set(resolved.flatMap(({ ids }) => ids)),
    unknown: resolved.filter(({ ids }) => ids.length === 0).map(({ address }) => address),
  };
}

/** Ten thousand keys are resolved at once. */
const idsByAddress = memoize(
  (queries: EndpointNames) =>
    new Map<string, readonly string[]>([
      ...queries.flatMap(({ id, aliases }) => [id, ...aliases].map((address) => [address, [id]] as const)),
      ...[...queriesByName(queries)].map(([name, { id }]) => [name, [id]] as const),
      ...[...seriesOf(queries).values()].map(
        ({ base, versions }) => [base, versions.map(({ id }) => id)] as const,
      ),
    ]),
);
