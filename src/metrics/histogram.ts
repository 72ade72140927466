import { getOrAdd } from './get-or-add.ts';
import type { Labels, MetricFamily, Sample } from './metric-family.ts';

/** Upper bounds in seconds, from a cached reply to the longest timeout that is usual. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Counts durations by their length. */
export class Histogram {
  /** One count for each bound, and the last one for longer durations. */
  readonly #counts = new Float64Array(bounds.length + 1);
  #sum = 0;

  observe(seconds: number): void {
    let at = 0;
    while (at < bounds.length && seconds > (bounds[at] ?? 0)) at += 1;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += seconds;
  }

  samples(name: string, labels: Labels): readonly Sample[] {
    let count = 0;
    const buckets = [...this.#counts].map((ofBucket, at) => {
      count += ofBucket;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? '+Inf' }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

/** Histograms by the value of one label. */
export class Histograms {
  readonly #label: string;
  readonly #histograms = new Map<string, Histogram>();

  constructor(label: string) {
    this.#label = label;
  }

  of(value: string): Histogram {
    return getOrAdd(this.#histograms, value, () => new Histogram());
  }

  /** Drops the histograms of other values of the label than these. */
  keep(values: ReadonlySet<string>): void {
    for (const value of this.#histograms.keys()) if (!values.has(value)) this.#histograms.delete(value);
  }

  family(name: string, help: string): MetricFamily {
    const samples = () =>
      [...this.#histograms].flatMap(([value, histogram]) =>
        histogram.samples(name, { [this.#label]: value }),
      );
    return { name, help, type: 'histogram', samples };
  }
}
