import type { Catalog } from '../catalog/saved-query.ts';

export const graphqlPath = '/graphql';

/** Every response below this path is JSON. */
export const apiPath = '/api/';

/** Followed by the name or UUID of a saved query. */
export const endpointPath = '/api/endpoints/query/';

export const healthPath = '/healthz';
export const readinessPath = '/readyz';

/**
 * A path as the access log shows it: unchanged if it leads somewhere, else `unknown`. A path that leads nowhere may
 * contain anything, for example a key pasted into the wrong place.
 */
export function buildRedactPath({ queries }: Catalog): (pathname: string) => string {
  const known = new Set([
    graphqlPath,
    healthPath,
    readinessPath,
    ...queries.flatMap(({ id, name }) => [endpointPath + id, endpointPath + name]),
  ]);
  return (pathname) => (known.has(pathname) ? pathname : unknownPath);
}

export const unknownPath = 'unknown';
