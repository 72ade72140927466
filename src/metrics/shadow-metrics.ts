import type { ShadowOutcome } from '../shadow/open-shadows.ts';
import { Counts } from './counts.ts';
import type { MetricFamily } from './metric-family.ts';

export interface ShadowMetrics {
  record(endpoint: string, outcome: ShadowOutcome, differingRows: number): void;
  /** Drops the series of other endpoints than these. */
  keepEndpoints(kept: ReadonlySet<string>): void;
  readonly families: readonly MetricFamily[];
}

/** How comparisons of versions have ended. */
export function buildShadowMetrics(): ShadowMetrics {
  const runs = new Counts();
  const rows = new Counts();
  return {
    record(endpoint, outcome, differingRows) {
      runs.of({ endpoint, outcome }).value += 1;
      rows.of({ endpoint }).value += differingRows;
    },
    keepEndpoints(kept) {
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
