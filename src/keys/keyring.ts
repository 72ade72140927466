import { randomBytes, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Catalog } from '../catalog/model/saved-query.ts';
import { toBudget } from '../config/budget.ts';
import { type AddressList, parseAddressList } from '../config/address-list.ts';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { KeyEntry } from './file/key-schema.ts';
import { digestOf, idOfKey } from './key-text.ts';
import {
  type EndpointNames,
  type HideEndpoints,
  hidesEndpoints,
  type Principal,
  resolveEndpoints,
  unrestricted,
} from './principal.ts';
import type { NewRateLimit, RateLimit } from './rates/rate-limiter.ts';

interface KeyringOptions {
  readonly catalog: Catalog;
  /** The key without restrictions, if there is one. */
  readonly apiKey: string | undefined;
  readonly hideEndpoints: HideEndpoints;
  readonly newRateLimit: NewRateLimit;
  readonly now: () => Date;
}

interface Credential {
  readonly digest: Buffer;
  readonly principal: Principal;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly isRevoked: boolean;
  /** The addresses from which the key may be sent, parsed when they are first needed; undefined: all. */
  readonly allow: (() => AddressList | undefined) | undefined;
  /** True if it was used since the last `takeUsed`. */
  isUsed: boolean;
}

/** Who sends a key. The address is read only for keys that are bound to addresses. */
export interface Sender {
  readonly address: string | undefined;
}

/** Why a key is not accepted. It is never sent to callers. */
export interface KeyRejection {
  readonly reason: 'missing' | 'unknown' | 'expired' | 'revoked' | 'address';
  /** The id of the key, if it is one of the file. */
  readonly keyId: string | undefined;
}

/** The id in the log of `API_KEY`, and of the key that is generated at start. */
const apiKeyId = 'API_KEY';

/** How many keys are recognized by their text; the others by their digest. */
const maxRecent = 10_000;

