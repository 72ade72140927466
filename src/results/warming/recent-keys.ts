import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { textsOf } from '../../catalog/binding/list-values.ts';

interface RecentKey {
  readonly key: string;
  readonly bound: BoundQuery;
  readonly requestedAt: number;
}

/** Those of one tenant, or of one set of tenants, in the order of their requests. */
type Keys<K> = Map<string, K>;

/**
 * The keys that callers have requested last, up to a limit. Beyond it the tenant with most of them loses its oldest, so
 * that one with many keys displaces none of the others'. Keys without a tenant are together as those of one.
 */
export class RecentKeys<K extends RecentKey> {
  readonly #limit: number;
  readonly #byTenants = new Map<string, Keys<K>>();
  /** By key, those of the same tenants. */
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
    return [...this.#byTenants.values()].flatMap((keys) => [...keys]);
  }

  values(): readonly K[] {
    return [...this.#byTenants.values()].flatMap((keys) => [...keys.values()]);
  }

  add(added: K): void {
    this.delete(added.key);
    const tenants = tenantsOf(added.bound);
    const siblings = this.#byTenants.get(tenants) ?? new Map<string, K>();
    this.#byTenants.set(tenants, siblings);
    this.#siblings.set(added.key, siblings.set(added.key, added));
    if (this.size > this.#limit) this.#dropOne();
  }

  delete(key: string): void {
    const siblings = this.#siblings.get(key);
    const deleted = siblings?.get(key);
    if (siblings === undefined || deleted === undefined) return;
    this.#siblings.delete(key);
    siblings.delete(key);
    if (siblings.size === 0) this.#byTenants.delete(tenantsOf(deleted.bound));
  }

  #dropOne(): void {
    let size = 0;
    let dropped: K | undefined;
    for (const keys of this.#byTenants.values()) {
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

/** A list has the same tenants in any order. */
function tenantsOf({ query: { tenant }, parameters }: BoundQuery): string {
  const value = tenant && parameters[tenant.parameter];
  return JSON.stringify([...new Set(textsOf(value ?? []))].sort());
}
