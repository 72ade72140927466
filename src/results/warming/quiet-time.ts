import type { CachePolicy } from '../../catalog/model/saved-query.ts';

/** The part of an interval by which a refresh may be earlier than it must be, and that around it in which others count. */
const tenth = 0.1;

/** The part of its caching time after which a result is refreshed at the latest: its callers must not wait for the run. */
const latestOfTtl = 0.95;

/** A key that is refreshed, as `HotKey` has it. */
interface RefreshedKey {
  readonly key: string;
  readonly policy: CachePolicy;
  readonly refreshAt: number;
  readonly bytesBilled: number;
}

interface Spread {
  readonly intervalMs: number;
  readonly begunAt: number;
  /** All that are kept warm. */
  readonly keys: readonly RefreshedKey[];
}

/**
 * How long after its run began a result is refreshed, so that refreshes and what they are billed are spread over the interval:
 * after the interval, if of all refreshes and bills no more than the average are at about that place in it; up to a tenth
 * earlier otherwise, at random, so that keys that were computed together move away from each other.
 */
export function quietTimeMs(own: RefreshedKey, { intervalMs, begunAt, keys }: Spread): number {
  const latest = latestMs(own, intervalMs);
  const [all, near] = [
    { refreshes: 0, bytes: 0 },
    { refreshes: 0, bytes: 0 },
  ];
  for (const { key, refreshAt, bytesBilled } of keys) {
    if (key === own.key || !Number.isFinite(refreshAt)) continue;
    all.refreshes += 1;
    all.bytes += bytesBilled;
    const distance = Math.abs(refreshAt - begunAt - latest) % intervalMs;
    if (Math.min(distance, intervalMs - distance) >= (intervalMs * tenth) / 2) continue;
    near.refreshes += 1;
    near.bytes += bytesBilled;
  }
  const isQuiet = near.refreshes <= all.refreshes * tenth && near.bytes <= all.bytes * tenth;
  return isQuiet ? latest : earlierMs(own, intervalMs);
}

/** How long after its run began a result is refreshed at a time that may not be a quiet one. */
export const earlierMs = (own: Pick<RefreshedKey, 'policy'>, intervalMs: number): number =>
  latestMs(own, intervalMs) * (1 - tenth * Math.random());

/** How long after its run began a result is refreshed at the latest. */
export const latestMs = ({ policy }: Pick<RefreshedKey, 'policy'>, intervalMs = Infinity): number =>
  Math.min(intervalMs, policy.ttlSeconds * 1000 * latestOfTtl);
