import { GatewayError } from '../../errors.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { Principal } from '../../keys/principal.ts';
import type { RequestHead } from '../head.ts';

/**
 * Lets a request pass that carries a valid key, in `X-API-KEY` or as a bearer token, and notes whose it is.
 *
 * @throws GatewayError UNAUTHENTICATED, the same for a key that is missing, unknown, expired or revoked, and for two keys
 */
export type Authenticate = (incoming: RequestHead) => Principal;

export function buildAuthenticate(keyring: Pick<Keyring, 'find'>): Authenticate {
  return ({ header, noted }) => {
    const holder = keyring.find(givenKey(header));
    if (holder === undefined) {
      throw new GatewayError('UNAUTHENTICATED', 'A valid API key is required in the header X-API-KEY');
    }
    noted.key = holder.id;
    return holder;
  };
}

/** undefined where there is none, and where there are two: one of them may be somebody else's. */
function givenKey(header: RequestHead['header']): string | undefined {
  const key = header('x-api-key');
  const token = bearer(header('authorization'));
  return key === undefined || token === undefined || key === token ? (key ?? token) : undefined;
}

function bearer(authorization = ''): string | undefined {
  return /^Bearer +(?<token>\S+)$/i.exec(authorization)?.groups?.token;
}
