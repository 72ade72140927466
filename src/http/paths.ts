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

/** The page that lists the endpoints. */
export const homePath = '/';
/** Followed by the name of a saved query: its page. */
export const queryPagePath = '/queries/';

/** Files that pages load: `/assets/<set>/<hash>/<name>`. */
export const assetsPath = '/assets/';

/** What may follow an address in the path of an endpoint. */
const formatSuffixes: readonly string[] = formatNames.map((name) => `.${name}`);

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
    homePath,
  ];
  const pages = [...queriesByName(queries).keys()].map((name) => queryPagePath + name);
  const paths = new Map([...others, ...pages].map((path) => [path, path]));
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

/** The same for any other path: the folder of a page's files, whose names change with the version. */
export function folderToLog(pathname: string): string {
  return pathname.startsWith(assetsPath) ? assetsPath : unknownPath;
}

/**
 * The name in the path of an endpoint that does not exist, for operators who look for what callers miss. It is one that a
 * saved query could have and is words of letters only, which no key is that was made at random.
 */
export function missingNameToLog(url: string | undefined): string | undefined {
  const pathname = url === undefined ? undefined : URL.parse(url)?.pathname;
  if (pathname === undefined || !pathname.startsWith(endpointPath)) return undefined;
  const name = pathname.slice(endpointPath.length);
  return name.length <= maxLoggedName && namePattern.test(name) ? name : undefined;
}

const maxLoggedName = 64;

const namePattern = /^[a-z]+(?:[._-][a-z]+)*$/;
