import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Tokens, TokensOptions } from '../keys/jwt/tokens.ts';
import type { SharedRates } from '../keys/rates/open-shared-rates.ts';
import { hotKeyLimit } from '../results/hot-keys.ts';
import { describeExposure } from '../results/redis/exposure.ts';
import type { OpenSharedCache } from '../results/shared/shared-cache.ts';

/** What verifies tokens is imported only if tokens are accepted. */
export async function acceptedTokens(
  { jwt, hideEndpoints }: Config,
  options: Omit<TokensOptions, 'jwt' | 'hideEndpoints'>,
): Promise<Tokens | undefined> {
  if (jwt === undefined) return undefined;
  const { openTokens } = await import('../keys/jwt/tokens.ts');
  return openTokens({ jwt, hideEndpoints, ...options });
}

/** Of the keys that can have rates; as with the cache, the Redis client is imported only if it is used. */
export async function sharedRates(
  { cacheUrl: url, cacheSecret: secret, apiKeysFile, jwt }: Config,
  log: Logger,
  now: () => Date,
): Promise<SharedRates | undefined> {
  if (url === undefined || (apiKeysFile === undefined && jwt === undefined)) return undefined;
  const { openSharedRates } = await import('../keys/rates/open-shared-rates.ts');
  return openSharedRates({ url, secret, log, now });
}

/** The Redis client is imported only if it is used: it would slow down every start. */
export async function sharedCache(
  { cacheUrl: url, cacheSecret: secret }: Config,
  log: Logger,
): Promise<OpenSharedCache | undefined> {
  if (url === undefined) return undefined;
  const { openRedisCache } = await import('../results/redis/redis-shared-cache.ts');
  for (const warning of describeExposure({ url, secret })) log.warn(warning);
  return (onConnected) => openRedisCache({ url, secret, log, onConnected, hotKeyLimit });
}
