import { type BoundQuery, isOutdated } from '../catalog/binding/bind.ts';
import type { CachePolicy } from '../catalog/model/saved-query.ts';
import type { Clock } from '../concurrency/clock.ts';
import type { Counters } from './counters.ts';
import type { CachedResult, ObtainedResult } from './get-result.ts';
import type { HotKeys } from './hot-keys.ts';
import type { ResultStore } from './result-store.ts';
import type { ResultDocument } from './result-document.ts';

/** A result that something was made of, without its rows: they would stay in memory as long as what was made. */
export interface UsedResult {
  readonly key: string;
  readonly bound: BoundQuery;
  readonly policy: CachePolicy;
  readonly documentId: number;
  readonly begunAt: number;
  /**
   * Shown to plug-ins in place of a large document that is no longer in memory; undefined if nothing can replace it.
   */
  readonly standIn?: ResultDocument | undefined;
}

/** Decides whether what was made of results may still be sent. */
export interface CurrentResults {
  /** @returns undefined if no later request gets the same result: it is not cached, or not the newest one */
  use(obtained: ObtainedResult): UsedResult | undefined;
  /**
   * The results as an equal request gets them now.
   *
   * @returns undefined if one of them is another one, or not fresh
   */
  current(used: readonly UsedResult[]): readonly ObtainedResult[] | undefined;
  /** Counts a request that has got them so, and keeps their keys warm. */
  countHits(used: readonly UsedResult[]): void;
}

interface CurrentOptions {
  readonly keyOf: (bound: BoundQuery) => string;
  readonly memory: ResultStore;
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
      const { id: documentId, begunAt } = document;
      return memory.isNewest(key, documentId)
        ? { key, bound, policy: caching, documentId, begunAt }
        : undefined;
    },
    current(used) {
      const obtainedAt = clock.elapsedMs();
      const results: ObtainedResult[] = [];
      for (const { key, bound, policy, documentId, standIn } of used) {
        const document = memory.peek(key) ?? (memory.isNewest(key, documentId) ? standIn : undefined);
        if (document?.id !== documentId) return undefined;
        if (obtainedAt - document.begunAt >= policy.ttlSeconds * 1000) return undefined;
        const result = { document, caching: policy, cacheStatus: 'HIT', obtainedAt } as const;
        const later =
          bound.validUntil === undefined ? result : stillBound(result, bound, clock.now().getTime());
        if (later === undefined) return undefined;
        results.push({ bound, result: later });
      }
      return results;
    },
    countHits(used) {
      counters.hits += used.length;
      const now = clock.elapsedMs();
      for (const { key, bound, policy, begunAt } of used) {
        // As in `getResult`: what callers wrote themselves is not kept warm.
        const hotKey = bound.sql === undefined ? hotKeys.touch(key, bound, policy, now) : undefined;
        if (hotKey?.begunAt !== begunAt) hotKeys.recordResult(key, begunAt);
      }
    },
  };
}

/** @returns undefined if what is relative to the time has another value, or may not be sent any more */
function stillBound(result: CachedResult, bound: BoundQuery, now: number): CachedResult | undefined {
  if (isOutdated(bound, now)) return undefined;
  if (bound.defaultsUntil === undefined) return result;
  return { ...result, defaultsUntil: result.obtainedAt + bound.defaultsUntil - now };
}
