import { type BoundQuery, bind, type RawParameters } from '../../catalog/binding/bind.ts';
import { bindForTenants, type TenantBinding } from '../../catalog/binding/bind-tenant.ts';
import type { SavedQuery } from '../../catalog/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import type { Principal } from '../../keys/principal.ts';

/** What was asked, and what it comes to: found once, for all callers who ask the same again. */
export interface Asked {
  readonly query: SavedQuery;
  readonly raw: RawParameters;
  /** For callers who are bound to nothing. */
  bound?: BoundQuery;
  /** For callers who are restricted to tenants. */
  forTenant?: TenantBinding;
}

/**
 * The question as this caller may ask it. Both doors ask here, at every request, also where the answer is at hand.
 *
 * @throws GatewayError FORBIDDEN, before anything else is told of the parameters; then as `bind` does
 */
export function questionFor({ endpoints, projects }: Principal, asked: Asked): BoundQuery {
  const { query, raw } = asked;
  if (endpoints !== undefined && !endpoints.has(query.id)) {
    throw new GatewayError(
      'FORBIDDEN',
      'This key may not ask this endpoint; GraphQL lists its own under endpoints',
    );
  }
  if (projects === undefined) {
    asked.bound ??= bind(query, raw);
    return asked.bound;
  }
  // The tenant is in the parameters, so the binding serves every caller who may read that tenant.
  if (asked.forTenant === undefined || !projects.has(asked.forTenant.tenant)) {
    asked.forTenant = bindForTenants(query, raw, projects);
  }
  return asked.forTenant.bound;
}

/** True where the holder can get an answer at all: what cannot be asked is not listed either. */
export function isOpenTo({ endpoints, projects }: Principal, { id, tenant }: SavedQuery): boolean {
  return (endpoints?.has(id) ?? true) && (projects === undefined || tenant !== undefined);
}
