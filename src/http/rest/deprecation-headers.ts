import { lookUpName } from '../../catalog/model/find-query.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { endpointPath } from '../message/paths.ts';
import type { Reply } from '../message/reply.ts';

/** The reply, saying so if its endpoint is deprecated. */
export type WithDeprecation = (reply: Reply, query: SavedQuery) => Reply;

/**
 * Adds `Deprecation`, `Sunset` and `Link` to replies of deprecated endpoints.
 *
 * @see RFC 9745, RFC 8594, RFC 5829
 */
export function buildWithDeprecation(catalog: Catalog): WithDeprecation {
  const headersOf = new Map(
    catalog.queries.flatMap((query) => {
      const headers = deprecationHeaders(query, catalog);
      return headers === undefined ? [] : [[query, headers] as const];
    }),
  );
  /** By reply: one that is sent again must stay the same object, because the server caches by identity what it makes of it. */
  const made = new WeakMap<Reply, Reply>();
  return (reply, query) => {
    const added = query.deprecated === undefined ? undefined : headersOf.get(query);
    if (added === undefined) return reply;
    const known = made.get(reply);
    if (known !== undefined) return known;
    const { status, headers, body, recycle, onSent } = reply;
    const marked = { status, headers: { ...headers, ...added }, body, recycle, onSent };
    made.set(reply, marked);
    return marked;
  };
}

function deprecationHeaders({ deprecated }: SavedQuery, catalog: Catalog): Reply['headers'] | undefined {
  if (deprecated === undefined) return undefined;
  const { since, sunset, successor } = deprecated;
  // While the gateway runs, the successor may be removed.
  const hasSuccessor = successor !== undefined && lookUpName(catalog, successor) !== undefined;
  return {
    deprecation: `@${startOf(since).getTime() / 1000}`,
    ...(sunset === undefined ? {} : { sunset: startOf(sunset).toUTCString() }),
    ...(hasSuccessor ? { link: `<${endpointPath}${successor}>; rel="successor-version"` } : {}),
  };
}

const startOf = (day: string) => new Date(`${day}T00:00:00Z`);
