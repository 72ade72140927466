import type { Logger } from 'pino';
import { type BoundQuery, bind, plainParameters } from '../catalog/binding/bind.ts';
import type { Catalog } from '../catalog/saved-query.ts';
import type { Clock } from '../concurrency/clock.ts';
import { buildSingleFlight } from '../concurrency/single-flight.ts';
import type { Engine } from '../engine/engine.ts';
import { GatewayError } from '../errors.ts';
import { cacheKey, parseCacheKey } from './cache-key.ts';
import type { RunOutcome } from './cacheable-query.ts';
import { computeAndStore, type OnCost } from './compute.ts';
import { type Counters, zeroCounters } from './counters.ts';
import { buildGetResult, type GetResult } from './get-result.ts';
import { type HotKey, HotKeys } from './hot-keys.ts';
import { type DerivedStore, openMemoryStore } from './memory-store.ts';
import type { OpenSharedCache } from './shared-cache.ts';
import { openWarmer, type Warmer } from './warmer.ts';

interface ResultsOptions {
  readonly catalog: Catalog;
  readonly engine: Engine;
  /** How many queries the engine runs at the same time. */
  readonly engineConcurrency: number;
  readonly memoryBytes: number;
  /** Opens the cache that gateways share; undefined when results are cached in memory only. */
  readonly openShared: OpenSharedCache | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Receives the cost of each run of our engine, by endpoint. */
  readonly onCost: OnCost;
}

export interface Results {
  readonly get: GetResult;
  readonly counters: Readonly<Counters>;
  /** How many keys are kept warm. */
  hotKeys(): number;
  /** By how much the refresh that is most overdue is late, in milliseconds. */
  refreshLagMs(): number;
  /** Whether the shared cache is connected; undefined without one. */
  isSharedUp(): boolean | undefined;
  /** Memory for what is made of results. */
  readonly derived: DerivedStore;
  /** Resolves when the first attempt to connect to the shared cache has succeeded or failed. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** The cache between bound queries and the engine. */
export function openResults(options: ResultsOptions): Results {
  const { catalog, engine, engineConcurrency, memoryBytes, openShared, clock, log, onCost } = options;
  const counters = zeroCounters();
  const memory = openMemoryStore(memoryBytes, counters);
  const hotKeys = new HotKeys();
  const singleFlight = buildSingleFlight<RunOutcome>(clock);
  // Gateways over other data share nothing, even on one Redis.
  const prefix = `${JSON.stringify(engine.source)} `;
  const keyOf = (bound: BoundQuery) => prefix + cacheKey(bound);
  const parseKey = (key: string) =>
    key.startsWith(prefix) ? parseCacheKey(catalog, key.slice(prefix.length)) : undefined;

  let warmer: Warmer | undefined;
  const shared = openShared?.(() => warmer?.readDemand());
  const compute = { engine, memory, shared, hotKeys, counters, clock, log, onCost };

  const refresh = async ({ key, bound, policy, computedAt = -1 }: HotKey, signal: AbortSignal) => {
    const query = { key, bound, policy, owner: undefined, minComputedAt: computedAt + 1, noCache: false };
    const outcome = await singleFlight.start(key, signal, (context) =>
      computeAndStore(compute, query, context),
    );
    if (outcome?.source === 'engine') counters.refreshes += 1;
    return outcome !== undefined;
  };
  pinWarm(catalog, hotKeys, keyOf, clock);
  const onFailure = buildOnFailure(clock, log);
  warmer = openWarmer({
    hotKeys,
    singleFlight,
    shared,
    clock,
    engineConcurrency,
    refresh,
    onFailure,
    parseKey,
  });

  const { close } = warmer;
  return {
    get: buildGetResult({ ...compute, keyOf, singleFlight }),
    counters,
    hotKeys: () => hotKeys.size,
    refreshLagMs: () => hotKeys.lagMs(clock.now().getTime()),
    isSharedUp: () => shared?.isUp(),
    derived: memory.derived,
    ready: shared?.ready ?? Promise.resolve(),
    async close() {
      await close();
      await shared?.close();
    },
  };
}

/** Logs failed refreshes at most once a minute per endpoint: an endpoint may have a thousand hot keys. */
function buildOnFailure(clock: Clock, log: Logger): (endpoint: string | undefined, error: unknown) => void {
  const loggedAt = new Map<string | undefined, number>();
  return (endpoint, error) => {
    const now = clock.now().getTime();
    if (now < (loggedAt.get(endpoint) ?? Number.NEGATIVE_INFINITY) + 60_000) return;
    loggedAt.set(endpoint, now);
    const { code, cause = error } = error instanceof GatewayError ? error : { code: 'INTERNAL' };
    log.warn(
      { endpoint, code, err: cause },
      'a background refresh failed; callers get the cached result until it expires',
    );
  };
}

/** Pins the parameter sets that queries list under `warm`; they were checked when the headers were read. */
function pinWarm(
  { queries }: Catalog,
  hotKeys: HotKeys,
  keyOf: (bound: BoundQuery) => string,
  clock: Clock,
): void {
  for (const query of queries) {
    if (query.caching === 'disabled') continue;
    for (const parameters of query.warm) {
      const bound = bind(query, plainParameters(parameters));
      hotKeys.pin(keyOf(bound), bound, query.caching, clock.now().getTime());
    }
  }
}
