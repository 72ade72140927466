import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import { completeHeaders } from '../finish/response-headers.ts';
import { httpLimits } from '../message/http-limits.ts';
import { replyError, requestIdName } from '../message/reply.ts';

const { headersTimeoutMs, requestTimeoutMs, maxUrlLength, maxHeaderBytes } = httpLimits;

/** The error to report for bytes that Node's HTTP parser rejected. */
export function describeClientError(error: NodeJS.ErrnoException): GatewayError {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new GatewayError(
      'REQUEST_TIMEOUT',
      `The request took too long to arrive; its headers may take ${headersTimeoutMs / 1000} s, the whole request ${requestTimeoutMs / 1000} s`,
    );
  }
  if (error.code !== 'HPE_HEADER_OVERFLOW') return new GatewayError('BAD_REQUEST', 'Malformed HTTP request');
  // The parser has one limit for the request line and the headers together.
  const bytes = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : undefined;
  const requestLineLength = bytes?.indexOf('\r\n') ?? 0;
  return requestLineLength < 0 || requestLineLength > maxUrlLength
    ? new GatewayError(
        'URL_TOO_LONG',
        `The URL is too long; at most ${maxUrlLength} characters are allowed; send long operations, and long SQL, as GraphQL by POST`,
      )
    : new GatewayError('HEADERS_TOO_LARGE', `The headers are larger than ${maxHeaderBytes / 1024} KB`);
}

/** True if the bytes that the parser rejected begin with a HEAD request, whose response must not have a body. */
export function isHeadRequest(error: Error): boolean {
  return 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) && error.rawPacket.indexOf('HEAD ') === 0;
}

/** An error as raw HTTP text, for a socket that has no response object. */
export function formatRawReply(error: GatewayError, log: Logger, isHead: boolean): string {
  const reply = replyError(error, log);
  // No header of the request can be relied on.
  const requestId = randomUUID();
  const { status, body } = reply;
  const lines = Object.entries({
    ...completeHeaders(reply),
    [requestIdName]: requestId,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', isHead ? '' : body].join('\r\n');
}
