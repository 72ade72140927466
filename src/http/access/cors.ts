import type { Config } from '../../config.ts';
import type { RequestHead } from '../head.ts';
import { labelsHeader } from '../request-labels.ts';

type Headers = Readonly<Record<string, string>>;

const headersOf = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': '*',
  vary: 'Origin',
});

/**
 * Lets pages of the configured origins read answers, refusals included. Keys travel in a header, never in a cookie, so
 * credentials are never allowed.
 *
 * @returns headers to add to every response to this request
 */
export function corsHeaders(allowed: Config['corsOrigins'], incoming: RequestHead): Headers {
  if (allowed === '*') return headersOf('*');
  if (allowed.length === 0) return {};
  const origin = incoming.header('origin');
  return origin !== undefined && allowed.includes(origin) ? headersOf(origin) : { vary: 'Origin' };
}

const askingHeaders = `Cache-Control, If-None-Match, ${labelsHeader}`;

/**
 * What OPTIONS is told besides the headers of every response: a page of a configured origin, what it may send; whoever
 * else asks, which methods there are.
 */
export function preflightHeaders(
  allowed: Config['corsOrigins'],
  incoming: RequestHead,
  methods: string,
): Headers {
  if (corsHeaders(allowed, incoming)['access-control-allow-origin'] === undefined) return { allow: methods };
  return {
    allow: methods,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': `X-API-KEY, Authorization, Content-Type, Accept, ${askingHeaders}`,
    'access-control-max-age': '86400',
  };
}
