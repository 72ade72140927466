import { randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
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

/** How many keys are recognized by their text; the others by their digest. */
const maxRecent = 10_000;

/** All valid keys. Their digests are stored, and for a while the text of those that are in use. */
export class Keyring {
  readonly #options: KeyringOptions;
  readonly #apiKey: Credential;
  /** Compared instead of the digest of a key that does not exist. */
  readonly #dummyDigest = randomBytes(32);
  #credentials: ReadonlyMap<string, Credential> = new Map();
  /**
   * The valid keys that were sent lately, by their text: to hash a key takes as long as the rest of a cached reply. A text
   * that is not in it is compared by its digest, so that the time of a search says nothing about any key.
   */
  readonly #recent = new LRUCache<string, Credential>({ max: maxRecent });

  constructor(options: KeyringOptions) {
    this.#options = options;
    const { apiKey } = options;
    const digest = apiKey === undefined ? this.#dummyDigest : digestOf(apiKey);
    this.#apiKey = { digest, principal: unrestricted(apiKeyId), expiresAt: Number.POSITIVE_INFINITY };
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
    this.#recent.clear();
  }

  /**
   * The principal of a key; undefined for a key that is missing, unknown, expired or revoked. The work is the same for
   * all of these, and digests are compared in constant time.
   */
  find(text = ''): Principal | undefined {
    const recent = this.#recent.get(text);
    const credential = recent ?? this.#search(text);
    if (credential === undefined || !this.#isCurrent(credential)) return undefined;
    if (recent === undefined) this.#recent.set(text, credential);
    return credential.principal;
  }

  #search(text: string): Credential | undefined {
    const digest = digestOf(text);
    const credential = this.#credentials.get(idOfKey(text) ?? '');
    const isMatch = timingSafeEqual(digest, credential?.digest ?? this.#dummyDigest);
    if (timingSafeEqual(digest, this.#apiKey.digest)) return this.#apiKey;
    return isMatch ? credential : undefined;
  }

  #isCurrent({ expiresAt }: Credential): boolean {
    return expiresAt === Number.POSITIVE_INFINITY || this.#options.now().getTime() < expiresAt;
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
