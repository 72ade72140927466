import { GatewayError } from '../../errors.ts';
import type { SavedQuery } from '../saved-query.ts';
import { type BoundQuery, bindTexts, type RawParameters, singleText } from './bind.ts';
import { fillTenantPattern } from './tenant-pattern.ts';

/** A query bound to one tenant; it reads no other tenant's rows. */
export interface TenantBinding {
  readonly tenant: string;
  readonly bound: BoundQuery;
}

/**
 * As `bind`, for a caller who is restricted to some tenants: the parameters must name one of them.
 *
 * @throws GatewayError FORBIDDEN, before any other parameter is checked; then as `bind` does
 */
export function bindForTenants(
  query: SavedQuery,
  raw: RawParameters,
  tenants: ReadonlySet<string>,
): TenantBinding {
  const tenant = tenantOf(query, raw);
  if (!tenants.has(tenant)) throw forbiddenTenant(query, tenant);
  return { tenant, bound: bindTenant(query, raw, tenant) };
}

/**
 * The tenant that the parameters name, as the caller wrote it: it is compared literally, so it is not matched,
 * trimmed or lowercased. '' if they name none.
 *
 * @throws GatewayError FORBIDDEN if the query has no tenant; INVALID_PARAMETER if the parameter is repeated
 */
export function tenantOf(query: SavedQuery, raw: RawParameters): string {
  const { tenant } = query;
  const parameter = query.parameters.find(({ name }) => name === tenant?.parameter);
  if (parameter === undefined) {
    throw new GatewayError(
      'FORBIDDEN',
      'This key is restricted to tenants, and this endpoint cannot be limited to one tenant',
      { refusal: { reason: 'endpoint', endpoint: query.name } },
    );
  }
  return singleText(parameter, raw) || (parameter.default ?? '');
}

/** The error for another tenant. It does not reveal whether that tenant has rows. */
export function forbiddenTenant(query: SavedQuery, tenant: string): GatewayError {
  const parameter = query.tenant?.parameter ?? '';
  return new GatewayError(
    'FORBIDDEN',
    `${parameter}: this key has no access to it; send one of the tenants that the key is restricted to, spelled exactly`,
    { parameter, refusal: { reason: 'tenant', endpoint: query.name, tenant } },
  );
}

/**
 * The query for one tenant. If the parameter is a pattern, the query's `tenant_pattern` replaces the caller's.
 *
 * @param tenant from `tenantOf`, and one that the caller may read
 * @throws GatewayError as `bind` does
 */
export function bindTenant(query: SavedQuery, raw: RawParameters, tenant: string): BoundQuery {
  if (query.tenant === undefined) throw new Error(`${query.name} has no tenant`);
  const { parameter, pattern } = query.tenant;
  const tenantText = pattern === undefined ? tenant : fillTenantPattern(pattern, parameter, tenant);
  return bindTexts(query, (declared) =>
    declared.name === parameter ? tenantText : singleText(declared, raw),
  );
}
