import { Counts } from './counts.ts';
import { type MetricFamily, plainFamily } from './metric-family.ts';

/** What became of a look at changed files: all are served, or some are broken, or the new version could not be made. */
export type ReloadOutcome = 'ok' | 'partial' | 'failed';

export interface CatalogMetrics {
  recordReload(outcome: ReloadOutcome): void;
  readonly families: readonly MetricFamily[];
}

/** What the metrics read of the catalog that is served. */
export interface CatalogCounts {
  readonly queries: number;
  /** Files that are not served as they are, and one if the folder cannot be read. */
  readonly problems: number;
  readonly loadedAt: Date;
}

/** How the served catalog follows its files. */
export function buildCatalogMetrics(counts: () => CatalogCounts): CatalogMetrics {
  const reloads = new Counts();
  for (const outcome of ['ok', 'partial', 'failed']) reloads.of({ outcome });
  return {
    recordReload(outcome) {
      reloads.of({ outcome }).value += 1;
    },
    families: [
      plainFamily(
        'gauge',
        'querygate_catalog_queries',
        'Saved queries that are served.',
        () => counts().queries,
      ),
      plainFamily(
        'gauge',
        'querygate_catalog_problems',
        'Files of saved queries and tables that are not served as they are, because they have problems.',
        () => counts().problems,
      ),
      plainFamily(
        'gauge',
        'querygate_catalog_loaded_timestamp_seconds',
        'When the served version of the catalog was loaded.',
        () => counts().loadedAt.getTime() / 1000,
      ),
      reloads.family(
        'querygate_catalog_reloads_total',
        'Changes of the files that were taken up: ok, partial if some of them are broken, or failed.',
      ),
    ],
  };
}
