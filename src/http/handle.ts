import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { GatewayError } from '../errors.ts';
import { corsHeaders, preflightHeaders } from './access/cors.ts';
import type { InFlightLimit } from './access/in-flight-limit.ts';
import type { RefuseKeys } from './access/refuse-keys.ts';
import { replyGraphqlError } from './graphql/errors.ts';
import { isPageRequest } from './graphql/graphiql.ts';
import { graphqlPath } from './graphql/graphql.ts';
import { headOfFetch, type RequestHead } from './head.ts';
import { healthPaths } from './redact-path.ts';
import { type Reply, replyError, replyJson, toResponse } from './reply.ts';
import { apiPath } from './rest/rest.ts';
import { securityHeaders } from './security-headers.ts';

export interface Doors {
  readonly rest: (incoming: RequestHead, url: URL) => Promise<Reply>;
  readonly graphql: (request: Request, incoming: RequestHead) => Promise<Response>;
  /** The page for people who explore, where there is one. */
  readonly page: ((incoming: RequestHead) => Promise<Reply>) | undefined;
  /** Looks at every request first. */
  readonly refuseKeys: RefuseKeys;
  /** False while no new question should come: the service is ending. */
  readonly isReady: () => boolean;
  readonly crowd: InFlightLimit;
  /** A path as the log may have it. */
  readonly loggedPath: (pathname: string | undefined) => string;
}

export interface Router {
  /** Answers any request. It never rejects. */
  fetch(request: Request): Promise<Response>;
  /** Answers a request that needs no body, which is every one but GraphQL's. It never rejects. */
  reply(incoming: RequestHead): Promise<Reply>;
}

const graphqlMethods = 'GET, POST, OPTIONS';
const readingMethods = 'GET, HEAD, OPTIONS';

/** True for what only `fetch` answers: GraphQL's operations. */
export function isOperation(incoming: RequestHead): boolean {
  const { method, url } = incoming;
  if (url?.pathname !== graphqlPath) return false;
  return method === 'POST' || (method === 'GET' && !isPageRequest(incoming));
}

/** Leads a request to its door, and gives every response what all doors owe: CORS headers, and a line in the log. */
export function buildRouter(doors: Doors, { corsOrigins }: Config, log: Logger): Router {
  const logged = (started: number, { method, url, noted }: RequestHead, status: number) => {
    const ms = Math.round(performance.now() - started);
    log.info({ method, path: doors.loggedPath(url?.pathname), status, ms, ...noted }, 'request');
  };
  const reply = async (incoming: RequestHead): Promise<Reply> => {
    const started = performance.now();
    const { status, headers, body } = await route(doors, corsOrigins, log, incoming);
    logged(started, incoming, status);
    // The page may hold the key: it is for nobody's scripts.
    const cors = isPageRequest(incoming) ? {} : corsHeaders(corsOrigins, incoming);
    return { status, headers: withCors(headers, cors), body };
  };
  return {
    reply,
    async fetch(request) {
      const started = performance.now();
      const incoming = headOfFetch(request);
      if (!isOperation(incoming)) return toResponse(await reply(incoming), request.method);
      const response = await operation(doors, log, request, incoming);
      for (const [name, value] of Object.entries(securityHeaders)) response.headers.set(name, value);
      for (const [name, value] of Object.entries(corsHeaders(corsOrigins, incoming))) {
        response.headers.append(name, value);
      }
      logged(started, incoming, response.status);
      return response;
    },
  };
}

async function operation(
  { graphql, refuseKeys, crowd }: Doors,
  log: Logger,
  request: Request,
  incoming: RequestHead,
): Promise<Response> {
  try {
    if (incoming.url !== undefined) refuseKeys(incoming.url);
    crowd.refuse();
    refuseLong(incoming);
    return await graphql(request, incoming);
  } catch (error) {
    return toResponse(replyGraphqlError(error, log));
  }
}

async function route(
  doors: Doors,
  origins: Config['corsOrigins'],
  log: Logger,
  incoming: RequestHead,
): Promise<Reply> {
  try {
    const { method, url } = incoming;
    if (url === undefined) {
      throw new GatewayError(
        'BAD_REQUEST',
        'The request names no place: its target or its header Host is none',
      );
    }
    doors.refuseKeys(url);
    const { pathname } = url;
    if (healthPaths.includes(pathname)) {
      return method === 'OPTIONS'
        ? options(origins, incoming, readingMethods)
        : health(doors, incoming, pathname);
    }
    doors.crowd.refuse();
    refuseLong(incoming);
    const isApi = pathname.startsWith(apiPath);
    if (method === 'OPTIONS' && (isApi || pathname === graphqlPath)) {
      return options(origins, incoming, isApi ? readingMethods : graphqlMethods);
    }
    if (isApi) return await doors.rest(incoming, url);
    if (pathname === graphqlPath) return await page(doors, log, incoming);
    throw new GatewayError(
      'NOT_FOUND',
      `Nothing stands here; GraphQL stands at ${graphqlPath}, REST under ${apiPath}`,
    );
  } catch (error) {
    return replyError(error, log);
  }
}

function options(origins: Config['corsOrigins'], incoming: RequestHead, methods: string): Reply {
  const headers = { ...securityHeaders, ...preflightHeaders(origins, incoming, methods) };
  return { status: 204, headers, body: undefined };
}

/** What stands at GraphQL's path and is no operation. */
async function page({ page }: Doors, log: Logger, incoming: RequestHead): Promise<Reply> {
  if (!isPageRequest(incoming)) {
    const refused = new GatewayError(
      'METHOD_NOT_ALLOWED',
      `${incoming.method} is not allowed here; use POST or GET`,
    );
    return replyGraphqlError(refused, log, { allow: graphqlMethods });
  }
  if (page !== undefined) return page(incoming);
  const refused = new GatewayError(
    'NOT_FOUND',
    'There is no page here: GRAPHIQL is off; programs ask with POST and Content-Type: application/json',
  );
  return replyGraphqlError(refused, log);
}

function health({ isReady }: Doors, { method }: RequestHead, pathname: string): Reply {
  if (method !== 'GET' && method !== 'HEAD') {
    throw new GatewayError('METHOD_NOT_ALLOWED', `${method} is not allowed here; use GET`);
  }
  if (pathname === '/healthz') return replyJson(200, '{"status":"ok"}');
  return isReady() ? replyJson(200, '{"status":"ready"}') : replyJson(503, '{"status":"ending"}');
}

/** The longest URL that is read, in characters; longer operations are sent by POST. */
export const maxUrlLength = 8_192;

function refuseLong({ url }: RequestHead): void {
  if (url === undefined || url.href.length <= maxUrlLength) return;
  throw new GatewayError(
    'URL_TOO_LONG',
    `The URL has ${url.href.length} characters; at most ${maxUrlLength} are read`,
  );
}

function withCors(headers: Reply['headers'], cors: Reply['headers']): Reply['headers'] {
  if (cors.vary === undefined && cors['access-control-allow-origin'] === undefined) return headers;
  const vary = [headers.vary, cors.vary].filter((names) => names !== undefined).join(', ');
  return vary === '' ? { ...headers, ...cors } : { ...headers, ...cors, vary };
}
