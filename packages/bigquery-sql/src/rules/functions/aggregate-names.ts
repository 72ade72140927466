import { aggregates } from './aggregate-table.ts';
import type { Aggregate } from './aggregates/aggregate.ts';
import { hllAggregates } from './sketches/hll-count.ts';
import { kllAggregates } from './sketches/kll-quantiles.ts';

const all: Readonly<Record<string, Aggregate>> = { ...aggregates, ...hllAggregates, ...kllAggregates };

export const aggregateNames: readonly string[] = Object.keys(all);

/** The aggregate or window function of a name in lower case. */
export const aggregateOf = (name: string): Aggregate | undefined =>
  Object.hasOwn(all, name) ? all[name] : undefined;
