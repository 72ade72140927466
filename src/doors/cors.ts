import type { Config } from '../config.ts';
import type { Incoming } from './incoming.ts';
import { labelsHeader } from './request-labels.ts';

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
export function corsHeaders(
  allowed: Config['corsOrigins'],
  { header }: Incoming,
): Readonly<Record<string, string>> {
  const origin = header('origin');
  if (allowed === '*') return headersOf('*');
  if (origin !== undefined && allowed.includes(origin)) return headersOf(origin);
  return allowed.length === 0 ? {} : { vary: 'Origin' };
}

const askingHeaders = `Cache-Control, If-None-Match, ${labelsHeader}`;

/** What a preflight for this path is told besides the headers of every response. */
export function preflightHeaders(methods: string): Readonly<Record<string, string>> {
  return {
    allow: methods,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': `X-API-KEY, Authorization, Content-Type, Accept, ${askingHeaders}`,
    'access-control-max-age': '86400',
  };
}
