import type { JWSHeaderParameters, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import type { Logger } from 'pino';
import { algorithmsOf, type JwtConfig } from '../../config/jwt-settings.ts';
import { openKeySet } from './key-set.ts';

/** The keys that verify tokens. */
export interface SigningKeys {
  /** The algorithms that a token may name. */
  readonly algorithms: NonNullable<JWTVerifyOptions['algorithms']>;
  /** Grows when the keys change: tokens that were verified before are verified again. */
  generation(): number;
  readonly getKey: JWTVerifyGetKey;
  close(): Promise<void>;
}

/** The algorithms that a key set may hold; a secret in it would be public. */
const keySetAlgorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

export async function openSigningKeys(
  { jwksUrl, publicKey, secret }: JwtConfig,
  log: Logger,
): Promise<SigningKeys> {
  if (jwksUrl !== undefined) {
    const keySet = await openKeySet(jwksUrl, log);
    return {
      algorithms: keySetAlgorithms,
      generation: () => keySet.generation,
      getKey: (header, token) => keySet.find(header as JWSHeaderParameters, token),
      close: () => keySet.close(),
    };
  }
  const constant = { generation: () => 0, close: async () => {} };
  if (publicKey !== undefined) {
    return { ...constant, algorithms: [...algorithmsOf(publicKey)], getKey: () => publicKey };
  }
  const bytes = Buffer.from(secret ?? '');
  return { ...constant, algorithms: ['HS256', 'HS384', 'HS512'], getKey: () => bytes };
}
