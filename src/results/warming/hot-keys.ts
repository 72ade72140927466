import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { CachePolicy, SavedQuery } from '../../catalog/model/saved-query.ts';
import { earlierMs, latestMs, quietTimeMs } from './quiet-time.ts';
import { RecentKeys } from './recent-keys.ts';
import { othersOf, refreshIntervalMs, type Waves, waveMs } from './waves.ts';

/** A key that callers request, and when its result is to be refreshed. Times are those of `elapsedMs`. */
export interface HotKey {
  readonly key: string;
  readonly bound: BoundQuery;
  readonly policy: CachePolicy;
  /** True when the header of the query lists it under `warm`: it stays hot without requests. */
  readonly pinned: boolean;
  /** True while a client follows it: it is refreshed as `followSeconds` says. */
  readonly followed: boolean;
  requestedAt: number;
  /** The latest request that other gateways have been informed of. */
  syncedAt: number;
  /** When the run of the newest result began; undefined until one is known. */
  begunAt: number | undefined;
  /** The bill of that run, as far as it is known. */
  bytesBilled: number;
  /** Failed runs since that result. */
  failures: number;
  /** When it is to be refreshed, or tried again. */
  refreshAt: number;
}

/** How long after its run began a result is refreshed, if by itself, in milliseconds. */
type OwnMs = (hotKey: HotKey, intervalMs: number) => number;

/** How many keys are kept warm, besides pinned ones; beyond that the least recently requested of the tenant with most are dropped. */
export const hotKeyLimit = 1_000;

/** Longer keys are cached but not kept warm: they would take memory, and are hardly requested twice. */
const maxKeyLength = 2_048;

/** After a failure a key is retried soon, then with exponential backoff. */
const firstRetryMs = 1_000;
const longestRetryMs = 15_000;
/** However late an engine says that a retry may succeed. */
const longestRestMs = 600_000;

/** Which keys are requested, and when each result is to be refreshed. */
export class HotKeys {
  /** True if the relative values of a bound query have changed. */
  readonly #isOutdated: (bound: BoundQuery) => boolean;
  readonly #pinned = new Map<string, HotKey>();
  readonly #requested = new RecentKeys<HotKey>(hotKeyLimit);
  /** Keys of queries without `cache_warming`, which are refreshed only after a failure: they must not displace those above. */
  readonly #unwarmed = new RecentKeys<HotKey>(hotKeyLimit);
  /** A key may be one of the others too, whose refreshes then wait until it is not followed any more. */
  readonly #followed = new Map<string, HotKey>();

  readonly #waves: Waves;
  /** By how much the interval of refreshes grows. */
  readonly #paceOf: (bound: BoundQuery) => number;

  constructor(
    isOutdated: (bound: BoundQuery) => boolean,
    waves: Waves,
    paceOf: (bound: BoundQuery) => number = () => 1,
  ) {
    this.#paceOf = paceOf;
    this.#isOutdated = isOutdated;
    this.#waves = waves;
  }

  /** Refreshes a key while a client follows it, without regard to requests and to the number of keys. */
  follow(key: string, bound: BoundQuery, policy: CachePolicy, now: number): void {
    this.#followed.set(key, { ...newHotKey(key, bound, policy, now), followed: true, refreshAt: now });
  }

  unfollow(key: string): void {
    this.#followed.delete(key);
  }

