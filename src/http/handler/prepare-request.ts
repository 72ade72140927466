import { LRUCache } from 'lru-cache';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import { type PathToLog, unknownPath } from '../message/paths.ts';
import { listNames, PreparedRequest } from '../message/prepared-request.ts';
import type { RouteByHead } from './plugin-routes.ts';
import type { RoutesAt } from './routes.ts';

/** A request as far as its URL says it, and its route by the rest of it. */
interface RoutedRequest {
  readonly request: PreparedRequest;
  readonly routeOf: RouteByHead;
}

/** @throws GatewayError BAD_REQUEST if the URL is missing or invalid; NOT_FOUND if `URL` reads another path */
export type PrepareRequest = (url: string | undefined) => RoutedRequest;

interface PrepareOptions {
  /** Its lists may have many values. */
  readonly catalog: Pick<Catalog, 'queries'>;
  /** As `pathsToLog` gives it. */
  readonly pathToLog: PathToLog;
  readonly routesAt: RoutesAt;
}

/** How many URLs are kept: dashboards send the same few again and again. */
const maxPrepared = 1_000;

/** A longer URL is hardly sent twice, and would take memory. */
const maxPreparedLength = 2_048;

export function buildPrepareRequest({ catalog, pathToLog, routesAt }: PrepareOptions): PrepareRequest {
  const lists = new Set(catalog.queries.flatMap(listNames));
  const prepared = new LRUCache<string, RoutedRequest>({ max: maxPrepared });
  return (text) => {
    const known = text === undefined ? undefined : prepared.get(text);
    if (known !== undefined) return known;
    const url = text === undefined ? null : URL.parse(text);
    if (text === undefined || url === null) {
      throw new GatewayError(
        'BAD_REQUEST',
        'Invalid request target or Host header, or more than one Host or Authorization header',
      );
    }
    requireSamePath(text);
    const request = new PreparedRequest(url, pathToLog(url.pathname) ?? unknownPath, lists);
    const routed = { request, routeOf: routesAt(url.pathname) };
    if (text.length <= maxPreparedLength) prepared.set(text, routed);
    return routed;
  };
}

/** The path of an absolute URL as received, which has a host: `URL` takes that of `http:///host/path` from the path. */
const receivedPath = /^[a-z][a-z\d+.-]*:\/\/[^/?#\\]+(?<path>[^?]*)/i;

const dotSegment = /\/(?:\.|%2e){1,2}(?=\/|$)/i;

/**
 * Requires that `URL` leaves the path as it is, and cuts nothing. It turns `\` to `/`, resolves segments of dots, and cuts at
 * `#`, in the query too: a proxy that lets a request pass would have judged another one than is answered. No request target
 * has a backslash or a fragment (RFC 3986, 3.3; RFC 9112, 3.2).
 *
 * @see URL Standard, "path state"
 * @throws GatewayError BAD_REQUEST | NOT_FOUND
 */
function requireSamePath(text: string): void {
  const path = receivedPath.exec(text)?.groups?.path;
  if (path === undefined) throw new GatewayError('NOT_FOUND', 'Not found; the request target has no host');
  if (path.includes('\\')) throw new GatewayError('BAD_REQUEST', 'The path has a \\, which is sent as %5C');
  if (text.includes('#')) throw new GatewayError('BAD_REQUEST', 'The URL has a #, which is sent as %23');
  if (dotSegment.test(path))
    throw new GatewayError('NOT_FOUND', 'Not found; leave out . and .. between slashes of the path');
}
