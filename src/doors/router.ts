import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { GatewayError } from '../errors.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import { isPageRequest } from './graphiql.ts';
import { graphqlPath } from './graphql.ts';
import { fromRequest, type Incoming } from './incoming.ts';
import { type Reply, replyError, replyJson, toResponse } from './respond.ts';
import { apiPath } from './rest.ts';

export interface Doors {
  readonly rest: (incoming: Incoming, url: URL) => Promise<Reply>;
  readonly graphql: (request: Request, incoming: Incoming) => Promise<Response>;
  /** The page for people who explore. */
  readonly page: (url: URL) => Promise<Response>;
  /** A path as it may stand in a log. */
  readonly redact: (path: string) => string;
  /** False while no new question should come: the service is ending. */
  readonly isReady: () => boolean;
}

export interface Router {
  /** Answers any request. It never rejects. */
  fetch(request: Request): Promise<Response>;
  /** Answers a request that needs no body, which is every one but GraphQL's. It never rejects. */
  reply(incoming: Incoming): Promise<Reply>;
}

/** True for what only `fetch` answers. */
export function isGraphql({ method, url }: Incoming): boolean {
  return url?.pathname === graphqlPath && method !== 'OPTIONS';
}

/** Leads a request to its door, and gives every response what all doors owe: CORS headers, and a line in the log. */
export function buildRouter(doors: Doors, { corsOrigins }: Config, log: Logger): Router {
  const logged = (started: number, { method, url, noted }: Incoming, status: number) => {
    const ms = Math.round(performance.now() - started);
    // The path only: a query string may hold what should not be in a log.
    log.info({ method, path: url && doors.redact(url.pathname), status, ms, ...noted }, 'request');
  };
  const reply = async (incoming: Incoming): Promise<Reply> => {
    const started = performance.now();
    const { status, headers, body } = await route(doors, log, incoming);
    logged(started, incoming, status);
    return { status, headers: withCors(headers, corsHeaders(corsOrigins, incoming)), body };
  };
  return {
    reply,
    async fetch(request) {
      const started = performance.now();
      const incoming = fromRequest(request);
      if (!isGraphql(incoming)) return toResponse(await reply(incoming), request.method);
      const response = await graphql(doors, log, request, incoming);
      for (const [name, value] of Object.entries(corsHeaders(corsOrigins, incoming))) {
        response.headers.append(name, value);
      }
      logged(started, incoming, response.status);
      return response;
    },
  };
}

async function graphql(doors: Doors, log: Logger, request: Request, incoming: Incoming): Promise<Response> {
  const { url } = incoming;
  try {
    if (url !== undefined && isPageRequest(request)) return await doors.page(url);
    const response = await doors.graphql(request, incoming);
    return request.method === 'HEAD' ? new Response(null, response) : response;
  } catch (error) {
    return toResponse(replyError(error, log), request.method);
  }
}

async function route(doors: Doors, log: Logger, incoming: Incoming): Promise<Reply> {
  try {
    const { method, url } = incoming;
    if (url === undefined) {
      throw new GatewayError('BAD_REQUEST', 'The header Host is not one; send the host alone');
    }
    const { pathname } = url;
    const isApi = pathname.startsWith(apiPath);
    if (method === 'OPTIONS' && (isApi || pathname === graphqlPath)) {
      const methods = isApi ? 'GET, HEAD, OPTIONS' : 'GET, POST, OPTIONS';
      return { status: 204, headers: preflightHeaders(methods), body: undefined };
    }
    if (isApi) return await doors.rest(incoming, url);
    if ((pathname === '/healthz' || pathname === '/readyz') && !['GET', 'HEAD'].includes(method)) {
      throw new GatewayError('METHOD_NOT_ALLOWED', `${method} is not allowed here; use GET`);
    }
    if (pathname === '/healthz') return replyJson(200, '{"status":"ok"}');
    if (pathname === '/readyz') {
      return doors.isReady() ? replyJson(200, '{"status":"ready"}') : replyJson(503, '{"status":"ending"}');
    }
    throw new GatewayError(
      'NOT_FOUND',
      `Nothing stands here; GraphQL stands at ${graphqlPath}, REST under ${apiPath}`,
    );
  } catch (error) {
    return replyError(error, log);
  }
}

function withCors(headers: Reply['headers'], cors: Reply['headers']): Reply['headers'] {
  if (cors.vary === undefined && cors['access-control-allow-origin'] === undefined) return headers;
  const vary = [headers.vary, cors.vary].filter((names) => names !== undefined).join(', ');
  return vary === '' ? { ...headers, ...cors } : { ...headers, ...cors, vary };
}
