import { STATUS_CODES } from 'node:http';
import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import { maxUrlLength } from '../handle.ts';
import { replyError } from '../reply.ts';
import { serverLimits } from './server-limits.ts';

/** What is to be told of bytes that Node's parser gave up on. */
export function refusalOf(error: NodeJS.ErrnoException): GatewayError {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const [headers, whole] = [serverLimits.headersMs / 1000, serverLimits.requestMs / 1000];
    return new GatewayError(
      'REQUEST_TIMEOUT',
      `The request took too long to come; its headers may take ${headers} s, the whole of it ${whole} s`,
    );
  }
  if (error.code !== 'HPE_HEADER_OVERFLOW') {
    return new GatewayError('BAD_REQUEST', 'This is no HTTP request that can be read');
  }
  // The first line and the headers share one limit of the parser's.
  const bytes = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : undefined;
  const firstLine = bytes?.indexOf('\r\n') ?? 0;
  return firstLine < 0 || firstLine > maxUrlLength
    ? new GatewayError(
        'URL_TOO_LONG',
        `The URL is too long; at most ${maxUrlLength} characters are read: send long operations by POST`,
      )
    : new GatewayError('HEADERS_TOO_LARGE', 'The headers are larger than 16 KB');
}

/** A refusal as it goes over the wire where there is no response to write it to. */
export function rawReply(error: GatewayError, log: Logger): string {
  const { status, headers, body } = replyError(error, log);
  const lines = Object.entries({ ...headers, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}
