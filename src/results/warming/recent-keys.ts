import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { textsOf } from '../../catalog/binding/list-values.ts';
import { getOrAdd } from '../../get-or-add.ts';

interface RecentKey {
  readonly key: string;
  readonly bound: BoundQuery;
  readonly requestedAt: number;
}

/** Those of one tenant, in the order of their requests. */
type Keys<K> = Map<string, K>;

/**
 * The keys that callers have requested last, up to a limit. Beyond it the tenant with most of them loses its oldest, so
 * that one with many keys displaces none of the others'.
 */
export class RecentKeys<K extends RecentKey> {
  readonly #limit: number;
  readonly #byTenant = new Map<string, Keys<K>>();
  /** By key, those of the same tenant. */
  readonly #siblings = new Map<string, Keys<K>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#siblings.size;
  }

  /** Records a request. */
  get(key: string): K | undefined {
    const siblings = this.#siblings.get(key);
    const recent = siblings?.get(key);
    if (siblings === undefined || recent === undefined) return undefined;
    siblings.delete(key);
    siblings.set(key, recent);
    return recent;
  }

  peek(key: string): K | undefined {
    return this.#siblings.get(key)?.get(key);
  }

  entries(): readonly (readonly [string, K])[] {
    return [...this.#byTenant.values()].flatMap((keys) => [...keys]);
  }

  values(): readonly K[] {
    return [...this.#byTenant.values()].flatMap((keys) => [...keys.values()]);
  }

  add(added: K): void {
    this.delete(added.key);
    const siblings = getOrAdd(this.#byTenant, turnOf(added.bound), () => new Map<string, K>());
    this.#siblings.set(added.key, siblings.set(added.key, added));
    if (this.size > this.#limit) this.#dropOne();
  }

  delete(key: string): void {
    const siblings = this.#siblings.get(key);
    const deleted = siblings?.get(key);
    if (siblings === undefined || deleted === undefined) return;
    this.#siblings.delete(key);
    siblings.delete(key);
    if (siblings.size === 0) this.#byTenant.delete(turnOf(deleted.bound));
  }

  #dropOne(): void {
    let size = 0;
    let dropped: K | undefined;
    for (const keys of this.#byTenant.values()) {
      if (keys.size < size) continue;
      const [oldest] = keys.values();
      if (oldest === undefined) continue;
      if (keys.size > size || dropped === undefined || oldest.requestedAt < dropped.requestedAt)
        dropped = oldest;
      size = keys.size;
    }
    if (dropped !== undefined) this.delete(dropped.key);
  }
}

/** Whose a key is: its tenant's, of a list the first one's in any order; without one its query's. */
export function turnOf({ query: { id, tenant }, parameters }: BoundQuery): string {
  return tenant === undefined
    ? id
    : JSON.stringify(textsOf(parameters[tenant.parameter] ?? []).toSorted()[0]);
}
