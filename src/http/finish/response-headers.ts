import { variesBy } from '../message/cache-headers.ts';
import type { Reply } from '../message/reply.ts';

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
export type CompleteHeaders = (reply: Reply) => Reply['headers'];

export const completeHeaders: CompleteHeaders = ({ status, headers }) => {
  const required = statusHeaders[status];
  return required === undefined
    ? { ...securityHeaders, ...headers }
    : { ...securityHeaders, ...required, ...headers };
};

/** The same where any header may decide who calls: a browser that has signed in as another user must not use what it has. */
export const uncachedHeaders: CompleteHeaders = (reply) => {
  const headers = completeHeaders(reply);
  if (!headers.vary?.startsWith(variesBy)) return headers;
  const isKept = headers['cache-control']?.startsWith('private, max-age=') === true;
  const caching = isKept && { 'cache-control': 'private, no-cache' };
  return { ...headers, ...caching, vary: `${headers.vary}, Cookie` };
};
