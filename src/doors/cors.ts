import type { Config } from '../config.ts';
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
  request: Request,
): Readonly<Record<string, string>> {
  const origin = request.headers.get('origin');
  if (allowed === '*') return headersOf('*');
  if (origin !== null && allowed.includes(origin)) return headersOf(origin);
  return allowed.length === 0 ? {} : { vary: 'Origin' };
}

/** What a preflight for this path is told besides the headers of every response. */
export function preflightHeaders(methods: string): Readonly<Record<string, string>> {
  return {
    allow: methods,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': `X-API-KEY, Authorization, Content-Type, Accept, ${labelsHeader}`,
    'access-control-max-age': '86400',
  };
}
