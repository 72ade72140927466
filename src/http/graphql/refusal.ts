import type { Logger } from 'pino';
import type { RequestHead } from '../message/head.ts';
import { errorHeaders, type Reply, replyJson, toGatewayError } from '../message/reply.ts';
import { chooseMediaType } from './media-type.ts';

/** An error of a request that does not reach the GraphQL server, in the shape and the media type of GraphQL errors. */
export function replyGraphqlError(
  error: unknown,
  log: Logger,
  head: Pick<RequestHead, 'headers'>,
  headers: Reply['headers'] = {},
): Reply {
  const gatewayError = toGatewayError(error, log);
  const { code, message, status } = gatewayError;
  const text = JSON.stringify({ errors: [{ message, extensions: { code } }] });
  return replyJson(status, text, {
    ...errorHeaders(gatewayError),
    'content-type': `${chooseMediaType(head.headers.accept)}; charset=utf-8`,
    ...headers,
  });
}
