import { lookUpQuery } from '../../catalog/model/find-query.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { getOrAdd } from '../../get-or-add.ts';
import { endpointPath } from '../../http/message/paths.ts';
import type { Reply } from '../../http/message/reply.ts';

/** Headers of replies with the rows of a deprecated query. */
export type HeadersOf = (query: SavedQuery, deprecated: Deprecated) => Reply['headers'];

/**
 * `Deprecation`, `Sunset` and `Link`.
 *
 * @see RFC 9745, RFC 8594, RFC 5829
 */
export function buildHeadersOf(catalog: Catalog, basePath = ''): HeadersOf {
  const known = new WeakMap<SavedQuery, Reply['headers']>();
  return (query, deprecated) =>
    getOrAdd(known, query, () => deprecationHeaders(deprecated, catalog, basePath));
}

function deprecationHeaders(
  { since, sunset, successor }: Deprecated,
  catalog: Catalog,
  basePath: string,
): Reply['headers'] {
  // While the gateway runs, the successor may be removed.
  const hasSuccessor = successor !== undefined && lookUpQuery(catalog, successor) !== undefined;
  // Relative to the address of the endpoint, if it is not known below which path a proxy serves it.
  const start = basePath === '' ? '' : basePath + endpointPath;
  return {
    deprecation: `@${startOf(since).getTime() / 1000}`,
    ...(sunset === undefined ? {} : { sunset: startOf(sunset).toUTCString() }),
    ...(hasSuccessor ? { link: `<${start}${successor}>; rel="successor-version"` } : {}),
  };
}

const startOf = (day: string) => new Date(`${day}T00:00:00Z`);

type Deprecated = NonNullable<SavedQuery['deprecated']>;
