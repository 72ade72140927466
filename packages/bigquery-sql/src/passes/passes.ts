import type { Query } from '../tree/nodes.ts';
import { filterLists } from './filter-lists.ts';
import { foldParameters } from './fold-parameters.ts';
import { inlineQueries } from './inline-queries.ts';
import { joinLists } from './join-lists.ts';
import { limitArrays } from './limit-arrays.ts';
import type { Pass, PassOptions } from './pass.ts';
import { narrowQuantiles } from './reads/narrow-quantiles.ts';
import { pruneColumns } from './reads/prune-columns.ts';
import { shareJsonReads } from './reads/share-json-reads.ts';
import { ownAggregates } from './rewriting/own-aggregates.ts';
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
  'filter lists': filterLists,
  'limit arrays': limitArrays,
  'prune columns': pruneColumns,
  'top n first': topNFirst,
  'narrow quantiles': narrowQuantiles,
  'join lists': joinLists,
  'share json reads': shareJsonReads,
};

/**
 * A query after the passes, each of which makes it cheaper to run and returns the same rows.
 *
 * @param without the passes that are left out
 * @param onPassed called after each pass with its name, the tree that it took and the tree that it gave
 */
export function runPasses(
  query: Query,
  options: PassOptions,
  without: ReadonlySet<string> = new Set(),
  onPassed: (name: string, before: Query, after: Query) => void = () => {},
): Query {
  let tree = query;
  for (const [name, pass] of Object.entries(passes)) {
    if (without.has(name)) continue;
    const passed = pass(tree, options);
    onPassed(name, tree, passed);
    tree = passed;
  }
  return tree === query ? query : ownAggregates(tree, options.fresh);
}
