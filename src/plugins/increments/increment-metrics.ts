import { getOrAdd } from '../../get-or-add.ts';
import type { MetricFamily } from '../../gateway/plugin.ts';

/**
 * Why all of a window is read: there is no result before, or what is known of it cannot be read; it is time to; the query has as
 * many rows as it may have; or no part of the window is as it was.
 */
export type FullReason = 'first' | 'state' | 'reconcile' | 'rows' | 'window';

/** Runs of queries with `incremental: true`, by endpoint. */
export class IncrementMetrics {
  readonly #counts = new Map<string, Map<string, number>>();

  count(endpoint: string, run: 'increment' | 'unchanged' | 'full', reason: FullReason | '' = ''): void {
    const counts = getOrAdd(this.#counts, endpoint, () => new Map<string, number>());
    const name = `${run} ${reason}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }

  /** Drops the counts of other endpoints than these. */
  keepEndpoints(kept: ReadonlySet<string>): void {
    for (const endpoint of this.#counts.keys()) if (!kept.has(endpoint)) this.#counts.delete(endpoint);
  }

  readonly families: readonly MetricFamily[] = [
    {
      name: 'querygate_incremental_runs_total',
      help: 'Runs of incremental queries: over what has changed, over nothing as nothing has changed, or over all, and why.',
      type: 'counter',
      samples: () =>
        [...this.#counts].flatMap(([endpoint, counts]) =>
          [...counts].map(([name, value]) => {
            const [run = '', reason = ''] = name.split(' ');
            return { labels: { endpoint, run, reason }, value };
          }),
        ),
    },
  ];
}
