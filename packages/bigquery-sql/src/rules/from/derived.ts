import type { ResolvedFrom, ResolvedQuery } from '../context.ts';
import { rangeOf } from '../queries/outputs.ts';

/**
 * A query as an item of FROM.
 *
 * @param name the name that expressions may give it
 * @param alias its alias in the tree
 */
export const derivedFrom = (
  resolved: ResolvedQuery,
  name: string | undefined,
  alias: string,
): ResolvedFrom => ({
  from: { kind: 'derived', alias, query: resolved.query },
  ranges: [rangeOf(resolved, name, alias)],
});
