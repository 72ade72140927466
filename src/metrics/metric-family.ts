/** Names and values of labels. Values come from closed sets: endpoints, codes, statuses; never from callers. */
export type Labels = Readonly<Record<string, string | number>>;

export interface Sample {
  /** If it is not the name of the family: `…_bucket`, `…_sum` and `…_count` of a histogram. */
  readonly metricName?: string;
  readonly labels: Labels;
  readonly value: number;
}

/**
 * A metric with its samples, which are read from plain numbers at a scrape: counting is an addition, whatever the
 * number of labels.
 *
 * @see https://prometheus.io/docs/practices/naming/
 */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  samples(): readonly Sample[];
}

/** A family with one sample and no labels; without a sample while the value is undefined. */
export function plainFamily(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  value: () => number | undefined,
): MetricFamily {
  return {
    name,
    help,
    type,
    samples() {
      const current = value();
      return current === undefined ? [] : [{ labels: {}, value: current }];
    },
  };
}
