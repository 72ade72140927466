import { hash, timingSafeEqual } from 'node:crypto';
import { GatewayError } from '../errors.ts';
import type { Incoming } from './incoming.ts';

/** What the holder of a key may do. */
export interface Caller {
  /** True where `Cache-Control: no-cache` runs the query again. */
  readonly mayForce: boolean;
}

/**
 * Lets a request pass that carries the key, in `X-API-KEY` or as a bearer token.
 *
 * @throws GatewayError UNAUTHENTICATED, the same for a missing and for a wrong key
 */
export type Authenticate = (header: Incoming['header']) => Caller;

export function buildAuthenticate(apiKey: string): Authenticate {
  const expected = digest(apiKey);
  const holder = { mayForce: true };
  return (header) => {
    const given = header('x-api-key') ?? bearer(header('authorization'));
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return holder;
    throw new GatewayError('UNAUTHENTICATED', 'A valid API key is required in the header X-API-KEY');
  };
}

function bearer(authorization = ''): string | undefined {
  return /^Bearer +(?<token>\S+)$/i.exec(authorization)?.groups?.token;
}

/** Digests have one length, as a comparison in constant time needs it. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