  /** True if a key is followed, and no result from a run at `begunAt` or later is known. */
  isNewer(key: string, begunAt: number): boolean {
    const hotKey = this.#followed.get(key);
    if (hotKey === undefined || this.#mustMove(hotKey)) return false;
    return begunAt > (hotKey.begunAt ?? Number.NEGATIVE_INFINITY);
  }

  /** Refreshes the keys of some results with the next tick, of those that are refreshed at all. */
  refreshNow(isOutdated: (hotKey: HotKey) => boolean, now: number): void {
    for (const hotKey of this.#all())
      if (Number.isFinite(hotKey.refreshAt) && isOutdated(hotKey))
        hotKey.refreshAt = Math.min(hotKey.refreshAt, now);
  }

  /** Keeps a key warm from now on, whether it is requested or not. */
  pin(key: string, bound: BoundQuery, policy: CachePolicy, now: number): void {
    if (this.#pinned.get(key)?.bound.query === bound.query) return;
    this.#requested.delete(key);
    this.#unwarmed.delete(key);
    this.#pinned.set(key, { ...newHotKey(key, bound, policy, now), pinned: true, refreshAt: now });
  }

  /** Unpins keys whose relative defaults have been resolved to other values since. */
  unpinOutdated(): void {
    for (const [key, hotKey] of this.#pinned) {
      if (!this.#isOutdated(hotKey.bound)) continue;
      this.#pinned.delete(key);
      this.#add({ ...hotKey, pinned: false });
    }
  }

  /** Records a request to this gateway. @returns the hot key, if the key was one before */
  touch(key: string, bound: BoundQuery, policy: CachePolicy, now: number): HotKey | undefined {
    const hotKey = this.#pinned.get(key) ?? this.#requested.get(key) ?? this.#unwarmed.get(key);
    if (hotKey !== undefined) hotKey.requestedAt = now;
    else if (key.length <= maxKeyLength) this.#add(newHotKey(key, bound, policy, now));
    return hotKey;
  }

  /** Records a request to another gateway for a key that is hot here. @returns false when it is not */
  touchRemote(key: string, requestedAt: number): boolean {
    const hotKey = this.#peek(key);
    if (hotKey === undefined) return false;
    hotKey.requestedAt = Math.max(hotKey.requestedAt, requestedAt);
    return true;
  }

  /** Adds a key that was requested at another gateway, or before this one started; its result is fetched at once. */
  addRemote(key: string, bound: BoundQuery, policy: CachePolicy, requestedAt: number): void {
    if (policy.warmingSeconds === undefined || this.#requested.size >= hotKeyLimit) return;
    const hotKey = newHotKey(key, bound, policy, requestedAt);
    this.#requested.add({ ...hotKey, syncedAt: requestedAt, refreshAt: requestedAt });
  }

  /** Schedules the refresh of a key whose newest result, which has just come, is from a run that began at `begunAt`. */
  recordResult(key: string, begunAt: number, bytesBilled?: number): void {
    this.#record(key, begunAt, bytesBilled, (hotKey, intervalMs) =>
      quietTimeMs(hotKey, { intervalMs, begunAt, keys: this.#all() }),
    );
  }

  /** The same for a result that was known before. Cached hits and reloads call this: it does not look at the other keys. */
  recordKnown(key: string, begunAt: number, bytesBilled?: number): void {
    this.#record(key, begunAt, bytesBilled, earlierMs);
  }

  #record(key: string, begunAt: number, bytesBilled = 0, ownMs: OwnMs): void {
    for (const hotKey of this.#entriesOf(key)) {
      if (begunAt <= (hotKey.begunAt ?? Number.NEGATIVE_INFINITY)) continue;
      hotKey.begunAt = begunAt;
      hotKey.bytesBilled = bytesBilled;
      hotKey.failures = 0;
      hotKey.refreshAt = this.#refreshAt(hotKey, begunAt, ownMs);
    }
  }

  /** Most keys are not kept warm: plug-ins are not called for them. */
  #refreshAt(hotKey: HotKey, begunAt: number, ownMs: OwnMs): number {
    const intervalMs = refreshIntervalMs(hotKey);
    if (intervalMs === Number.POSITIVE_INFINITY) return intervalMs;
    const pace = this.#paceOf(hotKey.bound);
    return (
      this.#waves.next(hotKey, begunAt, pace) ??
      // Clients that follow a key are promised one run in its interval.
      begunAt + (hotKey.followed ? intervalMs : ownMs(hotKey, intervalMs)) * pace
    );
  }

  /** @param retryAfterSeconds when the engine says that a retry may succeed */
  recordFailure(key: string, now: number, retryAfterSeconds = 0): void {
    for (const hotKey of this.#entriesOf(key)) {
      // A key that never had a result is not retried without a request.
      if (hotKey.begunAt === undefined && !hotKey.pinned && !hotKey.followed) continue;
      hotKey.failures += 1;
      const waitMs = Math.min(firstRetryMs * 2 ** (hotKey.failures - 1), longestRetryMs);
      const restMs = Math.min(retryAfterSeconds * 1000, longestRestMs) * (1 + 0.1 * Math.random());
      const leftMs = (hotKey.begunAt ?? Number.NEGATIVE_INFINITY) + latestMs(hotKey) - now;
      // Callers wait for no retry of a stale result: it is tried once more before it is one.
      const pauseMs = leftMs > 0 ? Math.min(restMs, leftMs) : restMs;
      hotKey.refreshAt = now + Math.max(waitMs * (0.5 + 0.5 * Math.random()), pauseMs);
    }
  }

  /**
   * Drops the keys of queries that are no longer there, and unpins those of queries that have changed. A key that the new
   * version of a query has too is kept, with its new policy.
   *
   * @param parseKey the bound query of a key; undefined if no query has it
   */
  replaceQueries(queries: ReadonlySet<SavedQuery>, parseKey: (key: string) => BoundQuery | undefined): void {
    for (const [key, hotKey] of this.#pinned) {
      if (queries.has(hotKey.bound.query)) continue;
      this.#pinned.delete(key);
      this.#addChanged(hotKey, parseKey(key));
    }
    for (const keys of [this.#requested, this.#unwarmed]) {
      for (const [key, hotKey] of keys.entries()) {
        if (queries.has(hotKey.bound.query)) continue;
        keys.delete(key);
        this.#addChanged(hotKey, parseKey(key));
      }
    }
  }

  #add(hotKey: HotKey): void {
    const keys = hotKey.policy.warmingSeconds === undefined ? this.#unwarmed : this.#requested;
    keys.add(hotKey);
  }

  /** Keeps a key for the query's new version: what was known of its results is still true. */
  #addChanged(hotKey: HotKey, bound: BoundQuery | undefined): void {
    if (bound === undefined || bound.query.caching === 'disabled') return;
    const { caching: policy } = bound.query;
    const { begunAt } = hotKey;
    this.#add({ ...hotKey, bound, policy, pinned: false, begunAt: undefined });
    if (begunAt !== undefined) this.recordKnown(hotKey.key, begunAt, hotKey.bytesBilled);
  }

  /** True if the engine has failed since the newest result. */
  isFailing(key: string): boolean {
    return this.#entriesOf(key).some(({ failures }) => failures > 0);
  }

  /** The keys to refresh now. Drops keys without a request within their caching time. */
  due(now: number): readonly HotKey[] {
    for (const keys of [this.#requested, this.#unwarmed]) {
      for (const [key, { requestedAt, policy }] of keys.entries())
        if (requestedAt + policy.ttlSeconds * 1000 < now) keys.delete(key);
    }
    return this.#all().filter((hotKey) => hotKey.refreshAt <= now && !this.#mustMove(hotKey));
  }

  /** True if a key that was due still is: it may have been refreshed since, or be no longer hot. */
  isDue(hotKey: HotKey, now: number): boolean {
    return hotKey.refreshAt <= now && this.#entriesOf(hotKey.key).includes(hotKey) && !this.#mustMove(hotKey);
  }

  /**
   * The tenants for whose results of the same query, with equal other parameters, a refresh of this wave is due; its own too.
   *
   * @param begunAt the moment of the wave: a result that would be refreshed all the same with a later one is not due
   */
  tenantsDue(hotKey: HotKey, now: number, begunAt = now): readonly string[] {
    const { query, parameters } = hotKey.bound;
    const own = othersOf(hotKey.bound);
    const until = now + waveMs(hotKey);
    const due = this.#all().filter(
      (one) =>
        one.bound.query === query &&
        one.refreshAt <= until &&
        !this.#mustMove(one) &&
        othersOf(one.bound) === own &&
        (this.#waves.next(one, begunAt, this.#paceOf(one.bound)) ?? Infinity) > one.refreshAt,
    );
    const values = [parameters, ...due.map(({ bound }) => bound.parameters)];
    const texts = values.flatMap((value) => value[query.tenant?.parameter ?? ''] ?? []);
    return [...new Set(texts)];
  }

  get size(): number {
    return this.#keptWarm().length;
  }

  /** By how much the refresh that is most overdue is late; 0 if none is. */
  lagMs(now: number): number {
    const due = this.#all().filter((hotKey) => !this.#mustMove(hotKey));
    return due.reduce((lag, { refreshAt }) => Math.max(lag, now - refreshAt), 0);
  }

  /** The requests that other gateways have not been informed of; each is returned once. */
  drainUnsynced(): ReadonlyMap<string, number> {
    const unsynced = [...this.#pinned.values(), ...this.#requested.values()].filter(
      ({ requestedAt, syncedAt, policy }) => requestedAt > syncedAt && policy.warmingSeconds !== undefined,
    );
    for (const hotKey of unsynced) hotKey.syncedAt = hotKey.requestedAt;
    return new Map(unsynced.map(({ key, requestedAt }) => [key, requestedAt]));
  }

  #all(): readonly HotKey[] {
    return this.#keptWarm([...this.#unwarmed.values()]);
  }

  /** @param others that are refreshed as well */
  #keptWarm(others: readonly HotKey[] = []): readonly HotKey[] {
    const requested = [...this.#pinned.values(), ...this.#requested.values(), ...others];
    if (this.#followed.size === 0) return requested;
    return [...this.#followed.values(), ...requested.filter(({ key }) => !this.#followed.has(key))];
  }

  /** A followed key whose relative values have changed: who follows it follows another one from its next refresh on. */
  #mustMove({ followed, bound }: HotKey): boolean {
    return followed && this.#isOutdated(bound);
  }

  #peek(key: string): HotKey | undefined {
    return this.#pinned.get(key) ?? this.#requested.peek(key) ?? this.#unwarmed.peek(key);
  }

  #entriesOf(key: string): readonly HotKey[] {
    return [this.#peek(key), this.#followed.get(key)].filter((hotKey) => hotKey !== undefined);
  }
}

function newHotKey(key: string, bound: BoundQuery, policy: CachePolicy, requestedAt: number): HotKey {
  return {
    key,
    bound: withoutLabels(bound),
    policy,
    pinned: false,
    followed: false,
    requestedAt,
    syncedAt: Number.NEGATIVE_INFINITY,
    begunAt: undefined,
    bytesBilled: 0,
    failures: 0,
    refreshAt: Number.POSITIVE_INFINITY,
  };
}

/** Labels belong to one request: a refresh, which serves all callers, is not billed to it. */
function withoutLabels(bound: BoundQuery): BoundQuery {
  if (bound.labels === undefined) return bound;
  const { labels: _, ...rest } = bound;
  return rest;
}
