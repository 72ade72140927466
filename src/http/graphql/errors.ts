import { shorten } from '@querygate/text';
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { type ErrorCode, GatewayError, statusOf } from '../../errors.ts';
import { httpLimits } from '../message/http-limits.ts';
import { errorHeaders, type Reply, toGatewayError } from '../message/reply.ts';

/** An error of the request as a whole: its status is the code's, not 200, whatever the caller accepts. */
export function requestError(code: ErrorCode, message: string, headers: Reply['headers'] = {}): GraphQLError {
  const http = { status: statusOf[code], spec: false, headers };
  return new GraphQLError(message, { extensions: { code, http } });
}

/** The document exceeds a limit of `httpLimits`. */
export const operationTooLarge = (message: string): GraphQLError =>
  requestError('OPERATION_TOO_LARGE', message);

/** For graphql-js, which prints the whole object in each error about a member of a variable. */
export const errorOptions = {
  hideSuggestions: true,
  options: { maxCoercionErrors: httpLimits.maxDocumentErrors },
};

/** The rows of one response are more than `maxResponseBytes`. */
export function responseTooLarge(): GatewayError {
  return new GatewayError(
    'QUERY_TOO_EXPENSIVE',
    `The response would have more than ${httpLimits.maxResponseBytes / 1e6} MB of rows; split it into several requests`,
  );
}

/** The rows of one response that are written as objects are more than `maxExecutorBytes`. */
export function tooLargeForObjects(): GatewayError {
  return new GatewayError(
    'QUERY_TOO_EXPENSIVE',
    `Rows may have at most ${httpLimits.maxExecutorBytes / 1e6} MB in one response if results of entities are selected from them, or if a variable of @skip or @include is null; request fewer rows`,
  );
}

/** Errors in the caller's document are kept; what a resolver threw is reported as REST reports it. */
export function maskError(error: unknown, log: Logger): GraphQLError {
  if (!(error instanceof GraphQLError)) return toGraphqlError(toGatewayError(error, log));
  const { originalError } = error;
  if (originalError === undefined || originalError instanceof GraphQLError)
    return sanitizeDocumentError(error);
  return toGraphqlError(toGatewayError(originalError, log), error);
}

function toGraphqlError(error: GatewayError, location?: GraphQLError): GraphQLError {
  const { code, message, parameter } = error;
  const headers = errorHeaders(error);
  const extensions = {
    code,
    ...(parameter === undefined ? {} : { parameter }),
    // Yoga turns these into headers of the response and omits them from its body.
    ...(Object.keys(headers).length === 0 ? {} : { http: { headers } }),
  };
  const shown = new GraphQLError(message, { extensions, path: location?.path });
  // It is written as a new one: its own locations would be found in vain, by a search through the whole document.
  return Object.assign(shown, { nodes: location?.nodes });
}

/** An error in a document: short, and without names of the schema that the caller did not write. @param code if it has none */
export function sanitizeDocumentError(error: GraphQLError, code = 'BAD_USER_INPUT'): GraphQLError {
  error.extensions.code ??= code;
  const { http } = error.extensions;
  // Yoga would send some errors that have a code of ours with status 200.
  if (typeof http === 'object' && String(error.extensions.code) in statusOf)
    error.extensions.http = { ...withoutAllow(http), spec: false };
  const message = shortenMessage(error.message);
  return message === error.message ? error : copyOf(error, message, error.extensions);
}

function copyOf(
  { nodes, path, source, positions }: GraphQLError,
  message: string,
  extensions: GraphQLError['extensions'],
): GraphQLError {
  return new GraphQLError(message, { extensions, nodes, path, source, positions });
}

/** Yoga sends the methods of its own with some errors of status 400; ours are in `allow`. */
function withoutAllow(http: object): object {
  if (!('headers' in http)) return http;
  const { Allow: _, ...headers } = http.headers as Readonly<Record<string, string>>;
  return { ...http, headers };
}

/**
 * Without the suggestions of graphql-js, which may name what the caller is not to see. Linear, and without regular expressions:
 * graphql-js quotes the caller's values in full, so that a message may be as long as a body.
 */
export function shortenMessage(message: string): string {
  return shorten(withoutSuggestion(message), httpLimits.maxErrorLength);
}

/** A suggestion is the last sentence of a message, and contains no other question mark. */
function withoutSuggestion(message: string): string {
  if (!message.endsWith('?')) return message;
  const from = message.lastIndexOf('?', message.length - 2) + 1;
  const at = message.indexOf('Did you mean ', from);
  if (at < 0) return message;
  return message.slice(0, message[at - 1] === ' ' ? at - 1 : at);
}

/** An error as the body of a response has it: what it adds to status and headers is not in it. */
export function withoutHttp(error: GraphQLError): GraphQLError {
  const { http: _, ...shown } = error.extensions;
  return copyOf(error, error.message, shown);
}
