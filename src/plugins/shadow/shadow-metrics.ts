import type { Catalog } from '../../catalog/model/saved-query.ts';
import type { MetricFamily } from '../../gateway/plugin.ts';
import { Counts } from '../../gateway/metrics/counts.ts';
import { openKeptEndpoints } from '../../gateway/metrics/kept-endpoints.ts';

/** How a comparison has ended. dropped: the engine had no place for it. */
export type ShadowOutcome = 'equal' | 'differs' | 'unstable' | 'incomparable' | 'failed' | 'dropped';

export interface ShadowMetrics {
  record(endpoint: string, outcome: ShadowOutcome, differingRows: number): void;
  /** Drops the series of endpoints that were removed long ago. */
  keepEndpoints(catalog: Catalog): void;
  readonly families: readonly MetricFamily[];
}

/** How comparisons of versions have ended. */
export function buildShadowMetrics(): ShadowMetrics {
  const runs = new Counts();
  const rows = new Counts();
  const keptEndpoints = openKeptEndpoints();
  return {
    record(endpoint, outcome, differingRows) {
      runs.of({ endpoint, outcome }).value += 1;
      rows.of({ endpoint }).value += differingRows;
    },
    keepEndpoints(catalog) {
      const kept = keptEndpoints(catalog);
      runs.keepEndpoints(kept);
      rows.keepEndpoints(kept);
    },
    families: [
      runs.family(
        'querygate_shadow_runs_total',
        'Comparisons of an endpoint with another version of it, by outcome.',
      ),
      rows.family(
        'querygate_shadow_differing_rows_total',
        'Rows that only one of two compared versions had.',
      ),
    ],
  };
}
