import { deriveQuery } from '../catalog-analysis/derived/derive-query.ts';
import type { AnalyzedCatalog } from '../catalog-analysis/analyze-catalog.ts';
import type { Catalog, SavedQuery } from '../catalog/model/saved-query.ts';
import { describeProblem, type Problem } from '../errors.ts';
import { memoize } from '../memoize.ts';
import { sharedQuery } from '../plugins/shared-runs/share-query.ts';

/** Why a query with a tenant runs for each tenant alone; undefined if one run is for many. */
export type ProblemOfSharing = (query: SavedQuery) => Problem | undefined;

/** Derives the run for many tenants once for each query. */
export function openSharing(
  catalog: AnalyzedCatalog,
  engine: Parameters<typeof deriveQuery>[3],
): ProblemOfSharing {
  const known = memoize((query: SavedQuery) => {
    const { problem } = deriveQuery(query, sharedQuery().derivation, catalog, engine);
    return { problem };
  });
  return (query) => known(query).problem;
}

/** Why queries with a tenant run for each tenant alone, one line each; none for those that say so in their header. */
export const notSharedNotes = ({ queries }: Catalog, problemOfSharing: ProblemOfSharing): readonly string[] =>
  queries.flatMap((query) => {
    if (query.tenant === undefined || query.batch === 'off') return [];
    const problem = problemOfSharing(query);
    return problem === undefined
      ? []
      : [`${query.name} runs for each tenant alone: ${describeProblem(problem)}`];
  });
