import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import type { Cors } from '../access/cors.ts';
import { completeHeaders } from '../finish/response-headers.ts';
import { chooseMediaType } from '../graphql/media-type.ts';
import { replyGraphqlError } from '../graphql/refusal.ts';
import type { RequestHeaders } from '../message/head.ts';
import { httpLimits } from '../message/http-limits.ts';
import { apiPath, graphqlPath } from '../message/paths.ts';
import { replyError, requestIdName } from '../message/reply.ts';
import { headOf } from './node-listener.ts';

const { headersTimeoutMs, requestTimeoutMs, maxUrlLength, maxHeaderBytes } = httpLimits;

/** The error to report for bytes that Node's HTTP parser rejected. */
export function describeClientError(error: NodeJS.ErrnoException): GatewayError {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new GatewayError(
      'REQUEST_TIMEOUT',
      `The request took too long to arrive; its headers may take ${headersTimeoutMs / 1000} s, the whole request ${requestTimeoutMs / 1000} s`,
    );
  }
  if (error.code !== 'HPE_HEADER_OVERFLOW')
    return new GatewayError('BAD_REQUEST', `Malformed HTTP request${isBeyondAscii(error) ? cureOfUrl : ''}`);
  // The parser has one limit for the request line and the headers together.
  const bytes = packetOf(error);
  const requestLineLength = bytes?.indexOf('\r\n') ?? 0;
  return requestLineLength < 0 || requestLineLength > maxUrlLength
    ? new GatewayError(
        'URL_TOO_LONG',
        `The URL is too long; at most ${maxUrlLength} characters are allowed; send long operations, and long SQL, as GraphQL by POST`,
      )
    : new GatewayError('HEADERS_TOO_LARGE', `The headers are larger than ${maxHeaderBytes / 1024} KB`);
}

/** The bytes that the parser was reading. */
const packetOf = (error: Error): Buffer | undefined =>
  'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : undefined;

/** True if the parser has stopped at a character of the URL that is not one of ASCII. */
function isBeyondAscii(error: NodeJS.ErrnoException): boolean {
  const place = 'bytesParsed' in error ? Number(error.bytesParsed) : Number.NaN;
  return error.code === 'HPE_INVALID_URL' && (packetOf(error)?.[place] ?? 0) > 0x7f;
}

const cureOfUrl = '; characters beyond ASCII are percent-encoded in a URL: send é as %C3%A9';

/** The parts of a request that can be read although the parser rejected it. */
export interface RejectedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: RequestHeaders;
  /** Gives those with which pages may read the reply. */
  readonly corsHeaders?: Cors['headers'];
  /** That of its own line in the log, if it has one. */
  readonly requestId?: string | undefined;
}

/** Who has sent it. */
interface Sender {
  readonly address: string | undefined;
  /** True if nothing has arrived over the connection. */
  readonly isSilent: boolean;
}

/** @param message the request, if its headers were read before its body was rejected */
export function rejectedRequest(error: Error, message: IncomingMessage | undefined): RejectedRequest {
  if (message !== undefined && !message.complete) {
    const { method = '', url = '', headers } = message;
    const requestId = headOf.get(message)?.trace?.requestId;
    return { method, target: url, headers: headers as RequestHeaders, requestId };
  }
  const text = packetOf(error)?.toString('latin1') ?? '';
  const [, method = '', target = ''] = /^([A-Z]+) (\S*)/.exec(text) ?? [];
  const [, accept] = /\r\naccept:[ \t]*([^\r\n]*)/i.exec(text) ?? [];
  return { method, target, headers: { accept, origin: originIn(text) } };
}

/** The only complete header `Origin` of a head that begins with the text. Browsers let no page choose it. */
function originIn(text: string): string | undefined {
  if (!/^[A-Z]+ [^\r\n]* HTTP\/1\.[01]\r\n/.test(text)) return undefined;
  const [head = ''] = text.split('\r\n\r\n', 1);
  const [only, ...others] = `${head}${head === text ? '' : '\r\n'}`.matchAll(
    /\r\norigin:[ \t]*([^\r\n]*?)[ \t]*(?=\r\n)/gi,
  );
  return others.length > 0 ? undefined : only?.[1];
}

/** Clients that prefer the media type of GraphQL read no error of another one. */
const prefersGraphql = ({ target, headers }: RejectedRequest): boolean =>
  graphqlTarget.test(target) && chooseMediaType(headers.accept) !== 'application/json';

/** Also below the path of a server, but no saved query of that name. */
const graphqlTarget = new RegExp(`^(?:(?!${apiPath})[^?#])*${graphqlPath}(?:[?#]|$)`);

/** An error as raw HTTP text, for a socket that has no response object. */
export function formatRawReply(
  error: GatewayError,
  log: Logger,
  request: RejectedRequest,
  { address, isSilent }: Sender,
): string {
  const reply = prefersGraphql(request) ? replyGraphqlError(error, log, request) : replyError(error, log);
  // No header of a request without a line can be relied on.
  const { requestId = randomUUID() } = request;
  const { status, body } = reply;
  log[isSilent ? 'debug' : 'info'](
    { requestId, status, code: error.code, address },
    error.code === 'REQUEST_TIMEOUT' ? 'request timed out' : 'malformed request',
  );
  const lines = Object.entries({
    ...completeHeaders(reply),
    ...request.corsHeaders?.(request),
    [requestIdName]: requestId,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...lines,
    '',
    request.method === 'HEAD' ? '' : body,
  ].join('\r\n');
}
