import { LRUCache } from 'lru-cache';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { MetricFamily, PluginHost } from '../../gateway/plugin.ts';
import { getOrAdd } from '../../get-or-add.ts';
import { Counts } from '../../gateway/metrics/counts.ts';
import { openKeptEndpoints } from '../../gateway/metrics/kept-endpoints.ts';

export interface DeprecatedUse {
  /** @param key the id of the caller's key */
  record(query: SavedQuery, key: string | undefined, host: Pick<PluginHost, 'log' | 'clock'>): void;
  /** Drops the series of endpoints that were removed long ago. */
  keepEndpoints(catalog: Catalog): void;
  readonly families: readonly MetricFamily[];
}

/** Keys and endpoints that are distinguished in the log. */
const maxUsers = 10_000;

const logEveryMs = 60 * 60_000;

interface Use {
  loggedAt: number;
  /** Since the last line. */
  results: number;
}

/** Who uses deprecated endpoints: the metrics count it, and the log names the keys. */
export function buildDeprecatedUse(): DeprecatedUse {
  const keptEndpoints = openKeptEndpoints();
  const results = new Counts();
  const users = new LRUCache<string, Use>({ max: maxUsers });
  return {
    record({ name, deprecated }, key, { log, clock }) {
      results.of({ endpoint: name }).value += 1;
      const use = getOrAdd<string, Use>(users, JSON.stringify([name, key]), () => ({
        loggedAt: Number.NEGATIVE_INFINITY,
        results: 0,
      }));
      use.results += 1;
      const at = clock.elapsedMs();
      if (at < use.loggedAt + logEveryMs) return;
      const { sunset, successor } = deprecated ?? {};
      const line = { endpoint: name, key, results: use.results, sunset, successor };
      log.info(line, 'a deprecated endpoint is used');
      use.loggedAt = at;
      use.results = 0;
    },
    keepEndpoints: (catalog) => results.keepEndpoints(keptEndpoints(catalog)),
    families: [
      results.family(
        'querygate_deprecated_results_total',
        'Results of deprecated endpoints that callers requested.',
      ),
    ],
  };
}
