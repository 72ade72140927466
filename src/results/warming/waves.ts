import { hash } from 'node:crypto';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { type CachePolicy, followSeconds } from '../../catalog/model/saved-query.ts';
import type { Clock, Timeline } from '../../concurrency/clock.ts';
import type { Wave } from '../../engine-contract/engine.ts';
import { memoize } from '../../memoize.ts';

/** A hot key, as far as it decides when it is refreshed. */
interface Refreshed {
  readonly bound: BoundQuery;
  readonly policy: CachePolicy;
  readonly followed: boolean;
  readonly begunAt?: number | undefined;
}

/** When queries with materialized parts, and those of many tenants, are refreshed: together, so that rows are read once for all. */
export interface Waves {
  /**
   * When a result is refreshed whose run began at `begunAt`, both by `elapsedMs`; undefined if that is its own matter.
   *
   * @param pace of so many waves it is in one
   */
  next(hotKey: Refreshed, begunAt: number, pace: number): number | undefined;
  /** The wave of a refresh that begins now; undefined if it belongs to none. */
  current(hotKey: Refreshed): Wave | undefined;
  /** Names the refreshes that one run is for, which the first of them begins; undefined if a run is for one key. */
  nameOf(hotKey: Refreshed): string | undefined;
}

/** The parameters of a query but the tenant's, as a text. */
export const othersOf = memoize(({ query: { tenant }, parameters }: BoundQuery): string =>
  JSON.stringify(Object.entries(parameters).filter(([name]) => name !== tenant?.parameter)),
);

/** Where in its interval a query is refreshed, from 0 on, below 1: equal at all gateways, and for all tenants. */
const phaseOf = memoize(
  (bound: BoundQuery): number =>
    Number.parseInt(hash('sha1', `${bound.query.id} ${othersOf(bound)}`).slice(0, 8), 16) / 2 ** 32,
);

/** How often the result of a key is refreshed, in milliseconds. */
export function refreshIntervalMs({ followed, policy }: Pick<Refreshed, 'followed' | 'policy'>): number {
  const seconds = followed ? followSeconds(policy) : policy.warmingSeconds;
  return (seconds ?? Number.POSITIVE_INFINITY) * 1000;
}

/** How much later a refresh may begin than the moment that its rows are of. */
const maxDelayMs = 30_000;

/** How long a wave of refreshes lasts. */
export const waveMs = (hotKey: Pick<Refreshed, 'followed' | 'policy'>): number =>
  Math.min(refreshIntervalMs(hotKey) / 10, maxDelayMs);

/** Beyond the rounding between moments and elapsed time. */
const roundingMs = 200;

/**
 * Refreshes begin at multiples of their interval since the epoch, at all gateways; those of different queries at different places
 * in it, unless they share what they read. Those that begin within a tenth of it take the beginning of that tenth for the
 * current time, and those later, when there are many, that of theirs.
 */
export function buildWaves({
  clock,
  timeline,
  isOn,
  refreshesTogether,
}: {
  readonly clock: Clock;
  readonly timeline: Timeline;
  /** True if materialized parts are computed once for a wave. */
  readonly isOn: boolean;
  readonly refreshesTogether: (bound: BoundQuery) => boolean;
}): Waves {
  /** How long after a multiple of the interval, in whole seconds, waves begin; undefined for a refresh that belongs to none. */
  const phaseMs = ({ bound }: Refreshed, intervalMs: number): number | undefined => {
    if (!Number.isFinite(intervalMs)) return undefined;
    if (isOn && bound.query.materializedTables !== undefined) return 0;
    return refreshesTogether(bound) ? Math.floor((phaseOf(bound) * intervalMs) / 1000) * 1000 : undefined;
  };
  const current: Waves['current'] = (hotKey) => {
    const intervalMs = refreshIntervalMs(hotKey);
    const phase = phaseMs(hotKey, intervalMs);
    if (phase === undefined) return undefined;
    const now = clock.now().getTime();
    const delayMs = waveMs(hotKey);
    const sinceBeginning = (now - phase) % intervalMs;
    const moment = now - (sinceBeginning % delayMs);
    // The result must be newer than the one that it replaces.
    if (timeline.elapsedAt(moment) <= (hotKey.begunAt ?? Number.NEGATIVE_INFINITY)) return undefined;
    return { moment, until: moment + delayMs };
  };
  return {
    next(hotKey, begunAt, pace) {
      const intervalMs = refreshIntervalMs(hotKey);
      const phase = phaseMs(hotKey, intervalMs);
      if (phase === undefined) return undefined;
      const moment = timeline.momentAt(begunAt) + roundingMs;
      const everyMs = intervalMs * pace;
      return timeline.elapsedAt((Math.floor((moment - phase) / everyMs) + 1) * everyMs + phase);
    },
    current,
    nameOf(hotKey) {
      const intervalMs = refreshIntervalMs(hotKey);
      const phase = phaseMs(hotKey, intervalMs);
      if (phase === undefined || !refreshesTogether(hotKey.bound)) return undefined;
      // Not of a tenth: those that come late would wait for each other again.
      const wave = Math.floor((clock.now().getTime() - phase) / intervalMs);
      return `${hotKey.bound.query.id} ${intervalMs} ${wave} ${othersOf(hotKey.bound)}`;
    },
  };
}
