import type { Logger } from 'pino';
import { type BoundQuery, bind, isOutdated, plainParameters } from '../catalog/binding/bind.ts';
import type { Catalog, SavedQuery } from '../catalog/model/saved-query.ts';
import { buildTimeline, type Clock } from '../concurrency/clock.ts';
import type { Owner } from '../concurrency/fair-share.ts';
import { LoopTurns } from '../concurrency/loop-turns.ts';
import { Slots } from '../concurrency/slots.ts';
import { SingleFlight } from '../concurrency/single-flight.ts';
import type { Engine } from '../engine-contract/engine.ts';
import { errorToLog } from '../engine-contract/without-values.ts';
import { GatewayError, unlessRefused } from '../errors.ts';
import { parseCacheKey, prefixedCacheKey } from './cache-key.ts';
import { type RunOutcome, runKeyOf } from './cacheable-query.ts';
import {
  type ComputeOptions,
  computeAndStore,
  mayServeStale,
  type MayRefresh,
  type OnCost,
  takeShared,
} from './compute.ts';
import type { Follow, Followers } from './followers.ts';
import { ageMs, keepMs } from './freshness.ts';
import { type Counters, zeroCounters } from './counters.ts';
import { buildCurrentResults, type CurrentResults } from './current-results.ts';
import { buildGetResult, type GetResult } from './get-result.ts';
import { type HotKey, HotKeys } from './warming/hot-keys.ts';
import type { ResultDocument } from './result-document.ts';
import { type DerivedStore, openResultStore } from './result-store.ts';
import type { OpenSharedCache } from './shared/shared-cache.ts';
import { buildSharedClock } from './shared/shared-clock.ts';
import { buildWaves, type Waves } from './warming/waves.ts';
import { isNearlyTooLate, openWarmer, type Warmer, type WarmerOptions } from './warming/warmer.ts';

interface ResultsOptions {
  readonly catalog: Catalog;
  readonly engine: Engine;
  /** How many queries the engine runs at the same time. */
  readonly engineConcurrency: number;
  readonly engineTimeoutMs: number;
  /** True if the engine computes materialized parts once for the refreshes of a wave. */
  readonly sharesParts?: boolean;
  /** As in `ComputeOptions`. Default: false. */
  readonly isOneEngine?: boolean;
  readonly memoryBytes: number;
  /** Opens the cache that gateways share; undefined when results are cached in memory only. */
  readonly openShared: OpenSharedCache | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Large documents are put together in turns with other long work of the process. */
  readonly turns?: LoopTurns;
  /** Receives the cost of each run of our engine, by endpoint. */
  readonly onCost: OnCost;
  /** By how much refreshes of a query are rarer than its header says, for a time. */
  readonly paceOf?: (bound: BoundQuery) => number;
  /** True for a result that is refreshed together with others of its query. */
  readonly refreshesTogether?: (bound: BoundQuery) => boolean;
  /** As in `ComputeOptions`. Default: always. */
  readonly mayRefresh?: MayRefresh;
}

