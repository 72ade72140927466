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

/** @throws GatewayError BAD_REQUEST if the URL is missing or invalid */
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
    const request = new PreparedRequest(url, pathToLog(url.pathname) ?? unknownPath, lists);
    const routed = { request, routeOf: routesAt(url.pathname) };
    if (text.length <= maxPreparedLength) prepared.set(text, routed);
    return routed;
  };
}
