import { type BoundQuery, bind, type RawParameters } from '../../catalog/binding/bind.ts';
import { bindTenant, forbiddenTenant, tenantOf } from '../../catalog/binding/bind-tenant.ts';
import type { SavedQuery } from '../../catalog/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import type { Principal } from '../../keys/principal.ts';

/** What was asked, and what it comes to: found once, for all callers who ask the same again. */
export interface Asked {
  readonly query: SavedQuery;
  readonly raw: RawParameters;
  /** For callers who are bound to nothing. */
  bound?: BoundQuery;
  /** For callers who are bound to tenants, of whom this one is named. */
  tenant?: string;
  tenantBound?: BoundQuery;
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
  asked.tenant ??= tenantOf(query, raw);
  if (!projects.has(asked.tenant)) throw forbiddenTenant(query);
  asked.tenantBound ??= bindTenant(query, raw, asked.tenant);
  return asked.tenantBound;
}

/** True where the holder can get an answer at all: what cannot be asked is not listed either. */
export function isOpenTo({ endpoints, projects }: Principal, { id, tenant }: SavedQuery): boolean {
  return (endpoints?.has(id) ?? true) && (projects === undefined || tenant !== undefined);
}
