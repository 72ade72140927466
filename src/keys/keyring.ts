import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Catalog } from '../catalog/saved-query.ts';
import { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { KeyEntry } from './file/key-schema.ts';
import { digestOf, idOfKey } from './key-text.ts';
import { type Principal, resolveEndpoints, unrestricted } from './principal.ts';
import { RateLimiter } from './rate-limiter.ts';

export interface KeyringOptions {
  readonly catalog: Catalog;
  /** The key that may do everything, where there is one. */
  readonly apiKey: string | undefined;
  readonly now: () => Date;
}

interface Kept {
  readonly digest: Buffer;
  readonly holder: Principal;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The id under which `API_KEY`, and the key that is made at start, stand in the log. */
export const apiKeyId = 'API_KEY';

/** All keys that are valid, by digest: none of them is known here. */
export class Keyring {
  readonly #options: KeyringOptions;
  readonly #own: { readonly digest: Buffer; readonly holder: Principal };
  /** Stands for a key that does not exist. */
  readonly #nobody = randomBytes(32);
  #kept: ReadonlyMap<string, Kept> = new Map();

  constructor(options: KeyringOptions) {
    this.#options = options;
    const { apiKey } = options;
    const digest = apiKey === undefined ? this.#nobody : digestOf(apiKey);
    this.#own = { digest, holder: unrestricted(apiKeyId) };
  }

  /** From now on these are the keys. What a key has used of its rate stays used. */
  replace(entries: readonly KeyEntry[]): void {
    const kept = entries.flatMap((entry): [string, Kept][] => {
      if (entry.revoked !== undefined) return [];
      const digest = Buffer.from(entry.sha256, 'hex');
      const expiresAt = entry.expires?.getTime() ?? Number.POSITIVE_INFINITY;
      return [[entry.id, { digest, holder: this.#holderOf(entry), expiresAt }]];
    });
    this.#kept = new Map(kept);
  }

  /**
   * Who holds this key. It does the same work for a key that is missing, unknown, expired or revoked as for one that is
   * right, and compares in constant time.
   */
  find(text = ''): Principal | undefined {
    const digest = digestOf(text);
    const kept = this.#kept.get(idOfKey(text) ?? '');
    const isKept = timingSafeEqual(digest, kept?.digest ?? this.#nobody);
    if (timingSafeEqual(digest, this.#own.digest)) return this.#own.holder;
    const isValid = kept !== undefined && this.#options.now().getTime() < kept.expiresAt;
    return isKept && isValid ? kept.holder : undefined;
  }

  #holderOf(entry: KeyEntry): Principal {
    const { id, projects, rate, permissions } = entry;
    const before = this.#kept.get(id)?.holder;
    return {
      id,
      permissions: new Set(permissions),
      endpoints: resolveEndpoints(this.#options.catalog, entry).ids,
      projects: projects && new Set(projects),
      rateLimiter: budgetOf(rate?.requests_per_minute, before?.rateLimiter),
      concurrencyLimiter: slotsOf(rate?.concurrent_queries, before?.concurrencyLimiter),
    };
  }
}

function budgetOf(perMinute: number | undefined, before: RateLimiter | undefined): RateLimiter | undefined {
  if (perMinute === undefined) return undefined;
  const budget = before ?? new RateLimiter(perMinute);
  budget.perMinute = perMinute;
  return budget;
}

function slotsOf(
  limit: number | undefined,
  before: ConcurrencyLimiter | undefined,
): ConcurrencyLimiter | undefined {
  if (limit === undefined) return undefined;
  const slots = before ?? new ConcurrencyLimiter(limit);
  slots.limit = limit;
  return slots;
}
