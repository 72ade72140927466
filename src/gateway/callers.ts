import type { Logger } from 'pino';
import type { Catalog } from '../catalog/model/saved-query.ts';
import type { Config } from '../config.ts';
import type { Tokens, TokensOptions } from '../keys/jwt/tokens.ts';
import type { Keyring } from '../keys/keyring.ts';
import { openKeys } from '../keys/open-keys.ts';
import type { SharedRates } from '../keys/rates/open-shared-rates.ts';
import { newLocalRateLimit } from '../keys/rates/rate-limiter.ts';

interface CallersOptions {
  readonly config: Config;
  readonly apiKey: string | undefined;
  readonly catalog: Catalog;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Who may call, and how often. */
export interface Callers {
  readonly keyring: Keyring;
  /** undefined if tokens are not accepted. */
  readonly tokens: Tokens | undefined;
  /** Resolves when the first attempt to connect to the rates that gateways share has succeeded or failed. */
  readonly ready: Promise<void> | undefined;
  /** Starts to follow the key file. */
  watch(): void;
  /** Finds the endpoints of keys and tokens in another version of the catalog. */
  replaceCatalog(catalog: Catalog): void;
  close(): Promise<void>;
}

/** @throws StartError with every problem of the key file */
export async function openCallers({ config, apiKey, catalog, log, now }: CallersOptions): Promise<Callers> {
  const rates = await sharedRates(config, log, now);
  const newRateLimit = rates?.newRateLimit ?? newLocalRateLimit;
  const keys = openKeys({
    file: config.apiKeysFile,
    apiKey,
    catalog,
    hideEndpoints: config.hideEndpoints,
    acceptsCutFile: config.acceptsCutKeyFile,
    newRateLimit,
    log,
    now,
  });
  const tokens = await acceptedTokens(config, { catalog, newRateLimit, log, now });
  return {
    keyring: keys.keyring,
    tokens,
    ready: rates?.ready,
    watch: keys.watch,
    replaceCatalog({ queries }) {
      keys.replaceQueries(queries);
      tokens?.replaceQueries(queries);
    },
    async close() {
      await keys.close();
      await tokens?.close();
      await rates?.close();
    },
  };
}

/** What verifies tokens is imported only if tokens are accepted. */
async function acceptedTokens(
  { jwt, hideEndpoints }: Config,
  options: Omit<TokensOptions, 'jwt' | 'hideEndpoints'>,
): Promise<Tokens | undefined> {
  if (jwt === undefined) return undefined;
  const { openTokens } = await import('../keys/jwt/tokens.ts');
  return openTokens({ jwt, hideEndpoints, ...options });
}

/** Of the keys that can have rates; as with the cache, the Redis client is imported only if it is used. */
async function sharedRates(
  { cacheUrl: url, cacheSecret: secret, apiKeysFile, jwt }: Config,
  log: Logger,
  now: () => Date,
): Promise<SharedRates | undefined> {
  if (url === undefined || (apiKeysFile === undefined && jwt === undefined)) return undefined;
  const { openSharedRates } = await import('../keys/rates/open-shared-rates.ts');
  return openSharedRates({ url, secret, log, now });
}
