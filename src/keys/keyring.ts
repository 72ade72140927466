import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Catalog } from '../catalog/saved-query.ts';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { KeyEntry } from './file/key-schema.ts';
import { digestOf, idOfKey } from './key-text.ts';
import { type Principal, resolveEndpoints, unrestricted } from './principal.ts';
import { RateLimiter } from './rate-limiter.ts';

interface KeyringOptions {
  readonly catalog: Catalog;
  /** The key without restrictions, if there is one. */
  readonly apiKey: string | undefined;
  readonly now: () => Date;
}

interface Credential {
  readonly digest: Buffer;
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The id in the log of `API_KEY`, and of the key that is generated at start. */
const apiKeyId = 'API_KEY';

/** All valid keys. Only their digests are stored. */
export class Keyring {
  readonly #options: KeyringOptions;
  readonly #apiKey: { readonly digest: Buffer; readonly principal: Principal };
  /** Compared instead of the digest of a key that does not exist. */
  readonly #dummyDigest = randomBytes(32);
  #credentials: ReadonlyMap<string, Credential> = new Map();

  constructor(options: KeyringOptions) {
    this.#options = options;
    const { apiKey } = options;
    const digest = apiKey === undefined ? this.#dummyDigest : digestOf(apiKey);
    this.#apiKey = { digest, principal: unrestricted(apiKeyId) };
  }

  /** Replaces all keys of the key file. A key that stays keeps the state of its limits. */
  replace(entries: readonly KeyEntry[]): void {
    const credentials = entries.flatMap((entry): [string, Credential][] => {
      if (entry.revoked !== undefined) return [];
      const digest = Buffer.from(entry.sha256, 'hex');
      const expiresAt = entry.expires?.getTime() ?? Number.POSITIVE_INFINITY;
      return [[entry.id, { digest, principal: this.#principalOf(entry), expiresAt }]];
    });
    this.#credentials = new Map(credentials);
  }

  /**
   * The principal of a key; undefined for a key that is missing, unknown, expired or revoked. The work is the same for
   * all of these as for a valid key, and digests are compared in constant time.
   */
  find(text = ''): Principal | undefined {
    const digest = digestOf(text);
    const credential = this.#credentials.get(idOfKey(text) ?? '');
    const isMatch = timingSafeEqual(digest, credential?.digest ?? this.#dummyDigest);
    if (timingSafeEqual(digest, this.#apiKey.digest)) return this.#apiKey.principal;
    const isValid = credential !== undefined && this.#options.now().getTime() < credential.expiresAt;
    return isMatch && isValid ? credential.principal : undefined;
  }

  #principalOf(entry: KeyEntry): Principal {
    const { id, projects, rate, permissions } = entry;
    const previous = this.#credentials.get(id)?.principal;
    return {
      id,
      permissions: new Set(permissions),
      endpoints: resolveEndpoints(this.#options.catalog, entry).ids,
      projects: projects && new Set(projects),
      rateLimiter: rateLimiterFor(rate?.requests_per_minute, previous?.rateLimiter),
      concurrencyLimiter: concurrencyLimiterFor(rate?.concurrent_queries, previous?.concurrencyLimiter),
    };
  }
}

function rateLimiterFor(
  perMinute: number | undefined,
  previous: RateLimiter | undefined,
): RateLimiter | undefined {
  if (perMinute === undefined) return undefined;
  const limiter = previous ?? new RateLimiter(perMinute);
  limiter.perMinute = perMinute;
  return limiter;
}

function concurrencyLimiterFor(
  limit: number | undefined,
  previous: ConcurrencyLimiter | undefined,
): ConcurrencyLimiter | undefined {
  if (limit === undefined) return undefined;
  const limiter = previous ?? new ConcurrencyLimiter(limit);
  limiter.limit = limit;
  return limiter;
}
