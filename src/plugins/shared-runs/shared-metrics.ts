import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { MetricFamily, PluginHost } from '../../gateway/plugin.ts';
import { getOrAdd } from '../../get-or-add.ts';
import { openKeptEndpoints } from '../../gateway/metrics/kept-endpoints.ts';
import type { SharedEvents } from './shared-run.ts';

/** Counts of one endpoint. */
interface Counts {
  runs: number;
  results: number;
  fallbacks: number;
}

/** Counts of shared runs since the start, by endpoint. */
export class SharedMetrics {
  readonly #counts = new Map<string, Counts>();
  readonly #keptOf = openKeptEndpoints();

  events({ log }: Pick<PluginHost, 'log'>): SharedEvents {
    return {
      onRun: (endpoint, { cost }, tenants) => {
        this.#of(endpoint).runs += 1;
        log.info({ endpoint, tenants, ...cost }, 'query ran for many tenants');
      },
      onResult: (endpoint) => {
        this.#of(endpoint).results += 1;
      },
      onFallback: (endpoint) => {
        this.#of(endpoint).fallbacks += 1;
      },
      onForeignRow: (endpoint) =>
        log.error({ endpoint }, 'a shared run has returned a row of another tenant; its rows are not used'),
    };
  }

  /** Drops the counts of other endpoints than these, and those that were removed last. */
  keepEndpoints(queries: readonly SavedQuery[]): void {
    const kept = this.#keptOf({ queries });
    for (const endpoint of this.#counts.keys()) if (!kept.has(endpoint)) this.#counts.delete(endpoint);
  }

  readonly families: readonly MetricFamily[] = [
    this.#family('querygate_shared_runs_total', 'Runs for many tenants at once.', 'runs'),
    this.#family('querygate_shared_results_total', 'Results that came from such runs.', 'results'),
    this.#family(
      'querygate_shared_fallbacks_total',
      'Results that such a run could not give, so that the query ran for one tenant.',
      'fallbacks',
    ),
  ];

  #of(endpoint: string): Counts {
    return getOrAdd(this.#counts, endpoint, () => ({ runs: 0, results: 0, fallbacks: 0 }));
  }

  #family(name: string, help: string, of: keyof Counts): MetricFamily {
    const samples = () =>
      [...this.#counts].map(([endpoint, { [of]: value }]) => ({ labels: { endpoint }, value }));
    return { name, help, type: 'counter', samples };
  }
}
