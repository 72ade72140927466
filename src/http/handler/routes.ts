import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import type { Cors } from '../access/cors.ts';
import { acceptedEvents } from '../graphql/media-type.ts';
import { checkMediaTypes } from '../graphql/read-operation.ts';
import { replyGraphqlError } from '../graphql/refusal.ts';
import { isRead, type RequestHead } from '../message/head.ts';
import {
  apiPath,
  endpointPath,
  graphqlPath,
  healthPath,
  livePath,
  type PathToLog,
  plainHealthPath,
  plainNameIn,
  readinessPath,
} from '../message/paths.ts';
import { type Reply, replyError, replyJson } from '../message/reply.ts';
import type { Answer, NamedRoute, Route } from '../message/route.ts';
import { buildPluginRoutes, isPageRequest, type RouteByHead } from './plugin-routes.ts';
import type { Readiness } from './readiness.ts';

export interface RouteOptions {
  readonly rest: Answer;
  readonly graphql: Answer;
  /** They precede the gateway's own. */
  readonly plugins: readonly NamedRoute[];
  readonly readiness: Readiness;
  readonly cors: Cors;
  readonly log: Logger;
  /** For the paths in messages: callers reach the gateway below it. */
  readonly basePath: string;
}

/** Finds the routes of a path. */
export type RoutesAt = (pathname: string) => RouteByHead;

const readMethods = 'GET, HEAD, OPTIONS';
const graphqlMethods = 'GET, HEAD, POST, OPTIONS';

/**
 * Besides those of plug-ins:
 *
 * | path | GET, HEAD | POST | OPTIONS |
 * |---|---|---|---|
 * | `/healthz`, `/livez`, `/health`, `/readyz` | health | 405 | methods |
 * | `/api/endpoints/query/<name or UUID>` | REST | 405 | methods |
 * | `/api/…` | 404 | 404 | methods |
 * | `/graphql` | operation | operation | methods |
 * | a page for browsers | 404 for programs | 405 | methods |
 * | any other | 404 | 404 | 404 |
 */
export function buildRoutes(options: RouteOptions): {
  readonly routesAt: RoutesAt;
  readonly loggedPath: PathToLog;
} {
  const { rest, graphql, plugins, readiness, cors, log, basePath } = options;
  const endpointsAt = (name: string) => `REST endpoints are at ${basePath}${endpointPath}${name}`;
  const routeText = (pathname: string, head: RequestHead): string | undefined => {
    if (endpointPattern.test(pathname)) return endpointsAt(plainNameIn(pathname) ?? '<name or UUID>');
    if (exact.has(pathname)) return basePath + pathname;
    return ofPlugins.answers(pathname, head) ? basePath + (ofPlugins.loggedPath(pathname) ?? '') : undefined;
  };
  const optionsRoute = (methods: string, base: Base = anybody): Route => ({
    ...base,
    answer: (head: RequestHead) => ({
      status: 204,
      headers: base.allowsCors ? cors.preflightHeaders(head, methods) : { allow: methods },
      body: undefined,
    }),
  });
  const health = (get: () => Reply) =>
    byMethod({ ...always, answer: get }, optionsRoute(readMethods, always), failing(notAllowed, always));
  const restOptions = optionsRoute(readMethods);
  const endpoint = byMethod({ ...keyed, answer: rest, isKept: isRestKept }, restOptions, failing(notAllowed));
  const liveness = health(() => replyJson(200, '{"status":"ok"}'));
  const api = `GraphQL is at ${basePath}${graphqlPath}, REST under ${basePath}${apiPath}`;
  const noPage = failing(() => notFoundError(`${pageForBrowsers}; ${api}`));
  const forBrowsers = byMethod(noPage, restOptions, failing(notAllowed));
  const ofPlugins = buildPluginRoutes(plugins, optionsRoute);
  const exact = new Map<string, RouteByHead>([
    [healthPath, liveness],
    [livePath, liveness],
    [plainHealthPath, liveness],
    [readinessPath, readinessRoutes(health(readiness.brief), health(readiness.verbose), readiness)],
    [graphqlPath, graphqlRoutes(graphql, optionsRoute(graphqlMethods), log)],
  ]);
  const apiAt = (pathname: string): RouteByHead => {
    if (endpointPattern.test(pathname)) return endpoint;
    const noApi = failing(() => notFoundError(endpointsAt('<name or UUID>')));
    return withoutSlashes(pathname, byMethod(noApi, restOptions, noApi));
  };
  const otherwise = (pathname: string): RouteByHead => {
    if (ofPlugins.hasPage(pathname)) return forBrowsers;
    const notFound = failing(() => notFoundError(api));
    const fallback = ofPlugins.fallbackAt(pathname, () => notFound);
    const named = withoutSlashes(pathname, fallback);
    return (head) => (isPageRequest(head) ? fallback : named)(head);
  };
  const routesAt: RoutesAt = (pathname) => {
    const own = pathname.startsWith(apiPath) ? apiAt(pathname) : exact.get(pathname);
    return ofPlugins.routesAt(pathname, own ?? otherwise(pathname));
  };
  const withoutSlashes = buildWithoutSlashes(routesAt, routeText);
  return { loggedPath: ofPlugins.loggedPath, routesAt };
}

