import type { Logger } from 'pino';
import { type BoundQuery, bind, plainParameters } from '../catalog/binding/bind.ts';
import type { Catalog } from '../catalog/saved-query.ts';
import type { Clock } from '../concurrency/clock.ts';
import { buildFlights } from '../concurrency/single-flight.ts';
import type { Cost, Engine } from '../engine/engine.ts';
import { GatewayError } from '../errors.ts';
import { cacheKey, parseCacheKey } from './cache-key.ts';
import { buildObtain } from './compute.ts';
import { type Counters, zeroCounters } from './counters.ts';
import { buildGetResult, type GetResult } from './get-result.ts';
import { type HotKey, HotKeys } from './hot-keys.ts';
import { openMemoryStore } from './memory-store.ts';
import type { OpenSharedCache } from './shared-cache.ts';
import { openWarmer, type Warmer } from './warmer.ts';

export interface ResultsOptions {
  readonly catalog: Catalog;
  readonly engine: Engine;
  /** How many queries the engine runs at the same moment. */
  readonly engineConcurrency: number;
  readonly memoryBytes: number;
  /** Opens the cache that gateways share; undefined where this one is alone. */
  readonly openShared: OpenSharedCache | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told what each run of our engine cost, by endpoint. */
  readonly onCost: (endpoint: string, cost: Cost) => void;
}

export interface Results {
  readonly get: GetResult;
  readonly counters: Readonly<Counters>;
  /** Resolves when it is known, soon, whether the shared cache answers. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** Everything that stands between a bound question and the engine. */
export function openResults({
  catalog,
  engine,
  engineConcurrency,
  memoryBytes,
  openShared,
  clock,
  log,
  onCost,
}: ResultsOptions): Results {
  const counters = zeroCounters();
  const memory = openMemoryStore(memoryBytes, counters);
  const demand = new HotKeys();
  const flights = buildFlights(clock);
  const prefix = `${JSON.stringify(engine.source)} `;
  const keyOf = (bound: BoundQuery) => prefix + cacheKey(bound);
  const parseKey = (key: string) =>
    key.startsWith(prefix) ? parseCacheKey(catalog, key.slice(prefix.length)) : undefined;

  let warmer: Warmer | undefined;
  const shared = openShared?.(() => warmer?.readDemand());
  const obtain = buildObtain({ engine, memory, shared, demand, counters, clock, log, onCost });

  const refresh = async ({ key, bound, policy, computedAt = -1 }: HotKey, signal: AbortSignal) => {
    const question = { key, bound, policy, newerThan: computedAt, forced: false };
    const landed = await flights.launch(key, signal, obtain.kept(question));
    if (landed?.source === 'run') counters.refreshes += 1;
    return landed !== undefined;
  };
  pinWarm(catalog, demand, keyOf, clock);
  const onFailure = buildOnFailure(clock, log);
  warmer = openWarmer({ demand, flights, shared, clock, engineConcurrency, refresh, onFailure, parseKey });

  const { close } = warmer;
  return {
    get: buildGetResult({ keyOf, memory, flights, obtain, demand, counters, clock }),
    counters,
    ready: shared?.tried ?? Promise.resolve(),
    async close() {
      await close();
      await shared?.close();
    },
  };
}

/** A line in the log for each endpoint that cannot be refreshed, once a minute: it may have a thousand keys in demand. */
function buildOnFailure(clock: Clock, log: Logger): (endpoint: string, error: unknown) => void {
  const told = new Map<string, number>();
  return (endpoint, error) => {
    const now = clock.now().getTime();
    if (now < (told.get(endpoint) ?? Number.NEGATIVE_INFINITY) + 60_000) return;
    told.set(endpoint, now);
    const { code, cause = error } = error instanceof GatewayError ? error : { code: 'INTERNAL' };
    log.warn(
      { endpoint, code, err: cause },
      'a refresh failed; callers get what is kept as long as it may be',
    );
  };
}

/** The parameter sets that queries' headers list; they were checked when the headers were read. */
function pinWarm(
  { queries }: Catalog,
  demand: HotKeys,
  keyOf: (bound: BoundQuery) => string,
  clock: Clock,
): void {
  for (const query of queries) {
    if (query.caching === 'disabled') continue;
    for (const set of query.warm) {
      const bound = bind(query, plainParameters(set));
      demand.pin(keyOf(bound), bound, query.caching, clock.now().getTime());
    }
  }
}
