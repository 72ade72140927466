import type { Query } from '../tree/nodes.ts';
import { foldParameters } from './fold-parameters.ts';
import { inlineQueries } from './inline-queries.ts';
import { narrowQuantiles } from './narrow-quantiles.ts';
import type { Pass, PassOptions } from './pass.ts';
import { pruneColumns } from './prune-columns.ts';
import { splitRecords } from './split-records.ts';
import { topNFirst } from './top-n.ts';
import { unnestInPlace } from './unnest-in-place.ts';
import { unnestRecords } from './unnest-records.ts';

/** Every pass by name, in the order in which they run. */
export const passes: Readonly<Record<string, Pass>> = {
  'fold parameters': foldParameters,
  'inline queries': inlineQueries,
  'split records': splitRecords,
  'unnest records': unnestRecords,
  'unnest in place': unnestInPlace,
  'prune columns': pruneColumns,
  'top n first': topNFirst,
  'narrow quantiles': narrowQuantiles,
};

export type PassName = keyof typeof passes;

/** @param without the passes that are left out */
export const runPasses = (
  query: Query,
  options: PassOptions,
  without: ReadonlySet<string> = new Set(),
): Query =>
  Object.entries(passes).reduce(
    (tree, [name, pass]) => (without.has(name) ? tree : pass(tree, options)),
    query,
  );
