import { GatewayError } from '../errors.ts';
import type { Catalog, SavedQuery } from './saved-query.ts';

/**
 * The saved query at an address: its name or its UUID.
 *
 * @throws GatewayError UNKNOWN_QUERY
 * @see spec "What the service does": both forms reach the same query
 */
export function findQuery({ queries }: Catalog, address: string): SavedQuery {
  const id = address.toLowerCase();
  const found = queries.find((query) => query.name === address || query.id === id);
  if (found !== undefined) return found;
  throw new GatewayError(
    'UNKNOWN_QUERY',
    'No endpoint has this name or UUID; GraphQL lists them under endpoints',
  );
}
