import { type BoundQuery, isOutdated } from '../catalog/binding/bind.ts';
import type { CachePolicy } from '../catalog/model/saved-query.ts';
import type { Clock } from '../concurrency/clock.ts';
import type { Counters } from './counters.ts';
import { freshnessOf } from './freshness.ts';
import type { CachedResult, ObtainedResult } from './get-result.ts';
import type { HotKeys } from './hot-keys.ts';
import type { MemoryStore } from './memory-store.ts';

/** A result that something was made of, without its rows: they would stay in memory as long as what was made. */
export interface UsedResult {
  readonly key: string;
  readonly bound: BoundQuery;
  readonly policy: CachePolicy;
  readonly documentId: number;
}

/** Decides whether what was made of results may still be sent. */
export interface CurrentResults {
  /** @returns undefined if no later request gets the same result: it is not cached, or not the one in memory */
  use(obtained: ObtainedResult): UsedResult | undefined;
  /**
   * The result as an equal request gets it now.
   *
   * @returns undefined if that is another one, or none that is fresh
   */
  current(used: UsedResult): CachedResult | undefined;
  /** Counts a request that has got it so, and keeps its key warm. */
  countHit(used: UsedResult, result: CachedResult): void;
}

interface CurrentOptions {
  readonly keyOf: (bound: BoundQuery) => string;
  readonly memory: MemoryStore;
  readonly hotKeys: HotKeys;
  readonly counters: Counters;
  readonly clock: Clock;
}

export function buildCurrentResults(options: CurrentOptions): CurrentResults {
  const { keyOf, memory, hotKeys, counters, clock } = options;
  return {
    use({ bound, result: { document, caching, cacheStatus } }) {
      if (caching === 'disabled' || cacheStatus === 'STALE' || cacheStatus === 'BYPASS') return undefined;
      const key = keyOf(bound);
      const isInMemory = memory.get(key) === document;
      return isInMemory ? { key, bound, policy: caching, documentId: document.id } : undefined;
    },
    current({ key, bound, policy, documentId }) {
      const document = memory.get(key);
      if (document?.id !== documentId) return undefined;
      const obtainedAt = clock.elapsedMs();
      if (freshnessOf(document, policy, obtainedAt) !== 'fresh') return undefined;
      const result = { document, caching: policy, cacheStatus: 'HIT', obtainedAt } as const;
      if (bound.validUntil === undefined) return result;
      const now = clock.now().getTime();
      if (isOutdated(bound, now)) return undefined;
      if (bound.defaultsUntil === undefined) return result;
      return { ...result, defaultsUntil: obtainedAt + bound.defaultsUntil - now };
    },
    countHit({ key, bound, policy }, { document, obtainedAt }) {
      counters.hits += 1;
      // As in `getResult`: what callers wrote themselves is not kept warm.
      const hotKey = bound.sql === undefined ? hotKeys.touch(key, bound, policy, obtainedAt) : undefined;
      if (hotKey?.begunAt !== document.begunAt) hotKeys.recordResult(key, document.begunAt);
    },
  };
}
