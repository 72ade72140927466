import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { MetricFamily, PluginHost } from '../../gateway/plugin.ts';
import { getOrAdd } from '../../get-or-add.ts';
import type { Counters } from '../../results/counters.ts';
import type { CachedResult } from '../../results/get-result.ts';
import { type Count, Counts } from '../../gateway/metrics/counts.ts';
import { plainFamily } from './metric-family.ts';

export interface ResultMetrics {
  record(bound: BoundQuery, result: CachedResult): void;
  /** Drops the series of other endpoints than these. */
  keepEndpoints(kept: ReadonlySet<string>): void;
  families(state: PluginHost['results']): readonly MetricFamily[];
}

type CacheStatus = CachedResult['cacheStatus'];

const plainCounters = {
  hits: ['querygate_cache_hits_total', 'Fresh results from the cache, in memory or shared.'],
  misses: ['querygate_cache_misses_total', 'Results that a caller waited for.'],
  stale: [
    'querygate_cache_stale_total',
    'Results that were no longer fresh, returned because the engine failed.',
  ],
  refreshes: ['querygate_cache_refreshes_total', 'Results computed before a caller had to wait for them.'],
  failures: ['querygate_cache_failures_total', 'Runs that failed without fault of a caller.'],
  sharedRuns: [
    'querygate_cache_shared_runs_total',
    'Callers that waited for a run which another had started.',
  ],
  evictions: ['querygate_cache_evictions_total', 'Results dropped from memory for lack of room.'],
} as const satisfies Partial<Record<keyof Counters, readonly [string, string]>>;

/** Metrics of the cache. */
export function buildResultMetrics(): ResultMetrics {
  const results = new Counts();
  /** Looked up by objects, because every cached reply passes here. */
  const known = new Map<CacheStatus, WeakMap<SavedQuery, Count>>();
  const record = ({ query }: BoundQuery, { cacheStatus }: CachedResult) => {
    const count = known.get(cacheStatus)?.get(query) ?? add(query, cacheStatus);
    count.value += 1;
  };
  const add = (query: SavedQuery, cacheStatus: CacheStatus) =>
    getOrAdd(
      getOrAdd(known, cacheStatus, () => new WeakMap<SavedQuery, Count>()),
      query,
      () => results.of({ endpoint: query.name, cache: cacheStatus.toLowerCase() }),
    );
  return {
    record,
    keepEndpoints(kept) {
      results.keepEndpoints(kept);
      known.clear();
    },
    families: (state) => [
      results.family(
        'querygate_results_total',
        'Results of endpoints, by how they were obtained; a GraphQL request may have several.',
      ),
      ...Object.entries(plainCounters).map(([key, [name, help]]) =>
        plainFamily('counter', name, help, () => state.counters[key as keyof typeof plainCounters]),
      ),
      plainFamily('gauge', 'querygate_cache_entries', 'Results in memory.', () => state.counters.entries),
      plainFamily(
        'gauge',
        'querygate_cache_bytes',
        'Memory of cached results and what is made of them.',
        () => state.counters.bytes,
      ),
      plainFamily('gauge', 'querygate_cache_hot_keys', 'Results that are refreshed before they expire.', () =>
        state.hotKeys(),
      ),
      plainFamily(
        'gauge',
        'querygate_cache_refresh_lag_seconds',
        'By how much the refresh that is most overdue is late.',
        () => state.refreshLagMs() / 1000,
      ),
      plainFamily(
        'gauge',
        'querygate_redis_up',
        'Whether the shared cache can be written; absent without one.',
        () => {
          const isUp = state.isSharedUp();
          return isUp === undefined ? undefined : Number(isUp);
        },
      ),
    ],
  };
}