/** All valid keys. Their digests are stored, and for a while the text of those that are in use. */
export class Keyring {
  readonly #options: KeyringOptions;
  #queries: EndpointNames;
  /** The keys of the file. */
  #entries: readonly KeyEntry[] = [];
  #generation = 0;
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
    this.#queries = options.catalog.queries;
    const { apiKey } = options;
    const digest = apiKey === undefined ? this.#dummyDigest : digestOf(apiKey);
    this.#apiKey = {
      digest,
      principal: unrestricted(apiKeyId),
      expiresAt: Number.POSITIVE_INFINITY,
      isRevoked: false,
      allow: undefined,
      isUsed: false,
    };
  }

  /** Replaces all keys of the key file. A key that stays keeps the state of its limits. */
  replace(entries: readonly KeyEntry[]): void {
    this.#entries = entries;
    const credentials = entries.map((entry): [string, Credential] => {
      const credential = {
        digest: Buffer.from(entry.sha256, 'hex'),
        principal: this.#principalOf(entry),
        expiresAt: entry.expires?.getTime() ?? Number.POSITIVE_INFINITY,
        isRevoked: entry.revoked !== undefined,
        allow: entry.allow && buildOnce(entry.allow, parseAddressList),
        isUsed: this.#credentials.get(entry.id)?.isUsed ?? false,
      };
      return [entry.id, credential];
    });
    this.#credentials = new Map(credentials);
    this.#recent.clear();
    this.#generation += 1;
  }

  /** Grows when the keys are replaced. */
  readonly generation = (): number => this.#generation;

  /**
   * Resolves the endpoints of all keys in another version of the catalog.
   *
   * @returns for keys that are not revoked, the endpoints that were there before and are not any more
   */
  replaceQueries(
    queries: EndpointNames,
  ): readonly { readonly id: string; readonly endpoints: readonly string[] }[] {
    const before = { queries: this.#queries };
    this.#queries = queries;
    this.replace(this.#entries);
    return this.#entries.flatMap((entry) => {
      if (entry.revoked !== undefined || entry.endpoints === undefined) return [];
      const missing = resolveEndpoints({ queries }, entry).unknown;
      const { unknown } = resolveEndpoints(before, { endpoints: missing });
      const endpoints = missing.filter((one) => !unknown.includes(one));
      return endpoints.length > 0 ? [{ id: entry.id, endpoints }] : [];
    });
  }

  /**
   * The principal of a key; undefined for a key that is missing, unknown, expired, revoked, or sent from an address that it
   * does not allow. The work is the same for all of these but a recent key, and digests are
   * compared in constant time.
   */
  readonly find = (text = '', sender: Sender = unknownSender): Principal | undefined => {
    const recent = this.#recent.get(text);
    const credential = recent ?? this.#search(text);
    if (credential === undefined || !this.#isCurrent(credential)) return undefined;
    if (credential.allow !== undefined && !isAllowed(credential.allow(), sender)) return undefined;
    if (recent === undefined) this.#recent.set(text, credential);
    credential.isUsed = true;
    return credential.principal;
  };

  #search(text: string): Credential | undefined {
    const digest = digestOf(text);
    const credential = this.#credentials.get(idOfKey(text) ?? '');
    const isMatch = timingSafeEqual(digest, credential?.digest ?? this.#dummyDigest);
    if (timingSafeEqual(digest, this.#apiKey.digest)) return this.#apiKey;
    return isMatch ? credential : undefined;
  }

  #isCurrent({ expiresAt, isRevoked }: Credential): boolean {
    return (
      !isRevoked && (expiresAt === Number.POSITIVE_INFINITY || this.#options.now().getTime() < expiresAt)
    );
  }

  /** Why `find` gives no principal, for the log. */
  explain(text: string | undefined): KeyRejection {
    if (text === undefined || text === '') return { reason: 'missing', keyId: undefined };
    const keyId = idOfKey(text);
    const credential = this.#credentials.get(keyId ?? '');
    if (credential === undefined || !timingSafeEqual(digestOf(text), credential.digest)) {
      return { reason: 'unknown', keyId: undefined };
    }
    if (credential.isRevoked) return { reason: 'revoked', keyId };
    const isExpired = this.#options.now().getTime() >= credential.expiresAt;
    return { reason: isExpired ? 'expired' : 'address', keyId };
  }

  /** True if the key file has a key with this id. */
  has(id: string): boolean {
    return this.#credentials.has(id);
  }

  /** The ids of the keys of the file that were used since the last call. */
  takeUsed(): readonly string[] {
    const used: string[] = [];
    for (const [id, credential] of this.#credentials) {
      if (credential.isUsed) used.push(id);
      credential.isUsed = false;
    }
    return used;
  }

  #principalOf(entry: KeyEntry): Principal {
    const { id, tenants, rate, budget, permissions } = entry;
    const previous = this.#credentials.get(id)?.principal;
    return {
      id,
      permissions: new Set(permissions),
      endpoints: resolveEndpoints({ queries: this.#queries }, entry).ids,
      tenants: tenants && new Set(tenants),
      hidesEndpoints: hidesEndpoints(this.#options.hideEndpoints, tenants !== undefined),
      ...(budget && { budget: toBudget(budget) }),
      rateLimiter: rateLimitFor(
        id,
        rate?.requests_per_minute,
        previous?.rateLimiter,
        this.#options.newRateLimit,
      ),
      concurrencyLimiter: concurrencyLimiterFor(rate?.concurrent_queries, previous?.concurrencyLimiter),
    };
  }
}

const unknownSender: Sender = { address: undefined };

/** A key that is bound to addresses is not valid where the sender's address is not known. */
const isAllowed = (allowed: AddressList | undefined, { address }: Sender): boolean =>
  address !== undefined && allowed?.has(address) === true;

function buildOnce<From, To>(from: From, build: (from: From) => To): () => To {
  let built: { readonly value: To } | undefined;
  return () => {
    built ??= { value: build(from) };
    return built.value;
  };
}

/** The limit of a key, which keeps its state when it changes. */
export function rateLimitFor(
  id: string,
  perMinute: number | undefined,
  previous: RateLimit | undefined,
  newRateLimit: NewRateLimit,
): RateLimit | undefined {
  if (perMinute === undefined) return undefined;
  const limit = previous ?? newRateLimit(id, perMinute);
  limit.perMinute = perMinute;
  return limit;
}

/** As `rateLimitFor`, for concurrent queries. */
export function concurrencyLimiterFor(
  limit: number | undefined,
  previous: ConcurrencyLimiter | undefined,
): ConcurrencyLimiter | undefined {
  if (limit === undefined) return undefined;
  const limiter = previous ?? new ConcurrencyLimiter(limit);
  limiter.limit = limit;
  return limiter;
}
