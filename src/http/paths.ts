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

/** The REST interface as an OpenAPI document. */
export const openapiPath = '/openapi.json';

/**
 * The paths that the access log shows. Others are logged as `unknown`: they may contain anything, for example a key pasted
 * into the wrong place.
 */
export function pathsToLog({ queries }: Catalog): ReadonlySet<string> {
  return new Set([
    graphqlPath,
    healthPath,
    livePath,
    plainHealthPath,
    readinessPath,
    metricsPath,
    openapiPath,
    ...queries.flatMap(({ id, name }) => [endpointPath + id, endpointPath + name]),
  ]);
}

export const unknownPath = 'unknown';
