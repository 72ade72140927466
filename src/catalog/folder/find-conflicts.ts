import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Problem } from '../../errors.ts';
import { checkAddresses } from '../check/check-addresses.ts';
import { checkConflicts } from '../check/check-catalog.ts';
import { checkReferences } from '../check/check-versions.ts';
import type { SavedQuery } from '../model/saved-query.ts';
import type { FileSet } from './file-set.ts';

type Problems = ReadonlyMap<string, readonly Problem[]>;

/** By path. */
interface Conflicts {
  /** The problems of changed queries that cannot be served together with the others. */
  readonly refused: Problems;
  /** Those of queries that are served all the same: nothing but what they refer to has changed, which is gone. */
  readonly served: Problems;
}

const none: Problems = new Map();

/** Finds conflicts. Unchanged queries are checked first, so that the problem is that of a changed one. */
export async function findConflicts(
  chosen: ReadonlyMap<string, SavedQuery>,
  { served, aliasLines }: FileSet<SavedQuery>,
): Promise<Conflicts> {
  const isServed = ([path, query]: readonly [string, SavedQuery]) => served.get(path) === query;
  const unchanged = [...chosen].filter(isServed);
  const changed = [...chosen].filter((one) => !isServed(one));
  const pathOf = new Map([...chosen].map(([path, { source }]) => [source.file, path]));
  const byPath = (problems: readonly Problem[]): Problems =>
    Map.groupBy(problems, ({ file = '' }) => pathOf.get(file) ?? '');
  // Of thousands of queries, each check takes ten milliseconds: other work is done in between.
  const conflictsOf = async (queries: readonly SavedQuery[]) => {
    await nextTurn();
    const conflicts = checkConflicts(queries);
    await nextTurn();
    return [
      ...conflicts,
      ...checkAddresses(queries.map((query) => ({ query, aliasLines: aliasLines.get(query) ?? [] }))),
    ];
  };
  const all = [...unchanged, ...changed].map(([, query]) => query);
  const conflicts = await conflictsOf(all);
  const found = byPath([...conflicts, ...checkReferences(all)]);
  const ofChanged = [...found].filter(([path]) => served.get(path) !== chosen.get(path));
  if (ofChanged.length > 0) return { refused: new Map(ofChanged), served: none };
  if (conflicts.length === 0) return { refused: none, served: found };
  const refused = await blameChanged(unchanged, changed, conflictsOf);
  return refused.size > 0 ? { refused, served: none } : { refused, served: found };
}

/** The changed queries that give unchanged ones a problem, as if an alias of an unchanged query is the name of a changed one. */
async function blameChanged(
  unchanged: readonly (readonly [string, SavedQuery])[],
  changed: readonly (readonly [string, SavedQuery])[],
  conflictsOf: (queries: readonly SavedQuery[]) => Promise<readonly Problem[]>,
): Promise<Problems> {
  const accepted = unchanged.map(([, query]) => query);
  const files = new Set(accepted.map(({ source }) => source.file));
  const keyOf = ({ file, message }: Problem) => `${file}: ${message}`;
  const known = new Set((await conflictsOf(accepted)).map(keyOf));
  const refused = new Map<string, readonly Problem[]>();
  for (const [path, query] of changed) {
    const problems = await conflictsOf([...accepted, query]);
    const problem = problems.find((one) => files.has(one.file ?? '') && !known.has(keyOf(one)));
    if (problem === undefined) {
      accepted.push(query);
      continue;
    }
    const message = `is in conflict with ${keyOf(problem)}`;
    refused.set(path, [{ file: query.source.file, line: 1, message }]);
  }
  return refused;
}
