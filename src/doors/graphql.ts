import { GraphQLError } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { Ask } from '../answer/answer.ts';
import type { Catalog } from '../catalog/saved-query.ts';
import type { GatewayError } from '../errors.ts';
import type { Authenticate } from './auth.ts';
import { buildContext, type Context } from './context.ts';
import { respondJson, retryHeaders, toGatewayError } from './respond.ts';
import { buildSchema } from './schema.ts';

export interface GraphqlOptions {
  readonly catalog: Catalog;
  readonly ask: Ask;
  readonly authenticate: Authenticate;
  readonly log: Logger;
}

export const graphqlPath = '/graphql';

/** The largest request body that is read, in bytes: queries are text that people write. */
const maxBodyBytes = 256 * 1024;

/** The GraphQL door. Every operation needs the key, introspection too. */
export function buildGraphql({
  catalog,
  ask,
  authenticate,
  log,
}: GraphqlOptions): (request: Request) => Promise<Response> {
  const yoga = createYoga<object, Context>({
    schema: buildSchema(catalog),
    context: ({ request }) => buildContext(ask, request),
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

  return async (request) => {
    try {
      authenticate(request.headers);
    } catch (error) {
      const { code, message, status } = toGatewayError(error, log);
      return respondJson(status, JSON.stringify({ errors: [{ message, extensions: { code } }] }));
    }
    return yoga.fetch(request);
  };
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
