import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { queriesByName } from '../../catalog/model/versions.ts';

/** Of GraphQL. */
export const graphqlPath = '/graphql';

/** Every error below this path is JSON. */
export const apiPath = '/api/';

/** Followed by the name or UUID of a saved query. */
export const endpointPath = '/api/endpoints/query/';

/** Says whether the process lives. */
export const healthPath = '/healthz';
/** The same, as Kubernetes' own components name it. */
export const livePath = '/livez';
/** The same, as Supabase's compose file names it. */
export const plainHealthPath = '/health';
/** Says whether the gateway takes requests. */
export const readinessPath = '/readyz';

/**
 * The path as the access log shows it: for an alias the path with the query's own name. Others are logged as `unknown`: they
 * may contain anything, for example a key pasted into the wrong place.
 */
export type PathToLog = (pathname: string) => string | undefined;

const otherPaths: ReadonlySet<string> = new Set([
  graphqlPath,
  healthPath,
  livePath,
  plainHealthPath,
  readinessPath,
]);

/**
 * @param extensions of the forms of rows, which may follow an address
 * @param ofPlugins of the routes of plug-ins
 */
export function pathsToLog(
  catalog: Pick<Catalog, 'queries'>,
  extensions: readonly string[],
  ofPlugins: PathToLog,
): PathToLog {
  const endpointAt = endpointPaths(catalog, extensions);
  return (pathname) =>
    otherPaths.has(pathname) ? pathname : (endpointAt(pathname)?.shown ?? ofPlugins(pathname));
}

interface EndpointPath {
  /** The path with the name instead of an alias, and without percent-encoding. */
  readonly shown: string;
  readonly query: SavedQuery;
}

/**
 * Finds the endpoint of a path. An address comes before one with a format: a name may look like another one with a format.
 *
 * A large catalog has several ten thousand such paths, which are not listed.
 */
export function endpointPaths(
  { queries }: Pick<Catalog, 'queries'>,
  extensions: readonly string[],
): (pathname: string) => EndpointPath | undefined {
  const named = addressesOf(queries);
  const suffixes = ['', ...extensions.map((name) => `.${name}`)];
  return (pathname) => {
    if (!pathname.startsWith(endpointPath)) return undefined;
    const rest = pathname.slice(endpointPath.length);
    for (const suffix of suffixes) {
      const found = rest.endsWith(suffix) && named.get(rest.slice(0, rest.length - suffix.length));
      if (found) return { shown: endpointPath + found.name + suffix, query: found.query };
    }
    return undefined;
  };
}

interface Address {
  /** That is shown for it. */
  readonly name: string;
  readonly query: SavedQuery;
}

/** By what a path may have: UUIDs, aliases and names, and `%40` for the `@` of a version. */
function addressesOf(queries: readonly SavedQuery[]): ReadonlyMap<string, Address> {
  const found = new Map<string, Address>();
  for (const query of queries) {
    const { id, name, aliases } = query;
    found.set(id, { name: id, query });
    for (const alias of aliases) found.set(alias, { name, query });
  }
  for (const [name, query] of queriesByName(queries)) {
    found.set(name, { name, query });
    if (name.includes('@')) found.set(name.replace('@', '%40'), { name, query });
  }
  return found;
}

export const unknownPath = 'unknown';

/**
 * The name in the path of an endpoint that does not exist, for operators who look for what callers miss. It is one that a
 * saved query could have and is words of letters only, which no key is that was made at random.
 */
export function missingNameToLog(url: string | undefined): string | undefined {
  const pathname = url === undefined ? undefined : URL.parse(url)?.pathname;
  return pathname === undefined ? undefined : plainNameIn(pathname);
}

/** The same of a path. */
export function plainNameIn(pathname: string): string | undefined {
  if (!pathname.startsWith(endpointPath)) return undefined;
  const name = pathname.slice(endpointPath.length);
  return name.length <= maxLoggedName && namePattern.test(name) ? name : undefined;
}

const maxLoggedName = 64;

const namePattern = /^[a-z]+(?:[._-][a-z]+)*$/;
