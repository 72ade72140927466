import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import type { Cors } from '../access/cors.ts';
import { replyGraphqlError } from '../graphql/errors.ts';
import type { RequestHead } from '../message/head.ts';
import {
  apiPath,
  assetsPath,
  endpointPath,
  graphqlPath,
  healthPath,
  homePath,
  livePath,
  metricsPath,
  openapiPath,
  plainHealthPath,
  queryPagePath,
  readerPath,
  readinessPath,
} from '../message/paths.ts';
import { type Reply, replyError, replyJson } from '../message/reply.ts';
import type { Answer, Route } from '../message/route.ts';
import type { Readiness } from './readiness.ts';

interface CompatRest {
  readonly rest: Answer;
  readonly replyError: Route['replyError'];
}

export interface RouteOptions {
  readonly rest: Answer;
  /** Answers REST requests in its place, POST too; undefined without COMPAT. */
  readonly compat: CompatRest | undefined;
  readonly graphql: Answer;
  readonly openapi: Answer;
  /** The page that shows it; undefined if it is off. */
  readonly reader: Answer | undefined;
  /** GraphiQL; undefined if it is off. */
  readonly page: Answer | undefined;
  /** The pages of the saved queries; undefined if they are off. */
  readonly pages: Answer | undefined;
  /** The files of the pages that are on, by the name of their set. */
  readonly assets: ReadonlyMap<string, Answer>;
  /** `/metrics`; undefined if nothing is counted. */
  readonly metrics: Answer | undefined;
  readonly readiness: Readiness;
  readonly cors: Cors;
  readonly log: Logger;
}

/** Finds the route of a request. */
export type RouteOf = (head: RequestHead, pathname: string) => Route;

type RouteByMethod = (head: RequestHead) => Route;

const readMethods = 'GET, HEAD, OPTIONS';
const graphqlMethods = 'GET, POST, OPTIONS';
const compatMethods = 'GET, HEAD, POST, OPTIONS';

/**
 * | path | GET, HEAD | POST | OPTIONS |
 * |---|---|---|---|
 * | `/healthz`, `/livez`, `/health`, `/readyz` | health | 405 | methods |
 * | `/metrics` | metrics | 405 | methods |
 * | `/openapi.json` | OpenAPI document | 405 | methods |
 * | `/openapi` | the page that shows it | 405 | methods |
 * | `/api/endpoints/query/<name or UUID>` | REST | 405; with COMPAT REST | methods |
 * | `/api/…` | 404 | 404 | methods |
 * | `/graphql` | operation (GET), or GraphiQL for browsers | operation | methods |
 * | `/`, `/queries/<name>` | for browsers a page, otherwise 404 | 404 | 404 |
 * | `/assets/<set>/…` | a file of a page | 405 | methods |
 * | any other | 404 | 404 | 404 |
 */
export function buildRoutes(options: RouteOptions): RouteOf {
  const {
    rest,
    compat,
    graphql,
    openapi,
    reader,
    page: graphiql,
    pages,
    assets,
    metrics,
    readiness,
    cors,
    log,
  } = options;
  const optionsRoute = (methods: string, base: Base = anybody): Route => ({
    ...base,
    answer: (head: RequestHead) => ({
      status: 204,
      headers: cors.preflightHeaders(head, methods),
      body: undefined,
    }),
  });
  const health = (get: () => Reply) =>
    byMethod({ ...always, answer: get }, optionsRoute(readMethods, always), failing(notAllowed, always));
  const restOptions = optionsRoute(readMethods);
  const endpoint =
    compat === undefined
      ? byMethod({ ...keyed, answer: rest }, restOptions, failing(notAllowed))
      : compatRoutes(compat, optionsRoute(compatMethods));
  const otherApi = byMethod(failing(apiNotFound), restOptions, failing(apiNotFound));
  const liveness = health(() => replyJson(200, '{"status":"ok"}'));
  const page = (answer: Answer) =>
    byMethod({ ...anybody, allowsCors: false, answer }, optionsRoute(readMethods), failing(notAllowed));
  const exact = new Map<string, RouteByMethod>([
    [healthPath, liveness],
    [livePath, liveness],
    [plainHealthPath, liveness],
    [readinessPath, readinessRoutes(health(readiness.brief), health(readiness.verbose), readiness)],
    [openapiPath, byMethod({ ...keyed, answer: openapi }, optionsRoute(readMethods), failing(notAllowed))],
    [graphqlPath, graphqlRoutes(graphql, graphiql, optionsRoute(graphqlMethods), log)],
  ]);
  if (metrics !== undefined) {
    const route: Route = { ...keyed, allowsCors: false, answer: metrics };
    exact.set(metricsPath, byMethod(route, optionsRoute(readMethods), failing(notAllowed)));
  }
  const files = new Map([...assets].map(([set, answer]) => [set, page(answer)]));
  if (reader !== undefined) exact.set(readerPath, page(reader));
  const queryPage: Route | undefined = pages && { ...anybody, allowsCors: false, answer: pages };
  return (head, pathname) => {
    if (pathname.startsWith(apiPath)) return (endpointPattern.test(pathname) ? endpoint : otherApi)(head);
    const route = exact.get(pathname);
    if (route !== undefined) return route(head);
    if (pagePattern.test(pathname)) return (isPageRequest(head) ? queryPage : undefined) ?? notFoundRoute;
    return files.get(setPattern.exec(pathname)?.groups?.set ?? '')?.(head) ?? notFoundRoute;
  };
}

