import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { PluginHost } from '../../gateway/plugin.ts';
import { Counts } from '../../gateway/metrics/counts.ts';
import { openKeptEndpoints } from '../../gateway/metrics/kept-endpoints.ts';
import type { SharedEvents } from './shared-run.ts';

/** Counts of shared runs since the start, by endpoint. */
export class SharedMetrics {
  readonly #runs = new Counts();
  readonly #results = new Counts();
  readonly #fallbacks = new Counts();
  readonly #all = [this.#runs, this.#results, this.#fallbacks];
  readonly #keptOf = openKeptEndpoints();

  events({ log }: Pick<PluginHost, 'log'>): SharedEvents {
    return {
      onRun: (endpoint, { cost }, tenants) => {
        this.#count(endpoint, this.#runs);
        log.info({ endpoint, tenants, ...cost }, 'query ran for many tenants');
      },
      onResult: (endpoint) => this.#count(endpoint, this.#results),
      onFallback: (endpoint) => this.#count(endpoint, this.#fallbacks),
      onForeignRow: (endpoint) =>
        log.error({ endpoint }, 'a shared run has returned a row of another tenant; its rows are not used'),
    };
  }

  /** Drops the counts of other endpoints than these, and those that were removed last. */
  keepEndpoints(queries: readonly SavedQuery[]): void {
    const kept = this.#keptOf({ queries });
    for (const counts of this.#all) counts.keepEndpoints(kept);
  }

  readonly families = [
    this.#runs.family('querygate_shared_runs_total', 'Runs for many tenants at once.'),
    this.#results.family('querygate_shared_results_total', 'Results that came from such runs.'),
    this.#fallbacks.family(
      'querygate_shared_fallbacks_total',
      'Results that such a run could not give, so that the query ran for one tenant.',
    ),
  ];

  /** An endpoint has all of the counts, or none. */
  #count(endpoint: string, raised: Counts): void {
    for (const counts of this.#all) counts.of({ endpoint });
    raised.of({ endpoint }).value += 1;
  }
}
