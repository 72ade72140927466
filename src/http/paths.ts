import type { Catalog } from '../catalog/saved-query.ts';

export const graphqlPath = '/graphql';

/** Every response below this path is JSON. */
export const apiPath = '/api/';

/** Followed by the name or UUID of a saved query. */
export const endpointPath = '/api/endpoints/query/';

export const healthPath = '/healthz';
/** The same, as other systems name it: Supabase's compose file and Kubernetes' own components. */
export const livePath = '/livez';
export const plainHealthPath = '/health';
export const readinessPath = '/readyz';
export const metricsPath = '/metrics';

/**
 * The paths that the access log shows, and what it shows: for an alias the path with the query's own name. Others are logged
 * as `unknown`: they may contain anything, for example a key pasted into the wrong place.
 */
export function pathsToLog({ queries }: Catalog): ReadonlyMap<string, string> {
  const others = [graphqlPath, healthPath, livePath, plainHealthPath, readinessPath, metricsPath];
  const paths = new Map(others.map((path) => [path, path]));
  for (const { id, name, aliases } of queries) {
    for (const address of [id, name]) paths.set(endpointPath + address, endpointPath + address);
    for (const alias of aliases) paths.set(endpointPath + alias, endpointPath + name);
  }
  return paths;
}

export const unknownPath = 'unknown';
