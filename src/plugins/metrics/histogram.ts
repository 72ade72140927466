import type { Labels, MetricFamily, Sample } from '../../gateway/plugin.ts';
import { getOrAdd } from '../../get-or-add.ts';

/** Upper bounds of buckets, in seconds, in their order. */
type Bounds = readonly number[];

/** From a cached reply to the longest timeout that is usual. */
const replyBounds: Bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Counts durations by their length. */
export class Histogram {
  readonly #bounds: Bounds;
  /** One count for each bound, and the last one for longer durations. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds = replyBounds) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(seconds: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && seconds > (bounds[at] ?? 0)) at += 1;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += seconds;
  }

  samples(name: string, labels: Labels): readonly Sample[] {
    let count = 0;
    const buckets = [...this.#counts].map((ofBucket, at) => {
      count += ofBucket;
      return {
        metricName: `${name}_bucket`,
        labels: { ...labels, le: this.#bounds[at] ?? '+Inf' },
        value: count,
      };
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
  readonly #bounds: Bounds;
  readonly #histograms = new Map<string, Histogram>();

  constructor(label: string, bounds = replyBounds) {
    this.#label = label;
    this.#bounds = bounds;
  }

  of(value: string): Histogram {
    return getOrAdd(this.#histograms, value, () => new Histogram(this.#bounds));
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
