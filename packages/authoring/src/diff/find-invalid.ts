import type { AnalyzedCatalog, SavedQuery } from 'querygate';
import type { Problem } from '@querygate/bigquery-sql/problem';
import { type Change, type CostPair, change } from './change.ts';

interface FindOptions {
  /** Finds the problems of queries, without running them. */
  readonly check: (catalog: AnalyzedCatalog) => Promise<readonly Problem[]>;
  readonly before: AnalyzedCatalog;
  readonly after: AnalyzedCatalog;
  /** The commit of the older version, for notes. */
  readonly ref: string;
  /** Receives what is to be said of queries whose older version was not valid. */
  readonly onNote: (note: string) => void;
}

/** Finds the endpoints that were valid, or are new, and cannot be served. */
export async function findInvalid(
  pairs: readonly CostPair[],
  { check, before, after, ref, onNote }: FindOptions,
): Promise<{ readonly count: number; readonly changesOf: (pair: CostPair) => readonly Change[] }> {
  const now = await invalidAmong(
    pairs.map((pair) => pair.after),
    (queries) => check({ ...after, queries }),
  );
  const former = pairs.flatMap((pair) =>
    pair.before !== undefined && (pair.before !== pair.after || now.has(pair.after)) ? [pair.before] : [],
  );
  const old = await invalidAmong(former, (queries) => check({ ...before, queries }));
  const isOld = ({ before: query }: CostPair) => query !== undefined && old.has(query);
  for (const pair of pairs.filter(isOld)) {
    const problems = now.get(pair.after);
    const was = old.get(pair.before ?? pair.after) ?? [];
    const { name } = pair.after;
    onNote(
      problems === undefined
        ? `${name} is valid now; at ${ref} it was not: ${reasonOf(was)}`
        : `${name} is not valid, and was not at ${ref}: ${placeOf(problems)} ${reasonOf(problems)}`,
    );
  }
  return {
    count: now.size,
    changesOf: (pair) => (isOld(pair) ? [] : invalidChange(now.get(pair.after))),
  };
}

/** The change to a version with problems; none without. */
export const invalidChange = (problems: readonly Problem[] = []): readonly Change[] =>
  problems.slice(0, 1).map(({ file, line = 1 }) => ({
    ...change('query-invalid', ['sql'], `is not valid: ${reasonOf(problems)}`),
    ...(file !== undefined && { place: { file, line } }),
  }));

export const placeOf = ([{ file, line } = { file: '' }]: readonly Partial<Problem>[]): string =>
  [file, line].filter((part) => part !== undefined).join(':');

/** The first of several problems. */
function reasonOf(problems: readonly Problem[]): string {
  const [message = '', ...others] = new Set(problems.map((problem) => problem.message));
  return others.length === 0 ? message : `${message} (and ${others.length} more)`;
}

/** The queries with problems. As few are checked alone as possible: halves without problems are done. */
async function invalidAmong(
  queries: readonly SavedQuery[],
  check: (queries: readonly SavedQuery[]) => Promise<readonly Problem[]>,
): Promise<ReadonlyMap<SavedQuery, readonly Problem[]>> {
  const [first] = queries;
  if (first === undefined) return new Map();
  const problems = await check(queries);
  if (problems.length === 0) return new Map();
  if (queries.length === 1) return new Map([[first, problems]]);
  const middle = queries.length >> 1;
  const halves = [queries.slice(0, middle), queries.slice(middle)];
  const found = [];
  for (const half of halves) found.push(...(await invalidAmong(half, check)));
  return new Map(found);
}
