import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { GatewayError } from '../errors.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import { isPageRequest } from './graphiql.ts';
import { graphqlPath } from './graphql.ts';
import { respondError, respondJson } from './respond.ts';
import { apiPath } from './rest.ts';

export interface Doors {
  readonly rest: (request: Request, url: URL) => Promise<Response>;
  readonly graphql: (request: Request) => Promise<Response>;
  /** The page for people who explore. */
  readonly page: (url: URL) => Promise<Response>;
  /** False while no new question should come: the service is ending. */
  readonly isReady: () => boolean;
}

/** Leads a request to its door, and gives every response what all doors owe: CORS headers, and a line in the log. */
export function buildRouter(
  doors: Doors,
  { corsOrigins }: Config,
  log: Logger,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const started = performance.now();
    const url = URL.parse(request.url) ?? undefined;
    const routed = await route(doors, log, request, url);
    const response = request.method === 'HEAD' ? new Response(null, routed) : routed;
    for (const [name, value] of Object.entries(corsHeaders(corsOrigins, request))) {
      response.headers.append(name, value);
    }
    const ms = Math.round(performance.now() - started);
    // The path only: a query string may hold what should not be in a log.
    log.info({ method: request.method, path: url?.pathname, status: response.status, ms }, 'request');
    return response;
  };
}

async function route(doors: Doors, log: Logger, request: Request, url: URL | undefined): Promise<Response> {
  try {
    if (url === undefined)
      throw new GatewayError('BAD_REQUEST', 'The header Host is not one; send the host alone');
    const { pathname } = url;
    const isApi = pathname.startsWith(apiPath);
    const isGraphql = pathname === graphqlPath;
    if (request.method === 'OPTIONS' && (isApi || isGraphql)) {
      const methods = isApi ? 'GET, HEAD, OPTIONS' : 'GET, POST, OPTIONS';
      return new Response(null, { status: 204, headers: preflightHeaders(methods) });
    }
    if (isApi) return await doors.rest(request, url);
    if (isGraphql) return await (isPageRequest(request) ? doors.page(url) : doors.graphql(request));
    if ((pathname === '/healthz' || pathname === '/readyz') && !['GET', 'HEAD'].includes(request.method)) {
      throw new GatewayError('METHOD_NOT_ALLOWED', `${request.method} is not allowed here; use GET`);
    }
    if (pathname === '/healthz') return respondJson(200, '{"status":"ok"}');
    if (pathname === '/readyz') {
      return doors.isReady()
        ? respondJson(200, '{"status":"ready"}')
        : respondJson(503, '{"status":"ending"}');
    }
    throw new GatewayError(
      'NOT_FOUND',
      `Nothing stands here; GraphQL stands at ${graphqlPath}, REST under ${apiPath}`,
    );
  } catch (error) {
    return respondError(error, log);
  }
}
