import { GatewayError } from '../../errors.ts';
import type { Parameter, SavedQuery } from '../model/saved-query.ts';
import { type BoundQuery, bindTexts } from './bind.ts';
import { type RawParameters, rawTexts, textsOf } from './list-values.ts';
import { fillTenantPattern } from './patterns/tenant-pattern.ts';

/** A query bound to tenants; it reads no other tenant's rows. */
export interface TenantBinding {
  /** Those that the parameters name: one, or those of a list. */
  readonly tenants: readonly string[];
  readonly bound: BoundQuery;
}

/**
 * As `bind`, for a caller who is restricted to some tenants: the parameters must name one of them, or a list of them.
 *
 * @throws GatewayError FORBIDDEN, before any other parameter is checked; then as `bind` does
 */
export function bindForTenants(
  query: SavedQuery,
  raw: RawParameters,
  allowed: ReadonlySet<string>,
  now = Date.now(),
): TenantBinding {
  const tenants = tenantsOf(query, raw);
  if (!areAllowed(tenants, allowed)) throw forbiddenTenant(query, tenants, allowed);
  return { tenants, bound: bindTenants(query, raw, tenants, now) };
}

/** True if a caller may read every one of the tenants, of which there must be at least one. */
export const areAllowed = (tenants: readonly string[], allowed: ReadonlySet<string>): boolean =>
  tenants.length > 0 && tenants.every((tenant) => allowed.has(tenant));

/**
 * The tenants that the parameters name, as the caller wrote them: they are compared literally, so they are not matched,
 * trimmed or lowercased. None if the parameter is absent, or a list without values.
 *
 * @throws GatewayError FORBIDDEN if the query has no tenant; INVALID_PARAMETER if the parameter is repeated and no list
 */
export function tenantsOf(query: SavedQuery, raw: RawParameters): readonly string[] {
  const { tenant } = query;
  const parameter = query.parameters.find(({ name }) => name === tenant?.parameter);
  if (parameter === undefined) throw withoutTenant(query);
  return rawTexts(parameter, raw) ?? (parameter.default === undefined ? [] : textsOf(parameter.default));
}

/** The error for a query that has no tenant, to a caller who is restricted to some. */
export const withoutTenant = ({ name }: Pick<SavedQuery, 'name'>): GatewayError =>
  new GatewayError(
    'FORBIDDEN',
    'This key is restricted to tenants, and this endpoint cannot be limited to one tenant',
    { refusal: { reason: 'endpoint', endpoint: name } },
  );

/** More tenants of a key are not listed. */
const maxListedTenants = 20;

/** The error for other tenants. It does not reveal whether they have rows; a caller may know its own ones. */
export function forbiddenTenant(
  query: SavedQuery,
  tenants: readonly string[],
  allowed: ReadonlySet<string>,
): GatewayError {
  const name = query.tenant?.parameter ?? '';
  const at = tenants.findIndex((tenant) => !allowed.has(tenant));
  const isList = query.parameters.some((parameter) => parameter.name === name && parameter.repeated);
  const place = isList && at >= 0 ? `value ${at + 1}: ` : '';
  const wrong = tenants.length === 0 ? 'is missing' : `${place}this key has no access to it`;
  const right = isList ? 'send only tenants' : 'send one of the tenants';
  const own = allowed.size > maxListedTenants ? '' : `: ${[...allowed].sort().join(', ')}`;
  return new GatewayError(
    'FORBIDDEN',
    `${name}: ${wrong}; ${right} that the key is restricted to, spelled exactly${own}`,
    { parameter: name, refusal: { reason: 'tenant', endpoint: query.name, tenant: tenants[at] ?? '' } },
  );
}

/**
 * The query for some tenants. If the parameter is a pattern, the query's `tenant_pattern` replaces the caller's.
 *
 * @param tenants from `tenantsOf`, and such that the caller may read
 * @throws GatewayError as `bind` does
 */
export function bindTenants(
  query: SavedQuery,
  raw: RawParameters,
  tenants: readonly string[],
  now = Date.now(),
): BoundQuery {
  if (query.tenant === undefined) throw new Error(`${query.name} has no tenant`);
  const { parameter, pattern } = query.tenant;
  const texts =
    pattern === undefined ? tenants : tenants.map((tenant) => fillTenantPattern(pattern, parameter, tenant));
  const textsOf = (declared: Parameter) => (declared.name === parameter ? texts : rawTexts(declared, raw));
  return bindTexts(query, textsOf, now, raw.keys());
}

/**
 * The tenants whose rows a bound query returns, as their callers name them.
 *
 * @param allowed those of the caller: a pattern in a bound query is made of one of them
 */
export function tenantsOfBound(
  { query, parameters }: BoundQuery,
  allowed: ReadonlySet<string> | undefined,
): readonly string[] {
  if (query.tenant === undefined) return [];
  const { parameter, pattern } = query.tenant;
  return textsOf(parameters[parameter] ?? '').map((text) => {
    if (pattern === undefined || allowed === undefined) return text;
    return [...allowed].find((tenant) => fillTenantPattern(pattern, parameter, tenant) === text) ?? text;
  });
}
