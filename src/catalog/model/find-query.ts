import { GatewayError, type Refusal } from '../../errors.ts';
import type { Catalog, SavedQuery } from './saved-query.ts';
import { queriesByName } from './versions.ts';

/**
 * The saved query with a name, UUID or alias; a name with a number means that version.
 *
 * @throws GatewayError UNKNOWN_QUERY
 * @see spec "What the service does": both forms reach the same query
 */
export function findQuery(catalog: Catalog, address: string): SavedQuery {
  const found = lookUpQuery(catalog, address);
  if (found !== undefined) return found;
  // An operator is to see what clients miss.
  throw unknownQuery(looksLikeName(address) ? { reason: 'no such endpoint', endpoint: address } : undefined);
}

/** True if a text is more likely the name of an endpoint than a key, or another secret that was pasted into a path. */
const looksLikeName = (text: string): boolean =>
  text.length <= 64 && /^[a-z]{1,24}\d{0,3}(?:[._-][a-z]{1,24}\d{0,3})*(?:@\d{1,4})?$/.test(text);

/** The error for a saved query that does not exist. @param refusal for the operator, if it is hidden */
export function unknownQuery(refusal?: Refusal): GatewayError {
  return new GatewayError(
    'UNKNOWN_QUERY',
    'No endpoint has this name or UUID; the GraphQL field endpoints lists all of them',
    { ...(refusal && { refusal }) },
  );
}

/** The parts of a saved query that address it. */
export type QueryAddresses = Pick<SavedQuery, 'id' | 'name' | 'aliases' | 'isDefault'>;

/** As `findQuery`; undefined if no saved query has this name, UUID or alias. */
export function lookUpQuery<Query extends QueryAddresses>(
  { queries }: { readonly queries: readonly Query[] },
  address: string,
): Query | undefined {
  return lookUpName({ queries }, address) ?? queries.find((query) => hasId(query, address));
}

/** The saved query with a name or alias: `name` means the default version, `name@<number>` always the same one. */
export function lookUpName<Query extends QueryAddresses>(
  { queries }: { readonly queries: readonly Query[] },
  name: string,
): Query | undefined {
  return queriesByName(queries).get(name) ?? queries.find((query) => hasAlias(query, name));
}

const hasAlias = ({ aliases }: Pick<SavedQuery, 'aliases'>, address: string): boolean =>
  aliases.length > 0 && aliases.includes(lowerCaseUuid(address));

/** UUIDs are compared without case. */
export function hasId({ id }: Pick<SavedQuery, 'id'>, uuid: string): boolean {
  return id === uuid.toLowerCase();
}

/** A UUID in lower case; any other text as it is. */
export function lowerCaseUuid(text: string): string {
  return uuidPattern.test(text) ? text.toLowerCase() : text;
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
