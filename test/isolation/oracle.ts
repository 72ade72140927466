import type { Caller } from './callers.ts';
import { type Compared, type Endpoint, isOnHostOf } from './endpoints.ts';
import type { World } from './world.ts';

/** What a caller asks for: a saved query with the texts of its parameters, the tenant's among them. */
export interface Question {
  readonly endpoint: Endpoint;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * What must come: these rows, an error, or, for text that a caller without bounds sends as a pattern, either: its rows
 * are of tenants that it may read.
 */
export type Expected =
  | { readonly kind: 'rows'; readonly rows: readonly Compared[] }
  | { readonly kind: 'refused'; readonly status?: number }
  | { readonly kind: 'any' };

const refused: Expected = { kind: 'refused' };
const forbidden: Expected = { kind: 'refused', status: 403 };
/** As for an endpoint that does not exist. */
const hidden: Expected = { kind: 'refused', status: 404 };

/** What a caller must get, from the rows of the world and what is known about the caller. */
export function expectedOf(world: World, caller: Caller, { endpoint, parameters }: Question): Expected {
  if (!caller.isValid) return refused;
  if (caller.endpoints !== undefined && !caller.endpoints.includes(endpoint.name)) {
    return caller.tenants === undefined ? forbidden : hidden;
  }
  if (endpoint.tenant === undefined) {
    return caller.tenants === undefined
      ? { kind: 'rows', rows: endpoint.rows(world, () => true, parameters) }
      : hidden;
  }
  const tenant = (parameters.get(endpoint.tenant) ?? '') || (endpoint.tenantDefault ?? '');
  if (tenant === '' || tenant.length > 4_096 || tenant.includes('\0') || !tenant.isWellFormed())
    return refused;
  if (caller.tenants === undefined) {
    if (endpoint.isPattern) return { kind: 'any' };
  } else if (!caller.tenants.includes(tenant)) return forbidden;
  return { kind: 'rows', rows: endpoint.rows(world, ownership(endpoint, tenant), parameters) };
}

function ownership({ isPattern, name }: Endpoint, tenant: string): (text: string | null) => boolean {
  if (!isPattern || name === 'own.by-text') return (text) => text === tenant;
  return (url) => isOnHostOf(tenant, url);
}
