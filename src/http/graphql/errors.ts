import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { type ErrorCode, type GatewayError, statusOf } from '../../errors.ts';
import { type Reply, replyJson, retryHeaders, toGatewayError } from '../reply.ts';

/** A refusal of the request as a whole: its status is the code's, not 200, whatever the caller accepts. */
export function refusal(code: ErrorCode, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status: statusOf[code], spec: false } } });
}

/** A refusal of what never reaches the GraphQL server, in the shape of its errors. */
export function replyGraphqlError(error: unknown, log: Logger, headers: Reply['headers'] = {}): Reply {
  const gatewayError = toGatewayError(error, log);
  const { code, message, status } = gatewayError;
  const body = JSON.stringify({ errors: [{ message, extensions: { code } }] });
  return replyJson(status, body, { ...retryHeaders(gatewayError), ...headers });
}

/** Errors in the caller's document stay as they are; what a resolver threw is told as the REST door tells it. */
export function told(error: unknown, log: Logger): Error {
  if (!(error instanceof GraphQLError)) return toGraphql(toGatewayError(error, log));
  const { originalError } = error;
  if (originalError === undefined || originalError instanceof GraphQLError) return inOwnWords(error);
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

/** A value that is quoted may be as long as a body. */
const longestMessage = 300;

/**
 * An error in the caller's document: short, and without names that the caller did not write.
 *
 * @param code where graphql-js gives it none
 */
export function inOwnWords(error: GraphQLError, code = 'BAD_USER_INPUT'): GraphQLError {
  // The server's own code for what the table has a code for.
  if (error.extensions.code === 'REQUEST_ENTITY_TOO_LARGE') return bodyTooLarge();
  error.extensions.code ??= code;
  const { http } = error.extensions;
  // The server would tell some refusals of ours with 200.
  if (typeof http === 'object' && String(error.extensions.code) in statusOf)
    error.extensions.http = { ...http, spec: false };
  const message = withoutSuggestion(error.message);
  if (message === error.message) return error;
  const { extensions, nodes, path, source, positions } = error;
  return new GraphQLError(message, { extensions, nodes, path, source, positions });
}

function bodyTooLarge(): GraphQLError {
  return refusal('BODY_TOO_LARGE', `The body is larger than ${maxBodyBytes} bytes; ask in several requests`);
}

/** The largest request body that is read, in bytes: queries are text that people write. */
export const maxBodyBytes = 256 * 1024;

/** Who asks has the schema, or is not to have it. */
function withoutSuggestion(message: string): string {
  const plain = message.replace(/ ?Did you mean [^?]*\?$/, '');
  return plain.length > longestMessage ? `${plain.slice(0, longestMessage)}…` : plain;
}
