import type { RequestHead } from '../message/head.ts';
import type { Reply } from '../message/reply.ts';
import { labelsHeader } from '../../call/gate.ts';

/** Headers with which pages of the configured origins may read a response. */
export interface Cors {
  /**
   * For every response that a page may read, errors too; undefined if no origins are configured. Keys are sent in a header,
   * never in a cookie, so credentials are never allowed.
   */
  readonly headers: ((head: Pick<RequestHead, 'headers'>) => Reply['headers']) | undefined;
  /** For OPTIONS, besides those: the methods, and for a page of a configured origin what it may send. */
  preflightHeaders(head: RequestHead, methods: string): Reply['headers'];
}

export function buildCors(origins: readonly string[] | '*'): Cors {
  const any = allow('*');
  const headersFor = (head: Pick<RequestHead, 'headers'>): Reply['headers'] => {
    if (origins === '*') return any;
    const { origin } = head.headers;
    return origin !== undefined && origins.includes(origin) ? allow(origin) : varyByOrigin;
  };
  return {
    headers: origins.length === 0 ? undefined : headersFor,
    preflightHeaders: (head, methods) =>
      headersFor(head)['access-control-allow-origin'] === undefined
        ? { allow: methods }
        : {
            allow: methods,
            'access-control-allow-methods': methods,
            'access-control-allow-headers': allowedHeaders,
            'access-control-max-age': '86400',
          },
  };
}

const varyByOrigin = { vary: 'Origin' };

const allow = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': '*',
  vary: 'Origin',
});

/**
 * The headers that callers of the API, followers of results, OpenTelemetry's instrumentation of browsers, agents, and
 * Apollo's clients send. They are listed for browsers before 2020; others read the `*`, which permits any header but
 * Authorization where no cookies are sent.
 */
const allowedHeaders = [
  ...['X-API-KEY', 'Authorization', 'Content-Type', 'Accept', 'Cache-Control', 'If-None-Match', labelsHeader],
  ...['Last-Event-ID', 'Prefer'],
  ...['X-Request-ID', 'traceparent', 'tracestate', 'baggage'],
  ...['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'],
  ...['apollographql-client-name', 'apollographql-client-version', 'apollo-require-preflight'],
  '*',
].join(', ');
