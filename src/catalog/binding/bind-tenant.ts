import { GatewayError } from '../../errors.ts';
import type { SavedQuery } from '../saved-query.ts';
import { type BoundQuery, bind, givenOnce, type RawParameters } from './bind.ts';
import { fillTenantPattern } from './tenant-pattern.ts';

/**
 * Whose rows a question is about, as a caller who is bound to tenants must name them: literally. Nothing is matched, cut or
 * folded here; '' where the caller names nobody.
 *
 * @throws GatewayError FORBIDDEN where the query has no tenant; INVALID_PARAMETER where more than one is named
 */
export function tenantOf(query: SavedQuery, raw: RawParameters): string {
  const { tenant } = query;
  const parameter = query.parameters.find(({ name }) => name === tenant?.parameter);
  if (parameter === undefined) {
    throw new GatewayError(
      'FORBIDDEN',
      'This key is bound to projects, and this endpoint cannot be asked for one project only',
    );
  }
  const given = givenOnce(parameter, raw.get(parameter.name) ?? []);
  return given === '' ? (parameter.default ?? '') : given;
}

/** The refusal of another tenant's rows. It tells nothing of whether there are any. */
export function forbiddenTenant({ tenant }: SavedQuery): GatewayError {
  const parameter = tenant?.parameter ?? '';
  return new GatewayError(
    'FORBIDDEN',
    `${parameter}: this key may not read that; give one of the references that the key is bound to, as it is written`,
    { parameter },
  );
}

/**
 * The question as it runs for one tenant: where the parameter is a pattern, the query's own pattern takes the place of the
 * caller's.
 *
 * @param value what `tenantOf` gave, once it is known to be the caller's
 * @throws GatewayError as `bind` does
 */
export function bindTenant(query: SavedQuery, raw: RawParameters, value: string): BoundQuery {
  const { tenant } = query;
  if (tenant === undefined) throw new Error(`${query.name} has no tenant`);
  const { parameter, pattern } = tenant;
  const runs = pattern === undefined ? value : fillTenantPattern(pattern, parameter, value);
  return bind(query, new Map(raw).set(parameter, [runs]));
}
