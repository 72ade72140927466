import type { MetricFamily } from '../../gateway/plugin.ts';

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
