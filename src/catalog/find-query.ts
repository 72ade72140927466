import { GatewayError, type Refusal } from '../errors.ts';
import type { Catalog, SavedQuery } from './saved-query.ts';

/**
 * The saved query with a name or UUID.
 *
 * @throws GatewayError UNKNOWN_QUERY
 * @see spec "What the service does": both forms reach the same query
 */
export function findQuery(catalog: Catalog, nameOrId: string): SavedQuery {
  const found = lookUpQuery(catalog, nameOrId);
  if (found !== undefined) return found;
  throw unknownQuery();
}

/** @param refusal if the query exists, but the caller is not to see that */
export function unknownQuery(refusal?: Refusal): GatewayError {
  return new GatewayError(
    'UNKNOWN_QUERY',
    'No endpoint has this name or UUID; the GraphQL field endpoints lists all of them',
    { ...(refusal && { refusal }) },
  );
}

/** As `findQuery`; undefined if no saved query has this name or UUID. */
export function lookUpQuery<Query extends Pick<SavedQuery, 'id' | 'name'>>(
  { queries }: { readonly queries: readonly Query[] },
  nameOrId: string,
): Query | undefined {
  return queries.find((query) => query.name === nameOrId || hasId(query, nameOrId));
}

/** UUIDs are compared without case. */
export function hasId({ id }: Pick<SavedQuery, 'id'>, uuid: string): boolean {
  return id === uuid.toLowerCase();
}
