import { deriveQuery } from '../catalog-analysis/derived/derive-query.ts';
import type { AnalyzedCatalog } from '../catalog-analysis/analyze-catalog.ts';
import { describeProblem } from '../errors.ts';
import { sharedQuery } from '../plugins/shared-runs/share-query.ts';

/** Why queries with a tenant run for each tenant alone, one line each; none for those that say so in their header. */
export const notSharedNotes = (
  catalog: AnalyzedCatalog,
  engine: Parameters<typeof deriveQuery>[3],
): readonly string[] =>
  catalog.queries.flatMap((query) => {
    if (query.tenant === undefined || query.batch === 'off') return [];
    const { problem } = deriveQuery(query, sharedQuery().derivation, catalog, engine);
    return problem === undefined
      ? []
      : [`${query.name} runs for each tenant alone: ${describeProblem(problem)}`];
  });
