import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { Ask } from '../answer/answer.ts';
import type { Catalog } from '../catalog/saved-query.ts';
import type { GatewayError } from '../errors.ts';
import type { Authenticate } from './auth.ts';
import { cacheHeaders, etagOf, isKnown } from './cache-headers.ts';
import { buildContext, type Context, type Given } from './context.ts';
import { fromRequest, type Incoming } from './incoming.ts';
import type { KeysInText } from './keys-in-text.ts';
import { replyJson, retryHeaders, toGatewayError, toResponse, variesBy } from './respond.ts';
import { buildSchema } from './schema.ts';
import { beginVisit, type Visit } from './visit.ts';

export interface GraphqlOptions {
  readonly catalog: Catalog;
  readonly ask: Ask;
  readonly authenticate: Authenticate;
  readonly keysInText: KeysInText;
  readonly log: Logger;
  readonly now: () => Date;
}

/** What the server knows of a request besides the request. */
interface Server {
  readonly visit: Visit;
  readonly given: Given;
}

export const graphqlPath = '/graphql';

/** The largest request body that is read, in bytes: queries are text that people write. */
const maxBodyBytes = 256 * 1024;

/** The GraphQL door. Every operation needs the key, introspection too. */
export function buildGraphql({
  catalog,
  ask,
  authenticate,
  keysInText,
  log,
  now,
}: GraphqlOptions): (request: Request, incoming: Incoming) => Promise<Response> {
  const yoga = createYoga<Server, Context>({
    schema: buildSchema(catalog),
    context: ({ request, visit, given }) =>
      buildContext({ ask, incoming: fromRequest(request), visit, given }),
    plugins: [noteErrors],
    graphqlEndpoint: graphqlPath,
    maskedErrors: { maskError: (error) => told(error, log) },
    // The router does these for all doors; the page that explores is of our own, and needs no internet.
    cors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
    multipart: false,
    maxRequestBodySize: maxBodyBytes,
  });

  return async (request, incoming) => {
    const given: Given = { answers: [], hasErrors: false };
    let visit: Visit | undefined;
    try {
      if (incoming.url !== undefined) keysInText.refuse(incoming.url);
      visit = beginVisit(authenticate(incoming), incoming, now);
      if (visit.refusal !== undefined) throw visit.refusal;
      const response = await yoga.fetch(request, { visit, given });
      const answered =
        request.method === 'GET'
          ? await withCacheHeaders(response, given, incoming.header('if-none-match'), now())
          : response;
      return tell(visit, answered);
    } catch (error) {
      const refused = toGatewayError(error, log);
      const { code, message, status } = refused;
      const body = JSON.stringify({ errors: [{ message, extensions: { code } }] });
      return tell(visit, toResponse(replyJson(status, body, retryHeaders(refused))));
    }
  };
}

function tell(visit: Visit | undefined, response: Response): Response {
  for (const [name, value] of Object.entries(visit?.headers ?? {})) response.headers.set(name, value);
  return response;
}

/** A response that tells of errors is one that no cache may keep. */
const noteErrors: Plugin<object, Server> = {
  onExecutionResult({ result, context: { given } }) {
    given.hasErrors ||= result === undefined || !('data' in result) || result.errors !== undefined;
  },
};

/** What GET queries are told as REST callers are, computed over all answers of the request. */
async function withCacheHeaders(
  response: Response,
  { answers, hasErrors }: Given,
  ifNoneMatch: string | undefined,
  now: Date,
): Promise<Response> {
  const { status } = response;
  const headers = new Headers(response.headers);
  if (status !== 200 || hasErrors || answers.length === 0) {
    headers.set('cache-control', 'no-store');
    return new Response(response.body, { status, headers });
  }
  const body = await response.text();
  const etag = etagOf(createHash('sha256').update(body).digest('base64url'));
  const told = { etag, ...cacheHeaders(answers, now), vary: `${variesBy}, Accept` };
  for (const [name, value] of Object.entries(told)) headers.set(name, value);
  if (!isKnown(etag, ifNoneMatch)) return new Response(body, { status, headers });
  for (const name of ['content-type', 'content-length']) headers.delete(name);
  return new Response(null, { status: 304, headers });
}

/** Errors in the caller's document stay as they are; what a resolver threw is told as the REST door tells it. */
function told(error: unknown, log: Logger): Error {
  if (!(error instanceof GraphQLError)) return toGraphql(toGatewayError(error, log));
  const { originalError } = error;
  if (originalError === undefined || originalError instanceof GraphQLError) return withoutEcho(error);
  return toGraphql(toGatewayError(originalError, log), error);
}

function toGraphql(error: GatewayError, at?: GraphQLError): GraphQLError {
  const { code, message, parameter } = error;
  const extensions = {
    code,
    ...(parameter === undefined ? {} : { parameter }),
    // Yoga makes headers of the response out of these, and leaves them out of its body.
    ...(error.retryAfterSeconds === undefined ? {} : { http: { headers: retryHeaders(error) } }),
  };
  return new GraphQLError(message, { extensions, nodes: at?.nodes, path: at?.path });
}

/** An error in the caller's document. Yoga tells of a malformed body by quoting it, and a body may hold anything. */
function withoutEcho(error: GraphQLError): GraphQLError {
  if (error.extensions.originalError === undefined) {
    // graphql-js gives errors in variables no code.
    error.extensions.code ??= 'BAD_USER_INPUT';
    return error;
  }
  return new GraphQLError(error.message, {
    extensions: { code: error.extensions.code, http: { status: 400 } },
  });
}