export interface Results extends Follow {
  readonly get: GetResult;
  /** The time of all gateways that share the cache. */
  readonly clock: Clock;
  /** From now on results of this version's queries are kept warm, and no others. */
  replaceCatalog(catalog: Catalog): void;
  /** The data has other versions: what is kept warm is refreshed where it is of one before. */
  dataChanged(): void;
  readonly counters: Readonly<Counters>;
  /** How many keys are kept warm. */
  hotKeys(): number;
  /** By how much the refresh that is most overdue is late, in milliseconds. */
  refreshLagMs(): number;
  /** True while the shared cache can be written; undefined without one. */
  isSharedUp(): boolean | undefined;
  /** Memory for what is made of results. */
  readonly derived: DerivedStore;
  /** Decides whether that may still be sent. */
  readonly current: CurrentResults;
  /** Resolves when the first attempt to connect to the shared cache has succeeded or failed. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** Each may be some megabytes, and is in memory several times: as rows, as text, and in each encoding. */
const maxDocumentsBeingBuilt = 4;

/** Results that clients follow take turns with the requests of each key; those that are only kept warm come last. */
const following: Owner = 'results that are followed';

/** Results that have nearly expired take turns, too: last in a queue that is never empty, they would expire. */
const nearlyExpired: Owner = 'results that have nearly expired';

const defaults = {
  sharesParts: false,
  isOneEngine: false,
  refreshesTogether: () => false,
  mayRefresh: () => true,
};

/** The cache between bound queries and the engine. */
export function openResults(options: ResultsOptions): Results {
  const { engine, engineConcurrency, engineTimeoutMs, memoryBytes, openShared } = options;
  let { catalog } = options;
  const { log, onCost, turns = new LoopTurns() } = options;
  const clock = buildSharedClock(options.clock);
  const counters = zeroCounters();
  const memory = openResultStore(memoryBytes, counters);
  const timeline = buildTimeline(clock);
  const { sharesParts, isOneEngine, refreshesTogether, mayRefresh } = { ...defaults, ...options };
  const waves = buildWaves({ clock, timeline, isOn: sharesParts, refreshesTogether });
  const hotKeys = new HotKeys((bound) => isOutdated(bound, clock.now().getTime()), waves, options.paceOf);
  const followers: Followers = new Map();
  const singleFlight = new SingleFlight<RunOutcome>(clock);
  const prefix = `${JSON.stringify(engine.source)} `;
  const keyOf = prefixedCacheKey(prefix);
  const parseKey = (key: string) =>
    key.startsWith(prefix)
      ? parseCacheKey(catalog, key.slice(prefix.length), clock.now().getTime())
      : undefined;

  let warmer: Warmer | undefined;
  const { elapsedMs, note } = clock;
  const use = { source: engine.source, turns };
  const shared = openShared?.(() => warmer?.readDemand(), { elapsedMs, note, ...timeline }, use);
  const compute: ComputeOptions = {
    engine,
    engineTimeoutMs,
    isOneEngine,
    memory,
    shared,
    hotKeys,
    followers,
    counters,
    clock,
    timeline,
    log,
    onCost,
    mayRefresh,
    slots: new Slots(maxDocumentsBeingBuilt),
    turns,
  };

  const pins = new WarmPins(catalog, { hotKeys, memory, keyOf, clock });
  warmer = openWarmer({
    hotKeys,
    waves,
    singleFlight,
    shared,
    clock,
    engineConcurrency,
    refresh: buildRefresh(compute, singleFlight, waves),
    onFailure: buildOnFailure(clock, log),
    onTick: () => pins.renew(),
    parseKey,
  });

  const { close } = warmer;
  return {
    get: buildGetResult({ ...compute, keyOf, singleFlight }),
    clock,
    replaceCatalog(next) {
      catalog = next;
      hotKeys.replaceQueries(new Set(next.queries), parseKey);
      pins.replaceCatalog(next);
    },
    dataChanged: () => refreshChanged(compute),
    ...buildFollow(compute, keyOf),
    counters,
    hotKeys: () => hotKeys.size,
    refreshLagMs: () => hotKeys.lagMs(clock.elapsedMs()),
    isSharedUp: () => shared?.isUp(),
    derived: memory.derived,
    current: buildCurrentResults({ ...compute, keyOf }),
    ready: shared?.ready ?? Promise.resolve(),
    async close() {
      await close();
      await shared?.close();
    },
  };
}

/** Refreshes what is kept warm of an earlier version of the data. */
function refreshChanged({ engine, memory, hotKeys, clock }: ComputeOptions): void {
  const isChanged = ({ key, bound }: HotKey) => {
    const document = memory.peek(key);
    return document !== undefined && document.metadata.dataVersion !== engine.dataVersionOf?.(bound.query);
  };
  hotKeys.refreshNow(isChanged, clock.elapsedMs());
}

/** Gets a newer result of a key, and informs those who follow it if there is not one. */
function buildRefresh(
  compute: ComputeOptions,
  singleFlight: SingleFlight<RunOutcome>,
  waves: Waves,
): WarmerOptions['refresh'] {
  return async (hotKey, signal) => {
    const { key, bound, policy, followed, begunAt = Number.NEGATIVE_INFINITY } = hotKey;
    const isLate = isNearlyTooLate(hotKey, compute.clock.elapsedMs());
    const owner = followed ? following : isLate ? nearlyExpired : undefined;
    const wave = waves.current(hotKey);
    const dataVersion = compute.engine.dataVersionOf?.(bound.query);
    const waveBegunAt = wave && compute.timeline.elapsedAt(wave.moment);
    const refresh = {
      replaces: Number.isFinite(begunAt) ? compute.timeline.momentAt(begunAt) : undefined,
      tenants: () => compute.hotKeys.tenantsDue(hotKey, compute.clock.elapsedMs(), waveBegunAt),
    };
    const query = {
      key,
      bound,
      policy,
      dataVersion,
      owner,
      wave,
      refresh,
      minBegunAt: begunAt + 1,
      noCache: false,
    };
    const outcome = await singleFlight
      .start(runKeyOf(query), signal, (context) => computeAndStore(compute, query, context))
      .catch((error: unknown) => {
        const mayServe = (document: ResultDocument) =>
          mayServeStale(error) && ageMs(document, compute.clock.elapsedMs()) < keepMs(policy);
        compute.followers.get(key)?.onFailure(error, mayServe);
        throw error;
      });
    if (outcome?.source === 'engine') compute.counters.refreshes += 1;
    return outcome !== undefined;
  };
}

/** Lets clients follow results, which are computed again and again as long as they do. */
function buildFollow(compute: ComputeOptions, keyOf: Follow['keyOf']): Follow {
  const { engine, memory, shared, hotKeys, followers, clock } = compute;
  return {
    keyOf,
    latest: memory.peek,
    follow(bound, follower) {
      const key = keyOf(bound);
      const { caching } = bound.query;
      if (caching === 'disabled') throw new Error(`${bound.query.name} is not cached`);
      followers.set(key, follower);
      hotKeys.follow(key, bound, caching, clock.elapsedMs());
      // It is only read: gateways that cannot read each other's results would compute them by turns, without an end.
      const stopListening = shared?.listen(key, (begunAt) => {
        const dataVersion = engine.dataVersionOf?.(bound.query);
        if (hotKeys.isNewer(key, begunAt))
          void takeShared(compute, shared, { key, bound, policy: caching, dataVersion });
      });
      recordLatest({ memory, hotKeys }, key);
      return () => {
        if (followers.get(key) !== follower) return;
        followers.delete(key);
        stopListening?.();
        hotKeys.unfollow(key);
      };
    },
  };
}

/** The result that memory has of a key is not computed again before its time. */
function recordLatest({ memory, hotKeys }: Pick<ComputeOptions, 'memory' | 'hotKeys'>, key: string): void {
  const known = memory.peek(key);
  if (known !== undefined) hotKeys.recordKnown(key, known.begunAt, known.metadata.cost?.bytesBilled);
}

/** Logs failed refreshes at most once a minute per endpoint: an endpoint may have a thousand hot keys. */
function buildOnFailure(clock: Clock, log: Logger): (endpoint: string | undefined, error: unknown) => void {
  const loggedAt = new Map<string | undefined, number>();
  return (endpoint, error) => {
    const now = clock.elapsedMs();
    if (now < (loggedAt.get(endpoint) ?? Number.NEGATIVE_INFINITY) + 60_000) return;
    loggedAt.set(endpoint, now);
    const { code, cause = error } = error instanceof GatewayError ? error : { code: 'INTERNAL' };
    log.warn(
      { endpoint, code, err: errorToLog(cause, log) },
      'a background refresh failed; callers get the cached result until it expires',
    );
  };
}

interface WarmPinsOptions extends Pick<ComputeOptions, 'memory' | 'hotKeys' | 'clock'> {
  readonly keyOf: Follow['keyOf'];
}

/** Pins the parameter sets that queries list under `warm`; they were checked when the headers were read. */
class WarmPins {
  readonly #options: WarmPinsOptions;
  #catalog: Catalog;
  /** From when and until when they are the keys that are pinned: defaults may be relative to the time. */
  #pinned: Pick<BoundQuery, 'validFrom' | 'validUntil'>;