/** With a key, `/readyz?verbose` says more: the key is checked as for any other request. */
function readinessRoutes(
  brief: RouteByMethod,
  verbose: RouteByMethod,
  { verboseFor }: Readiness,
): RouteByMethod {
  const withKey: Route = { ...keyed, answer: (_head, _request, { principal }) => verboseFor(principal) };
  return (head) => {
    if (!/\?(?:.*&)?verbose\b/.test(head.url ?? '')) return brief(head);
    const { 'x-api-key': key, authorization } = head.headers;
    const isRead = head.method === 'GET' || head.method === 'HEAD';
    return isRead && (key !== undefined || authorization !== undefined) ? withKey : verbose(head);
  };
}

const pagePattern = new RegExp(`^(?:${homePath}|${queryPagePath}[^/]+)$`);

const setPattern = new RegExp(`^${assetsPath}(?<set>[^/]+)/`);

const endpointPattern = new RegExp(`^${endpointPath}[^/]+$`);

type Base = Omit<Route, 'answer'>;

const always: Base = { access: 'always', replyError, allowsCors: true };
const anybody: Base = { access: 'public', replyError, allowsCors: true };
const keyed: Base = { access: 'key', replyError, allowsCors: true };

function byMethod(get: Route, options: Route, otherwise: Route): RouteByMethod {
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

/** REST as clients of another service use it. */
function compatRoutes({ rest, replyError }: CompatRest, options: Route): RouteByMethod {
  const read: Route = { ...keyed, answer: rest, replyError };
  const otherMethod: Route = {
    ...anybody,
    answer({ method }) {
      throw new GatewayError('METHOD_NOT_ALLOWED', `${method} is not allowed here; use GET or POST`);
    },
    replyError(error, log) {
      const { status, headers, body } = replyError(error, log);
      return { status, headers: { ...headers, allow: compatMethods }, body };
    },
  };
  const route = byMethod(read, options, otherMethod);
  return (head) => (head.method === 'POST' ? read : route(head));
}

const notAllowed = ({ method }: RequestHead) =>
  new GatewayError('METHOD_NOT_ALLOWED', `${method} is not allowed here; use GET`);

const apiNotFound = () =>
  new GatewayError('NOT_FOUND', `Not found; REST endpoints are at ${endpointPath}<name or UUID>`);

/** For every other path, and for requests whose URL cannot be parsed. */
export const notFoundRoute: Route = failing(
  () => new GatewayError('NOT_FOUND', `Not found; GraphQL is at ${graphqlPath}, REST under ${apiPath}`),
);

function graphqlRoutes(
  graphql: Answer,
  page: RouteOptions['page'],
  options: Route,
  log: Logger,
): RouteByMethod {
  const operation: Route = { ...keyed, answer: graphql, replyError: replyGraphqlError };
  const replyOff = () => replyGraphqlError(new GatewayError('NOT_FOUND', pageIsOff), log);
  // The page may contain the key: no page of another origin may read it.
  const graphiql: Route = { ...anybody, answer: page ?? replyOff, allowsCors: false };
  const otherMethod: Route = {
    ...anybody,
    answer({ method }) {
      const message = `${method} is not allowed here; use POST or GET`;
      const allow = graphqlMethods;
      return replyGraphqlError(new GatewayError('METHOD_NOT_ALLOWED', message), log, { allow });
    },
  };
  return (head) => {
    if (isPageRequest(head)) return graphiql;
    if (head.method === 'POST' || head.method === 'GET') return operation;
    return head.method === 'OPTIONS' ? options : otherMethod;
  };
}

const pageIsOff =
  'GraphiQL is disabled: GRAPHIQL is off; programs send POST with Content-Type: application/json';

/** True if a browser requests a page. Some programs accept whatever browsers do, but they send a key. */
function isPageRequest({ method, headers }: RequestHead): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  return headers['x-api-key'] === undefined && (headers.accept ?? '').includes('text/html');
}
