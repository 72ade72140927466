import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Problem } from '../../errors.ts';
import { checkAddresses } from '../check/check-addresses.ts';
import { checkCatalog } from '../check/check-catalog.ts';
import type { SavedQuery } from '../model/saved-query.ts';
import type { FileSet } from './file-set.ts';

/**
 * The changed queries that cannot be served together with the others, with their problems, by path. Unchanged queries
 * are checked first, so that the problem is that of a changed one.
 */
export async function findConflicts(
  chosen: ReadonlyMap<string, SavedQuery>,
  { served, aliasLines }: FileSet<SavedQuery>,
): Promise<ReadonlyMap<string, readonly Problem[]>> {
  const isServed = ([path, query]: readonly [string, SavedQuery]) => served.get(path) === query;
  const ordered = [...chosen].sort((a, b) => Number(isServed(b)) - Number(isServed(a)));
  const pathOf = new Map(ordered.map(([path, { source }]) => [source.file, path]));
  const addressProblems = (queries: readonly SavedQuery[]) =>
    checkAddresses(queries.map((query) => ({ query, aliasLines: aliasLines.get(query) ?? [] })));
  const all = ordered.map(([, query]) => query);
  // Of thousands of queries, each takes ten milliseconds: other work is done in between.
  await nextTurn();
  const catalogProblems = checkCatalog(all);
  await nextTurn();
  const problems = [...catalogProblems, ...addressProblems(all)];
  const found = Map.groupBy(problems, ({ file = '' }) => pathOf.get(file) ?? '');
  const ofChanged = [...found].filter(([path]) => served.get(path) !== chosen.get(path));
  if (found.size === 0 || ofChanged.length > 0) return new Map(ofChanged);
  // An alias of an unchanged query is the name of a changed one.
  const unchanged = ordered.filter(isServed).map(([, query]) => query);
  return new Map(
    ordered
      .filter((one) => !isServed(one))
      .flatMap(([path, query]) => {
        const [problem] = addressProblems([...unchanged, query]);
        if (problem === undefined) return [];
        const message = `is in conflict with ${problem.file}: ${problem.message}`;
        return [[path, [{ file: query.source.file, line: 1, message }]] as const];
      }),
  );
}