/** With a key, `/readyz?verbose` says more: the key is checked as for any other request. */
function readinessRoutes(brief: RouteByHead, verbose: RouteByHead, { verboseFor }: Readiness): RouteByHead {
  const withKey: Route = { ...keyed, answer: (_head, _request, { principal }) => verboseFor(principal) };
  return (head) => {
    if (!/^[^?]*\?(?:.*&)?verbose\b/.test(head.url ?? '')) return brief(head);
    const { 'x-api-key': key, authorization } = head.headers;
    return isRead(head) && (key !== undefined || authorization !== undefined) ? withKey : verbose(head);
  };
}

/** HEAD has headers of its own, and a caller who waits gets a later result. */
export const isRestKept = ({ method, headers: { prefer } }: RequestHead) =>
  method === 'GET' && prefer === undefined;

function isGraphqlKept(head: RequestHead): boolean {
  if (head.method === 'HEAD') return false;
  const { accept, 'content-type': type, 'content-encoding': coding } = head.headers;
  const acceptsJson = accept === undefined || accept === '*/*' || accept === 'application/json';
  // Most clients send these headers, which are recognised without parsing them.
  if (acceptsJson && type === 'application/json' && coding === undefined) return true;
  checkMediaTypes(head);
  return acceptedEvents(accept) === undefined;
}

const endpointPattern = new RegExp(`^${endpointPath}[^/]+$`);

type Base = Omit<Route, 'answer'>;

const always: Base = { access: 'always', replyError, allowsCors: true };
const anybody: Base = { access: 'public', replyError, allowsCors: true };
const keyed: Base = { access: 'key', replyError, allowsCors: true };

function byMethod(get: Route, options: Route, otherwise: Route): RouteByHead {
  const routes = new Map([
    ['GET', get],
    ['HEAD', get],
    ['OPTIONS', options],
  ]);
  return ({ method }) => routes.get(method) ?? otherwise;
}

function failing(error: (head: RequestHead) => GatewayError, base: Base = anybody): Route {
  return {
    ...base,
    answer(head) {
      throw error(head);
    },
  };
}

const notAllowed = ({ method }: RequestHead) =>
  new GatewayError('METHOD_NOT_ALLOWED', `${method} is not allowed here; use GET`);

/** Says which slashes of a path are wrong, if it is a route without them. */
interface WrongSlashes {
  readonly wrong: string;
  /** The path without them. */
  readonly plain: string;
}

/** @returns undefined if the path has none */
function wrongSlashesOf(pathname: string): WrongSlashes | undefined {
  const merged = pathname.replaceAll(/\/{2,}/g, '/');
  const plain = merged.replace(/(?<=.)\/$/, '');
  if (plain === pathname) return undefined;
  const isDoubled = pathname.replace(/(?<!\/)\/+$/, '').includes('//');
  const wrong = [
    ...(isDoubled || merged === plain ? ['the doubled slash'] : []),
    ...(merged === plain ? [] : ['the slash at the end of the path']),
  ];
  return { wrong: wrong.join(', and '), plain };
}

/**
 * Makes the routes of a path that is a route without some slashes: an error in the form of that route, which names it, and
 * its own answer to OPTIONS, so that pages may read the error. Other paths have what is given for them.
 *
 * @param routeText of the route at a path, if there is one
 */
function buildWithoutSlashes(
  routesAt: RoutesAt,
  routeText: (pathname: string, head: RequestHead) => string | undefined,
) {
  return (pathname: string, otherwise: RouteByHead): RouteByHead => {
    const slashes = wrongSlashesOf(pathname);
    if (slashes === undefined) return otherwise;
    const { wrong, plain } = slashes;
    const meant = routesAt(plain);
    return (head) => {
      const route = routeText(plain, head);
      if (route === undefined) return otherwise(head);
      const { replyError } = meant(head);
      return head.method === 'OPTIONS'
        ? meant(head)
        : failing(() => notFoundError(`leave out ${wrong}: ${route}`), { ...anybody, replyError });
    };
  };
}

const notFoundError = (cure: string) => new GatewayError('NOT_FOUND', `Not found; ${cure}`);

const pageForBrowsers = 'browsers, which accept text/html and send no key, get a page here';

/** For requests before their route is found, or whose URL cannot be parsed. */
export const notFoundRoute: Route = failing(() => new GatewayError('NOT_FOUND', 'Not found'));

function graphqlRoutes(graphql: Answer, options: Route, log: Logger): RouteByHead {
  const operation: Route = {
    ...keyed,
    answer: graphql,
    replyError: replyGraphqlError,
    isKept: isGraphqlKept,
  };
  const replyNoPage = (head: RequestHead) =>
    replyGraphqlError(new GatewayError('NOT_FOUND', noGraphqlPage), log, head);
  const base: Base = { ...anybody, replyError: replyGraphqlError };
  const page: Route = { ...base, answer: replyNoPage, allowsCors: false };
  const otherMethod: Route = {
    ...base,
    answer(head) {
      const message = `${head.method} is not allowed here; use POST or GET`;
      const allow = graphqlMethods;
      return replyGraphqlError(new GatewayError('METHOD_NOT_ALLOWED', message), log, head, { allow });
    },
  };
  return (head) => {
    if (head.method === 'POST') return operation;
    if (isPageRequest(head)) return page;
    if (isRead(head)) return operation;
    return head.method === 'OPTIONS' ? options : otherMethod;
  };
}

const noGraphqlPage =
  'There is no page for browsers here; programs send POST with Content-Type: application/json';
