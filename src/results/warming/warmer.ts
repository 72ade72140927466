import { LRUCache } from 'lru-cache';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { Clock } from '../../concurrency/clock.ts';
import { openRepeat } from '../../concurrency/repeat.ts';
import type { SingleFlight } from '../../concurrency/single-flight.ts';
import { type HotKey, hotKeyLimit, type HotKeys } from './hot-keys.ts';
import { longestDemandMs, type SharedCache } from '../shared/shared-cache.ts';
import { RefreshTurns } from './refresh-turns.ts';
import type { Waves } from './waves.ts';

export interface WarmerOptions {
  readonly hotKeys: HotKeys;
  readonly waves: Pick<Waves, 'nameOf'>;
  readonly singleFlight: Pick<SingleFlight<unknown>, 'has' | 'runsWithCallers'>;
  readonly shared: SharedCache | undefined;
  readonly clock: Clock;
  /** How many queries the engine runs at the same time. */
  readonly engineConcurrency: number;
  /** Gets a newer result. @returns false when another gateway is computing it; rejects when the engine fails */
  readonly refresh: (hotKey: HotKey, signal: AbortSignal) => Promise<boolean>;
  /** Called for every refresh that failed, because no caller sees its error. */
  readonly onFailure: (endpoint: string | undefined, error: unknown) => void;
  /** Called before due keys are looked for. */
  readonly onTick?: () => void;
  /** The bound query of a shared key, if it belongs to this catalog. */
  readonly parseKey: (key: string) => BoundQuery | undefined;
}

export interface Warmer {
  /** Reads which keys were requested at other gateways, or before this one started. */
  readDemand(): Promise<void>;
  close(): Promise<void>;
}

const tickMs = 250;

/** How often gateways exchange which keys are requested. */
const recordDemandMs = 5_000;
const readDemandMs = 30_000;

/** When it checks again for a result that another gateway is computing. */
const elsewhereMs = 1_000;

/** When it retries a query that the engine rejects as the query's own fault. */
const rejectedMs = 15_000;

/**
 * Refreshes hot keys before their results expire, by one timer for all keys. Those that clients follow take at most half of the
 * engine, and turns with callers in its queue. The others take what is left of that half, but always one of them may begin, and
 * they never hold back those that are followed. Callers' queries take precedence over them; only one that is nearly too late
 * takes turns with callers, if it is the only one of them.
 */
export function openWarmer(options: WarmerOptions): Warmer {
  const { hotKeys, waves, singleFlight, shared, clock, engineConcurrency } = options;
  const closing = new AbortController();
  const running = new Map<string, HotKey>();
  const turns = new RefreshTurns();
  /** True while the refresh that begins the run for many keys has not ended: the others would only wait for it. */
  const isBeginning = new LRUCache<string, boolean>({ max: hotKeyLimit });
  /** The keys that the latest tick found, and that have not had their turn: first those that are followed, then the others. */
  let waiting: readonly HotKey[][] = [];
  let recordedAt = clock.elapsedMs();
  let readAt = recordedAt;

  const refresh = async (hotKey: HotKey, name: string | undefined) => {
    const begins = name !== undefined && !isBeginning.has(name);
    if (begins) isBeginning.set(name, true);
    running.set(hotKey.key, hotKey);
    turns.take(hotKey);
    try {
      const isDone = await options.refresh(hotKey, closing.signal);
      if (!isDone) postpone(hotKey, clock.elapsedMs(), elsewhereMs);
    } catch (error) {
      if (!closing.signal.aborted) options.onFailure(hotKey.bound.query.name, error);
      postpone(hotKey, clock.elapsedMs(), rejectedMs);
    } finally {
      running.delete(hotKey.key);
      if (begins) isBeginning.set(name, false);
      // Not only with the next tick, or many keys with short intervals would be late; and in a turn of its own, for queries
      // that take no time.
      if (waiting.some(({ length }) => length > 0)) setImmediate(refreshDue);
    }
  };

  const maxRefreshes = Math.max(1, Math.floor(engineConcurrency / 2));
  const refreshDue = () => waiting.forEach(beginSome);
  const beginSome = (keys: HotKey[]) => {
    const now = clock.elapsedMs();
    const runsWithCallers = singleFlight.runsWithCallers();
    for (let [hotKey] = keys; hotKey !== undefined && !closing.signal.aborted; [hotKey] = keys) {
      const { followed } = hotKey;
      const alike = [...running.values()].filter((one) => one.followed === followed).length;
      if (alike > 0 && (followed ? alike : running.size) >= maxRefreshes) return;
      keys.shift();
      if (!hotKeys.isDue(hotKey, now)) continue;
      if (running.has(hotKey.key) || singleFlight.has(hotKey.key)) continue;
      const name = waves.nameOf(hotKey);
      if (name !== undefined && isBeginning.get(name) === true) continue;
      const isRoomLeft = runsWithCallers + running.size < engineConcurrency;
      // One that does not go ahead of callers lets the next tick look for room: a later one may.
      if (isRoomLeft || followed || (alike === 0 && isNearlyTooLate(hotKey, now))) refresh(hotKey, name);
    }
  };

  const tick = async () => {
    const now = clock.elapsedMs();
    options.onTick?.();
    const due = turns.order(hotKeys.due(now));
    waiting = [true, false].map((followed) => due.filter((one) => one.followed === followed));
    refreshDue();
    if (now - recordedAt >= recordDemandMs) {
      recordedAt = now;
      shared?.recordDemand(hotKeys.drainUnsynced());
    }
    if (now - readAt >= readDemandMs) {
      readAt = now;
      readDemand(options);
    }
  };
  const repeat = openRepeat({ clock, everyMs: tickMs, work: tick, onError: reportTo(options) });

  return {
    readDemand: () => readDemand(options),
    async close() {
      closing.abort();
      await repeat.close();
      await shared?.recordDemand(hotKeys.drainUnsynced());
    },
  };
}

/** The next attempt may be set already: by `recordFailure`, or by a result that another gateway has announced meanwhile. */
function postpone(hotKey: HotKey, now: number, byMs: number): void {
  if (hotKey.refreshAt <= now) hotKey.refreshAt = now + byMs;
}

/** True if callers are likely to wait for a run before the result is refreshed. */
export function isNearlyTooLate(
  { begunAt = Number.NEGATIVE_INFINITY, policy }: HotKey,
  now: number,
): boolean {
  const { ttlSeconds, warmingSeconds = ttlSeconds } = policy;
  return now > begunAt + ((ttlSeconds + warmingSeconds) / 2) * 1000;
}

/** Adds the keys that callers of other gateways request. It never rejects. */
const readDemand = (options: WarmerOptions): Promise<void> => addDemand(options).catch(reportTo(options));

const reportTo =
  ({ onFailure }: WarmerOptions) =>
  (error: unknown): void =>
    onFailure(undefined, error);

async function addDemand({ hotKeys, shared, clock, parseKey }: WarmerOptions): Promise<void> {
  if (shared === undefined) return;
  const now = clock.elapsedMs();
  for (const [key, requestedAt] of await shared.demandSince(now - longestDemandMs)) {
    if (hotKeys.touchRemote(key, requestedAt)) continue;
    const bound = parseKey(key);
    if (bound === undefined || bound.query.caching === 'disabled') continue;
    if (requestedAt + bound.query.caching.ttlSeconds * 1000 < now) continue;
    hotKeys.addRemote(key, bound, bound.query.caching, requestedAt);
  }
}
