import { Counts } from '../../gateway/metrics/counts.ts';

/**
 * Why all of a window is read: there is no result before, or what is known of it cannot be read; it is time to; the query has as
 * many rows as it may have; or no part of the window is as it was.
 */
export type FullReason = 'first' | 'state' | 'reconcile' | 'rows' | 'window';

/** Runs of queries with `incremental: true`, by endpoint. */
export class IncrementMetrics {
  readonly #runs = new Counts();

  count(endpoint: string, run: 'increment' | 'unchanged' | 'full', reason: FullReason | '' = ''): void {
    this.#runs.of({ endpoint, run, reason }).value += 1;
  }

  /** Drops the counts of other endpoints than these. */
  keepEndpoints(kept: ReadonlySet<string>): void {
    this.#runs.keepEndpoints(kept);
  }

  readonly families = [
    this.#runs.family(
      'querygate_incremental_runs_total',
      'Runs of incremental queries: over what has changed, over nothing as nothing has changed, or over all, and why.',
    ),
  ];
}
