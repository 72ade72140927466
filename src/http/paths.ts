import type { Catalog, SavedQuery } from '../catalog/saved-query.ts';
import { queriesByName } from '../catalog/versions/versions.ts';
import { formatNames } from '../formats/format.ts';

export const graphqlPath = '/graphql';

/** Every error below this path is JSON. */
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
/** The same for people, as a page. */
export const readerPath = '/openapi';

/** What may follow an address in the path of an endpoint. */
export const formatSuffixes: readonly string[] = formatNames.map((name) => `.${name}`);

/**
 * The paths that the access log shows, and what it shows: for an alias the path with the query's own name. Others are logged
 * as `unknown`: they may contain anything, for example a key pasted into the wrong place.
 */
export function pathsToLog({ queries }: Catalog): ReadonlyMap<string, string> {
  const others = [
    graphqlPath,
    healthPath,
    livePath,
    plainHealthPath,
    readinessPath,
    metricsPath,
    openapiPath,
    readerPath,
  ];
  const paths = new Map(others.map((path) => [path, path]));
  for (const { path, shown } of endpointPaths({ queries })) paths.set(path, shown);
  return paths;
}

interface EndpointPath {
  readonly path: string;
  /** The same, but with the name instead of an alias, and without percent-encoding. */
  readonly shown: string;
  readonly query: SavedQuery;
}

/** Every path of every endpoint. Of two equal ones the later one counts: a name may look like another one with a format. */
export function endpointPaths({ queries }: Pick<Catalog, 'queries'>): readonly EndpointPath[] {
  const addresses = [
    ...queries.flatMap((query) => [
      { address: query.id, name: query.id, query },
      ...query.aliases.map((address) => ({ address, name: query.name, query })),
    ]),
    ...[...queriesByName(queries)].flatMap(([name, query]) => [
      { address: name, name, query },
      ...(name.includes('@') ? [{ address: name.replace('@', '%40'), name, query }] : []),
    ]),
  ];
  return [...formatSuffixes, ''].flatMap((suffix) =>
    addresses.map(({ address, name, query }) => ({
      path: endpointPath + address + suffix,
      shown: endpointPath + name + suffix,
      query,
    })),
  );
}

export const unknownPath = 'unknown';