  constructor(catalog: Catalog, options: WarmPinsOptions) {
    this.#options = options;
    this.#catalog = catalog;
    this.#pinned = this.#pin();
  }

  replaceCatalog(catalog: Catalog): void {
    this.#catalog = catalog;
    this.#pinned = this.#pin();
  }

  /** Pins other keys, if time has made them others. */
  renew(): void {
    const { hotKeys, clock } = this.#options;
    if (!isOutdated(this.#pinned, clock.now().getTime())) return;
    hotKeys.unpinOutdated();
    this.#pinned = this.#pin();
  }

  #pin(): Pick<BoundQuery, 'validFrom' | 'validUntil'> {
    const { hotKeys, keyOf, clock } = this.#options;
    const now = clock.now().getTime();
    let until = Number.POSITIVE_INFINITY;
    for (const query of this.#catalog.queries) {
      if (query.caching === 'disabled') continue;
      for (const parameters of query.warm) {
        const bound = bindNow(query, parameters, now);
        if (bound === undefined) continue;
        const key = keyOf(bound);
        hotKeys.pin(key, bound, query.caching, clock.elapsedMs());
        recordLatest(this.#options, key);
        until = Math.min(until, bound.validUntil ?? until);
      }
    }
    return { validFrom: now, validUntil: until };
  }
}

/** undefined if a value of the set is outside of a bound that is relative to the time. */
const bindNow = (
  query: SavedQuery,
  parameters: SavedQuery['warm'][number],
  now: number,
): BoundQuery | undefined => unlessRefused(() => bind(query, plainParameters(parameters), now));
