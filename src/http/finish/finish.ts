import { Readable } from 'node:stream';
import type { Cors } from '../access/cors.ts';
import { matchesEtag } from '../message/cache-headers.ts';
import type { Exchange } from '../message/exchange.ts';
import type { RequestHead } from '../message/head.ts';
import { missingNameToLog } from '../message/paths.ts';
import { type FinishedReply, IdentifiedHeaders, type Reply, ReplyHeaders } from '../message/reply.ts';
import { endRequestSpan } from '../message/request-trace.ts';
import type { RequestMetrics } from '../observe/request-metrics.ts';
import type { AccessLog } from './access-log.ts';

/**
 * Declares to browsers that a response is data, not a page, script, frame or image of another site. Pages that may read
 * it use CORS, which does not require any of these to be weaker.
 *
 * @see OWASP REST Security Cheat Sheet, "Security Headers"; Strict-Transport-Security belongs to the server that does
 * TLS
 */
export const securityHeaders = Object.freeze({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
});

/** Headers that a status requires (RFC 9110). */
const statusHeaders: Readonly<Record<number, Reply['headers']>> = {
  401: { 'www-authenticate': 'Bearer realm="querygate"' },
  405: { allow: 'GET, HEAD, OPTIONS' },
};

/** The headers of a reply with those that every response has; the reply's own take precedence. */
export function completeHeaders({ status, headers }: Reply): Reply['headers'] {
  const required = statusHeaders[status];
  return required === undefined
    ? { ...securityHeaders, ...headers }
    : { ...securityHeaders, ...required, ...headers };
}

/** Completes a reply: 304 if the caller has the rows already, the headers that every response has, the access log line. */
export type Finish = (reply: Reply, exchange: Exchange) => FinishedReply;

/** @param metrics undefined if nothing is counted */
export function buildFinish(cors: Cors, accessLog: AccessLog, metrics?: RequestMetrics): Finish {
  return (full, { head, caller, path, route, startedAt }) => {
    const reply = isUnchanged(full, head) ? notModified(full) : full;
    const { status, body, recycle } = reply;
    const shared = finishHeaders(
      reply,
      route.allowsCors ? cors.headers(head) : undefined,
      caller.rateLimitHeaders,
    );
    const headers = head.trace === undefined ? shared : new IdentifiedHeaders(shared, head.trace.requestId);
    const ms = performance.now() - startedAt;
    accessLog({
      method: head.method,
      path,
      status,
      ms: Math.round(ms),
      keyId: caller.keyId,
      // Only of callers with a valid key.
      missing: status === 404 && caller.keyId !== undefined ? missingNameToLog(head.url) : undefined,
      trace: head.trace,
    });
    endRequestSpan(head, path, status);
    metrics?.record(head.method, path, reply, ms / 1000);
    const onSent =
      body instanceof Readable && !('content-length' in reply.headers)
        ? (bytes: number) => metrics?.addBytes(path, bytes)
        : undefined;
    return { status, headers, body, recycle, onSent, keyId: caller.keyId };
  };
}

function isUnchanged({ status, headers: { etag } }: Reply, { headers }: RequestHead): boolean {
  const ifNoneMatch = headers['if-none-match'];
  return etag !== undefined && ifNoneMatch !== undefined && status === 200 && matchesEtag(etag, ifNoneMatch);
}

function notModified(reply: Reply): Reply {
  if (reply.notModified !== undefined) return reply.notModified;
  const {
    'content-type': _type,
    'content-length': _length,
    'content-encoding': _coding,
    ...headers
  } = reply.headers;
  reply.notModified = { status: 304, headers, body: undefined };
  return reply.notModified;
}

/** The reply's own headers, those of every response, and those of the caller; `vary` is the union. */
function finishHeaders(
  reply: Reply,
  cors: Reply['headers'] | undefined,
  rateLimit: Reply['headers'] | undefined,
): ReplyHeaders {
  if (cors?.vary !== undefined) {
    const headers = completeHeaders(reply);
    const vary = headers.vary === undefined ? cors.vary : `${headers.vary}, ${cors.vary}`;
    return new ReplyHeaders({ ...headers, ...cors, vary, ...rateLimit });
  }
  reply.complete ??= new ReplyHeaders(completeHeaders(reply));
  return rateLimit === undefined ? reply.complete : new ReplyHeaders(rateLimit, reply.complete);
}
