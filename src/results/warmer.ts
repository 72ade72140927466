import type { BoundQuery } from '../catalog/binding/bind.ts';
import type { Clock } from '../concurrency/clock.ts';
import type { Flights } from '../concurrency/single-flight.ts';
import type { HotKey, HotKeys } from './hot-keys.ts';
import type { SharedCache } from './shared-cache.ts';

export interface WarmerOptions {
  readonly demand: HotKeys;
  readonly flights: Flights;
  readonly shared: SharedCache | undefined;
  readonly clock: Clock;
  /** How many queries the engine runs at the same moment. */
  readonly engineConcurrency: number;
  /** Gets a newer answer. @returns false where another gateway is getting it; rejects where the engine fails */
  readonly refresh: (wanted: HotKey, signal: AbortSignal) => Promise<boolean>;
  /** Told of every refresh that failed: no caller hears of it. */
  readonly onFailure: (endpoint: string, error: unknown) => void;
  /** The question that a shared key stands for, where it is one of ours. */
  readonly parseKey: (key: string) => BoundQuery | undefined;
}

export interface Warmer {
  /** Learns what other gateways, or those before the start, were asked for. */
  readDemand(): Promise<void>;
  close(): Promise<void>;
}

const tickMs = 250;

/** How often gateways tell each other what they are asked for, and how often they listen. */
const tellEveryMs = 5_000;
const listenEveryMs = 30_000;

/** When it looks again for an answer that another gateway is getting. */
const elsewhereMs = 1_000;

/** When it asks again what the engine refuses as the question's own fault. */
const refusedMs = 15_000;

/** Refreshes what is in demand before it expires: one clock for all keys, and never more than half of the engine. */
export function openWarmer(options: WarmerOptions): Warmer {
  const { demand, flights, shared, clock } = options;
  const closing = new AbortController();
  const running = new Set<string>();
  let toldAt = clock.now().getTime();
  let listenedAt = toldAt;

  const refresh = async (wanted: HotKey) => {
    running.add(wanted.key);
    try {
      const isDone = await options.refresh(wanted, closing.signal);
      if (!isDone) wanted.nextAt = clock.now().getTime() + elsewhereMs;
    } catch (error) {
      if (!closing.signal.aborted) options.onFailure(wanted.bound.query.name, error);
      // The demand knows when it is tried again, but of the engine's troubles only.
      const now = clock.now().getTime();
      if (wanted.nextAt <= now) wanted.nextAt = now + refusedMs;
    } finally {
      running.delete(wanted.key);
    }
  };

  const tick = () => {
    const now = clock.now().getTime();
    for (const wanted of demand.due(now)) {
      if (running.has(wanted.key) || flights.has(wanted.key)) continue;
      if (!hasRoom(options, running.size, wanted, now)) break;
      refresh(wanted);
    }
    if (now - toldAt >= tellEveryMs) {
      toldAt = now;
      shared?.tellDemand(demand.takeNews());
    }
    if (now - listenedAt >= listenEveryMs) {
      listenedAt = now;
      readDemand(options);
    }
    stop = clock.after(tickMs, tick);
  };
  let stop = clock.after(tickMs, tick);

  return {
    readDemand: () => readDemand(options),
    async close() {
      stop();
      closing.abort();
      await shared?.tellDemand(demand.takeNews());
    },
  };
}

/** Callers' own queries come first; only what is about to expire is let past them, one at a time. */
function hasRoom(
  { flights, engineConcurrency }: WarmerOptions,
  running: number,
  { computedAt = 0, policy: { ttlSeconds, warmingSeconds = ttlSeconds } }: HotKey,
  now: number,
): boolean {
  if (running === 0 && now > computedAt + ((ttlSeconds + warmingSeconds) / 2) * 1000) return true;
  const ours = Math.max(1, Math.floor(engineConcurrency / 2));
  return running < ours && flights.awaited() + running < engineConcurrency;
}

async function readDemand({ demand, shared, clock, parseKey }: WarmerOptions): Promise<void> {
  if (shared === undefined) return;
  const now = clock.now().getTime();
  for (const [key, askedAt] of await shared.demandSince(now - longestDemandMs)) {
    if (demand.hear(key, Math.min(askedAt, now))) continue;
    const bound = parseKey(key);
    if (bound === undefined || bound.query.caching === 'disabled') continue;
    if (askedAt + bound.query.caching.ttlSeconds * 1000 < now) continue;
    demand.adopt(key, bound, bound.query.caching, Math.min(askedAt, now));
  }
}

/** Demand that is older than a day is not even read. */
const longestDemandMs = 24 * 60 * 60 * 1000;
