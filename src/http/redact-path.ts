import type { Catalog } from '../catalog/saved-query.ts';
import { graphqlPath } from './graphql/graphql.ts';
import { queriesPath } from './rest/rest.ts';

export const healthPaths = ['/healthz', '/readyz'];

/**
 * How a path is told in the log: as it is where it leads somewhere, else not at all. A path that leads nowhere may hold
 * anything, a key that was pasted into the wrong place too.
 */
export function buildKnownPaths({ queries }: Catalog): (pathname: string | undefined) => string {
  const known = new Set([
    graphqlPath,
    ...healthPaths,
    ...queries.flatMap(({ id, name }) => [queriesPath + id, queriesPath + name]),
  ]);
  return (pathname = '') => (known.has(pathname) ? pathname : 'unknown');
}
