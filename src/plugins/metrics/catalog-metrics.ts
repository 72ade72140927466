import type { MetricFamily, PluginHost, ReloadOutcome } from '../../gateway/plugin.ts';
import { Counts } from '../../gateway/metrics/counts.ts';
import { plainFamily } from './metric-family.ts';

export interface CatalogMetrics {
  recordReload(outcome: ReloadOutcome): void;
  families(state: PluginHost['state']): readonly MetricFamily[];
}

/** How the served catalog follows its files. */
export function buildCatalogMetrics(): CatalogMetrics {
  const reloads = new Counts();
  for (const outcome of ['ok', 'partial', 'failed']) reloads.of({ outcome });
  return {
    recordReload(outcome) {
      reloads.of({ outcome }).value += 1;
    },
    families: (state) => [
      plainFamily(
        'gauge',
        'querygate_catalog_queries',
        'Saved queries that are served.',
        () => state().queries,
      ),
      plainFamily(
        'gauge',
        'querygate_catalog_problems',
        'Files of saved queries and tables that are not served as they are, because they have problems.',
        () => problemsOf(state()),
      ),
      plainFamily(
        'gauge',
        'querygate_catalog_loaded_timestamp_seconds',
        'When the served version of the catalog was loaded.',
        () => state().loadedAt.getTime() / 1000,
      ),
      reloads.family(
        'querygate_catalog_reloads_total',
        'Changes of the files that were taken up: ok, partial if some of them are broken, or failed.',
      ),
    ],
  };
}

/** Files that are not served as they are, and one if the folder cannot be read. */
const problemsOf = ({ broken, problem }: ReturnType<PluginHost['state']>) =>
  broken.length + Number(problem !== undefined);
