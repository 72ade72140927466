import { type BoundQuery, isOutdated } from '../catalog/binding/bind.ts';
import type { CachePolicy } from '../catalog/model/saved-query.ts';
import type { Clock } from '../concurrency/clock.ts';
import type { Engine } from '../engine-contract/engine.ts';
import type { Counters } from './counters.ts';
import type { CachedResult, ObtainedResult } from './get-result.ts';
import type { HotKeys } from './warming/hot-keys.ts';
import type { ResultStore } from './result-store.ts';
import type { ResultDocument } from './result-document.ts';

/** A result that something was made of, without its rows: they would stay in memory as long as what was made. */
export interface UsedResult {
  readonly key: string;
  readonly bound: BoundQuery;
  readonly policy: CachePolicy;
  readonly documentId: number;
  readonly begunAt: number;
  /** When it was last noted that it is in use. */
  notedAt: number;
  /**
   * Shown to plug-ins in place of a large document that is no longer in memory; undefined if nothing can replace it.
   */
  readonly standIn?: ResultDocument | undefined;
}

/** An answer that is sent thousands of times a second, of a hundred results, is not noted as many times. */
const notedEveryMs = 100;

/** Decides whether what was made of results may still be sent. */
export interface CurrentResults {
  /** @returns undefined if no later request gets the same result: it is not cached, or not the newest one */
  use(obtained: ObtainedResult): UsedResult | undefined;
  /** The result of a query at once, and counts a hit; undefined unless it is in memory and fresh. */
  find(bound: BoundQuery): CachedResult | undefined;
  /**
   * The results as an equal request gets them now.
   *
   * @returns undefined if one of them is another one, or not fresh
   */
  current(used: readonly UsedResult[]): readonly ObtainedResult[] | undefined;
  /** Counts a request that has got them so, and keeps their keys warm. */
  countHits(used: readonly UsedResult[]): void;
}

const never = Number.NEGATIVE_INFINITY;

interface CurrentOptions {
  readonly keyOf: (bound: BoundQuery) => string;
  readonly engine: Pick<Engine, 'dataVersionOf'>;
  readonly memory: ResultStore;
  readonly hotKeys: HotKeys;
  readonly counters: Counters;
  readonly clock: Clock;
}

export function buildCurrentResults(options: CurrentOptions): CurrentResults {
  const { keyOf, engine, memory, hotKeys, counters, clock } = options;
  const results: CurrentResults = {
    find(bound) {
      const { caching: policy } = bound.query;
      const key = keyOf(bound);
      const document = memory.look(key);
      if (document === undefined || policy === 'disabled') return undefined;
      const used = [
        { key, bound, policy, documentId: document.id, begunAt: document.begunAt, notedAt: never },
      ];
      const [current] = results.current(used) ?? [];
      if (current !== undefined) results.countHits(used);
      return current?.result;
    },
    use({ bound, result: { document, caching, cacheStatus } }) {
      if (caching === 'disabled' || cacheStatus === 'STALE' || cacheStatus === 'BYPASS') return undefined;
      const key = keyOf(bound);
      const { id: documentId, begunAt } = document;
      return memory.isNewest(key, documentId)
        ? { key, bound, policy: caching, documentId, begunAt, notedAt: never }
        : undefined;
    },
    current(used) {
      const obtainedAt = clock.elapsedMs();
      const results: ObtainedResult[] = [];
      for (const { key, bound, policy, documentId, standIn } of used) {
        const document = memory.look(key) ?? (memory.isNewest(key, documentId) ? standIn : undefined);
        if (document?.id !== documentId) return undefined;
        if (obtainedAt - document.begunAt >= policy.ttlSeconds * 1000) return undefined;
        const { dataVersion } = document.metadata;
        if (dataVersion !== undefined && dataVersion !== engine.dataVersionOf?.(bound.query))
          return undefined;
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
      for (const one of used) {
        if (now < one.notedAt + notedEveryMs) continue;
        one.notedAt = now;
        const { key, bound, policy, begunAt } = one;
        memory.peek(key);
        // As in `getResult`: what callers wrote themselves is not kept warm.
        const hotKey = bound.sql === undefined ? hotKeys.touch(key, bound, policy, now) : undefined;
        if (hotKey?.begunAt !== begunAt) hotKeys.recordKnown(key, begunAt);
      }
    },
  };
  return results;
}

/** @returns undefined if what is relative to the time has another value, or may not be sent any more */
function stillBound(result: CachedResult, bound: BoundQuery, now: number): CachedResult | undefined {
  if (isOutdated(bound, now)) return undefined;
  if (bound.defaultsUntil === undefined) return result;
  return { ...result, defaultsUntil: result.obtainedAt + bound.defaultsUntil - now };
}
