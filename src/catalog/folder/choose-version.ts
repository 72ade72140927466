import { join } from 'node:path';
import type { Problem } from '../../errors.ts';
import type { Catalog, SavedQuery } from '../model/saved-query.ts';
import { duplicateTables } from './load-tables.ts';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { type FileSet, newestOf, problemsOf } from './file-set.ts';
import { findConflicts } from './find-conflicts.ts';

/** Finds queries that cannot run, with their problems. */
export type CheckQueries<C extends Catalog = Catalog> = (
  catalog: C,
) => Promise<ReadonlyMap<SavedQuery, readonly Problem[]>>;

/** Fills in what the headers of queries leave to their SQL. The queries keep their order. */
export interface CompleteCatalog<C extends Catalog = Catalog> {
  (catalog: Catalog): C;
  /** The same while other work of the process is done in between. */
  readonly inTurns: (catalog: Catalog) => Promise<C>;
}

/** All files of the catalog. */
export interface FileSets {
  readonly queries: FileSet<SavedQuery>;
  readonly tables: FileSet<TableSchema>;
}

/** The chosen version of every file. */
export interface Choice<C extends Catalog> {
  readonly catalog: C;
  /** By path. */
  readonly queries: ReadonlyMap<string, SavedQuery>;
  readonly tables: ReadonlyMap<string, TableSchema>;
  /** The problems of the files that a start would refuse, or that are not served as they are, by path. */
  readonly refused: ReadonlyMap<string, readonly Problem[]>;
}

/**
 * Chooses of each file the new version or the last good one: refuses what is in conflict or cannot run, until nothing is
 * left. All last good versions together are always possible.
 */
export async function chooseVersion<C extends Catalog>(
  folder: string,
  { queries, tables }: FileSets,
  current: Catalog,
  { complete, check }: { readonly complete: CompleteCatalog<C>; readonly check: CheckQueries<C> },
): Promise<Choice<C>> {
  const wrongQueries = problemsOf(queries);
  const refusedQueries = new Map(wrongQueries);
  const refusedTables = problemsOf(tables);
  for (;;) {
    const chosenTables = chooseTables(folder, tables, refusedTables);
    const chosen = newestOf(queries, refusedQueries);
    const conflicts = await findConflicts(chosen, queries);
    if (conflicts.refused.size > 0) {
      for (const [path, problems] of conflicts.refused) refusedQueries.set(path, problems);
      continue;
    }
    const catalog = await complete.inTurns({
      queries: [...chosen.values()],
      tables: sameItems(current.tables, [...chosenTables.values()]),
    });
    const failing = failingQueries([...chosen.values()], catalog, await check(catalog));
    if (failing.size === 0) {
      const refused = [...conflicts.served, ...refusedQueries, ...refusedTables];
      return {
        catalog,
        queries: chosen,
        tables: chosenTables,
        refused: new Map(refused.sort(([a], [b]) => (a < b ? -1 : 1))),
      };
    }
    const failingFiles = [...chosen].filter(([, query]) => failing.has(query));
    const changed = failingFiles.filter(([path, query]) => queries.served.get(path) !== query);
    for (const [path, query] of changed) refusedQueries.set(path, failing.get(query) ?? []);
    if (changed.length > 0) continue;
    // Queries that did run cannot run any more: that is because of tables.
    const blamed = blameTables(failingFiles, failing, tables, chosenTables, folder);
    if (blamed.size === 0)
      throw new Error(`cannot run any more: ${failingFiles.map(([path]) => path).join()}`);
    for (const [path, problems] of blamed) refusedTables.set(path, problems);
    // They may have been refused because of the same tables.
    for (const path of refusedQueries.keys()) if (!wrongQueries.has(path)) refusedQueries.delete(path);
  }
}

/** The problems of queries as their files have them, by those of the completed ones. */
function failingQueries(
  written: readonly SavedQuery[],
  { queries }: Catalog,
  problems: ReadonlyMap<SavedQuery, readonly Problem[]>,
): ReadonlyMap<SavedQuery, readonly Problem[]> {
  return new Map(
    written.flatMap((query, at) => {
      const completed = queries[at];
      const own = completed && problems.get(completed);
      return own === undefined ? [] : [[query, own] as const];
    }),
  );
}

/** Also tables whose files are missing may be refused: not to be there. */
function chooseTables(
  folder: string,
  set: FileSet<TableSchema>,
  refused: Map<string, readonly Problem[]>,
): ReadonlyMap<string, TableSchema> {
  const kept = [...set.served].filter(([path]) => refused.has(path));
  const chosen = new Map([...kept, ...newestOf(set, refused)]);
  // Those that are served come first, so that the problem is that of another one.
  const paths = [...chosen.keys()].sort((a, b) => Number(set.served.has(b)) - Number(set.served.has(a)));
  const duplicates = new Map(
    duplicateTables(paths.map((path) => join(folder, path))).map((problem) => [problem.file, problem]),
  );
  for (const path of paths) {
    const problem = duplicates.get(join(folder, path));
    if (problem === undefined) continue;
    refused.set(path, [problem]);
    chosen.delete(path);
  }
  return new Map([...chosen].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The changed and removed tables whose names occur in queries that cannot run with them; all of them if no name occurs. */
function blameTables(
  failingFiles: readonly (readonly [string, SavedQuery])[],
  failing: ReadonlyMap<SavedQuery, readonly Problem[]>,
  { served }: FileSet<TableSchema>,
  chosen: ReadonlyMap<string, TableSchema>,
  folder: string,
): ReadonlyMap<string, readonly Problem[]> {
  const changed = [...served].filter(([path, table]) => chosen.get(path) !== table);
  const readerOf = ({ name }: TableSchema) =>
    failingFiles.find(([, { sql }]) => sql.toLowerCase().includes(name.toLowerCase()))?.[1];
  const read = changed.filter(([, table]) => readerOf(table) !== undefined);
  return new Map(
    (read.length > 0 ? read : changed).map(([path, table]) => {
      const reader = readerOf(table) ?? failingFiles[0]?.[1];
      const [problem] = (reader && failing.get(reader)) ?? [];
      const why = `${reader?.source.file} cannot run ${chosen.has(path) ? 'with this version' : 'without it'}: ${problem?.message ?? ''}`;
      return [path, [{ file: join(folder, path), message: why }]];
    }),
  );
}

/** The same array if it has the same items: others compare it by identity. */
function sameItems<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  return before.length === after.length && before.every((item, at) => item === after[at]) ? before : after;
}
