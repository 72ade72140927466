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

/** A query that runs for each tenant alone, and why. */
export interface UnsharedQuery {
  readonly name: string;
  readonly problem: Problem;
}

/** The queries with a tenant that run for each tenant alone, but for those that say so in their header. */
export const unsharedQueries = (
  { queries }: Catalog,
  problemOfSharing: ProblemOfSharing,
): readonly UnsharedQuery[] =>
  queries.flatMap((query) => {
    const problem = query.tenant === undefined || query.batch === 'off' ? undefined : problemOfSharing(query);
    return problem === undefined ? [] : [{ name: query.name, problem }];
  });

/** The reason of each query, with its place. */
export const unsharedNotes = (unshared: readonly UnsharedQuery[]): readonly string[] =>
  unshared.map(({ name, problem }) => `${name} runs for each tenant alone: ${describeProblem(problem)}`);

/** More queries than that with the same reason are counted. */
const mostNamed = 3;

/** The same for a person, who cannot read hundreds of lines. */
export const groupedUnsharedNotes = (unshared: readonly UnsharedQuery[]): readonly string[] =>
  [...Map.groupBy(unshared, ({ problem }) => problem.message)].flatMap(([reason, group]) => {
    if (group.length <= mostNamed) return unsharedNotes(group);
    const named = group.slice(0, mostNamed).map(({ name }) => name);
    const rest = `${group.length - mostNamed} more, which --json names`;
    return [`${group.length} queries run for each tenant alone: ${reason} (${named.join(', ')} and ${rest})`];
  });
