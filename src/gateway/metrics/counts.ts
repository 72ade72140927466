import type { Labels, MetricFamily } from '../plugin.ts';
import { getOrAdd } from '../../get-or-add.ts';

/** A count that is raised in place. */
export interface Count {
  value: number;
}

/** Counts by labels, for the metrics of a plug-in. */
export class Counts {
  readonly #counts = new Map<string, Count & { readonly labels: Labels }>();

  /** The count of some labels, which may be kept and raised without another lookup. */
  of(labels: Labels): Count {
    const key = JSON.stringify(Object.values(labels));
    return getOrAdd(this.#counts, key, () => ({ labels, value: 0 }));
  }

  /** Drops the counts of other endpoints than these; those without an endpoint stay. */
  keepEndpoints(kept: ReadonlySet<string>): void {
    for (const [key, { labels }] of this.#counts) {
      const { endpoint } = labels;
      if (endpoint !== undefined && endpoint !== '' && !kept.has(String(endpoint))) this.#counts.delete(key);
    }
  }

  /** A metric with all of these counts. */
  family(name: string, help: string): MetricFamily {
    return { name, help, type: 'counter', samples: () => [...this.#counts.values()] };
  }
}
