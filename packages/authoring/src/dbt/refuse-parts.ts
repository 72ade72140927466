import { join } from 'node:path';
import type { Problem } from '@querygate/bigquery-sql/problem';
import { type Dialect, problemsOfSql, readParts, tablesOf } from 'querygate/catalog';
import type { CatalogFiles, FileContent, FolderParts } from '../catalog-types.ts';
import type { NodeFile } from './node-files.ts';

/** How parts are checked. */
export interface PartCheck {
  readonly dialect: Dialect;
  /** Why a part cannot read a table, by the parts of its name. */
  readonly readProblem: (path: readonly string[]) => string | undefined;
  /** Is called for each part that has been removed; it may add a file that takes its place. */
  readonly onRefused: (part: NodeFile, reason: string) => void;
}

/**
 * Finds the parts that would be refused as files of a folder, and those that cannot do without them: a folder with one of
 * them is not served.
 *
 * @param files of the folder, with the parts; those that are refused are removed
 */
export function refuseParts(
  folder: string,
  files: Map<string, FileContent>,
  parts: readonly NodeFile[],
  check: PartCheck,
): void {
  let read: FolderParts | undefined;
  for (;;) {
    const current = readParts(folder, files, read?.library.files);
    read = current;
    const problemsOf = problemsIn(folder, files, current, check);
    const broken = parts.flatMap((part) => {
      const problems = files.has(part.path) ? problemsOf(part.path) : [];
      return problems.length === 0 ? [] : [{ part, problems }];
    });
    if (broken.length === 0) return;
    // A part that reads another one has its problems, too: without that one, it has others, or none.
    const places = new Set(broken.map(({ part }) => join(folder, part.path)));
    const first = broken.filter(({ part: { path }, problems }) =>
      [...problems, ...unitsRead(current, path)].every(
        ({ file = '' }) => file === join(folder, path) || !places.has(file),
      ),
    );
    const refused = first.length > 0 ? first : broken;
    for (const { part } of refused) files.delete(part.path);
    for (const { part, problems } of refused) check.onRefused(part, problems[0]?.message ?? '');
  }
}

function problemsIn(
  folder: string,
  files: CatalogFiles,
  parts: FolderParts,
  { dialect, readProblem }: PartCheck,
) {
  const { tables } = tablesOf(folder, files);
  const hasOpenTables = dialect.flags?.hasOwnTables ?? false;
  return (path: string): readonly Problem[] => {
    const file = join(folder, path);
    const content = files.get(path);
    if (content === undefined || 'problem' in content)
      return [{ file, message: content?.problem ?? 'is missing' }];
    const known = parts.problems.get(path) ?? [];
    if (known.length > 0) return known;
    const queries = parts.asQueries(path);
    if (queries.length !== 1) return [{ file, message: 'it is more than one statement' }];
    const ofReads = tablesIn(parts, path).flatMap((table) => readProblem(table) ?? []);
    if (ofReads.length > 0) return ofReads.map((message) => ({ file, message }));
    if (dialect.sql === 'native') return queries.flatMap((part) => part.problems);
    return queries.flatMap((part) => problemsOfSql({ ...part, columns: undefined }, tables, hasOpenTables));
  };
}

/** The names of the tables that the part of a file reads, without those of other parts. */
const tablesIn = (parts: FolderParts, path: string): readonly (readonly string[])[] =>
  namesIn(parts, path).filter((name) => parts.library.tableNamed(name) === undefined);

/** The parts that the part of a file reads as tables. */
const unitsRead = (parts: FolderParts, path: string) =>
  namesIn(parts, path).flatMap((name) => {
    const found = parts.library.tableNamed(name);
    return found && 'unit' in found ? [found.unit] : [];
  });

const namesIn = ({ library }: FolderParts, path: string): readonly (readonly string[])[] =>
  (library.fileAt(path)?.units ?? []).flatMap(({ names }) =>
    names.tables.map(({ path }) => path.parts.map(({ name }) => name)),
  );
