import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { type CachePolicy, followSeconds } from '../../catalog/model/saved-query.ts';
import type { Clock, Timeline } from '../../concurrency/clock.ts';
import type { Wave } from '../../engine-contract/engine.ts';

/** A hot key, as far as it decides when it is refreshed. */
interface Refreshed {
  readonly bound: BoundQuery;
  readonly policy: CachePolicy;
  readonly followed: boolean;
  readonly begunAt?: number | undefined;
}

/** When queries with materialized parts, and those of many tenants, are refreshed: together, so that rows are read once for all. */
export interface Waves {
  /** When a result is refreshed whose run began at `begunAt`, both by `elapsedMs`; undefined if that is its own matter. */
  next(hotKey: Refreshed, begunAt: number): number | undefined;
  /** The wave of a refresh that begins now; undefined if it belongs to none. */
  current(hotKey: Refreshed): Wave | undefined;
}

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
 * Refreshes begin at multiples of their interval since the epoch, at all gateways. Those that begin within a tenth of it
 * take the beginning of that tenth for the current time, and those later, when there are many, that of theirs.
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
  const isShared = ({ bound }: Refreshed) =>
    (isOn && bound.query.materializedTables !== undefined) || refreshesTogether(bound);
  return {
    next(hotKey, begunAt) {
      const intervalMs = refreshIntervalMs(hotKey);
      if (!isShared(hotKey) || !Number.isFinite(intervalMs)) return undefined;
      const moment = timeline.momentAt(begunAt) + roundingMs;
      return timeline.elapsedAt((Math.floor(moment / intervalMs) + 1) * intervalMs);
    },
    current(hotKey) {
      const intervalMs = refreshIntervalMs(hotKey);
      if (!isShared(hotKey) || !Number.isFinite(intervalMs)) return undefined;
      const now = clock.now().getTime();
      const delayMs = waveMs(hotKey);
      const sinceBeginning = now % intervalMs;
      const moment = now - (sinceBeginning % delayMs);
      // The result must be newer than the one that it replaces.
      if (timeline.elapsedAt(moment) <= (hotKey.begunAt ?? Number.NEGATIVE_INFINITY)) return undefined;
      return { moment, until: moment + delayMs };
    },
  };
}
