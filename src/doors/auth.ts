import { createHash, timingSafeEqual } from 'node:crypto';
import { GatewayError } from '../errors.ts';

/**
 * Lets a request pass that carries the key, in `X-API-KEY` or as a bearer token.
 *
 * @throws GatewayError UNAUTHENTICATED, the same for a missing and for a wrong key
 */
export type Authenticate = (headers: Headers) => void;

export function buildAuthenticate(apiKey: string): Authenticate {
  const expected = digest(apiKey);
  return (headers) => {
    const given = headers.get('x-api-key') ?? bearer(headers.get('authorization'));
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return;
    throw new GatewayError('UNAUTHENTICATED', 'A valid API key is required in the header X-API-KEY');
  };
}

function bearer(authorization: string | null): string | undefined {
  return /^Bearer +(?<token>\S+)$/i.exec(authorization ?? '')?.groups?.token;
}

/** Digests have one length, as a comparison in constant time needs it. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
