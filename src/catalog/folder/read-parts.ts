import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runSteps } from '../../concurrency/loop-turns.ts';
import type { Problem } from '../../errors.ts';
import type { Link } from '../header/link.ts';
import { type Library, librarySteps, type PartFiles } from '../parts/library.ts';
import { buildLinker, type Linker } from '../parts/link.ts';
import type { PartSql } from '../model/saved-query.ts';
import { type CatalogFiles, contentProblem, isQueryPath, isTablePath } from './read-folder.ts';

/** The parts in a queries folder. */
export interface FolderParts {
  readonly library: Library;
  readonly link: Link;
  readonly taken: Linker['taken'];
  readonly unread: Linker['unread'];
  /** A file that is only a part, as queries by themselves. */
  asQueries(path: string): readonly PartSql[];
  /** True for the file of a saved query that is served. */
  isServed(path: string): boolean;
  /** The problems of the files that are only parts, by path. */
  readonly problems: ReadonlyMap<string, readonly Problem[]>;
  /** The texts that a saved query reads besides its own. */
  textsOf(path: string): readonly string[];
}

/** Reads the parts among the files of a folder. @param before as for `librarySteps` */
export const readParts = (folder: string, files: CatalogFiles, before?: PartFiles): FolderParts =>
  runSteps(partSteps(folder, files, before));

/** The same while other work of the process is done in between. */
export async function readPartsInTurns(
  folder: string,
  files: CatalogFiles,
  before: PartFiles,
): Promise<FolderParts> {
  const steps = partSteps(folder, files, before);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}

function* partSteps(folder: string, files: CatalogFiles, before?: PartFiles): Generator<void, FolderParts> {
  const texts = new Map<string, string>();
  for (const [path, content] of files) {
    if (!isTablePath(path) && 'text' in content) texts.set(path, content.text);
  }
  const tables = [...files.keys()].filter(isTablePath);
  const library = yield* librarySteps(folder, { texts, tables }, before);
  const { link, taken, unread, textsOf, ...linker } = buildLinker(library);
  return {
    library,
    link,
    taken,
    unread,
    asQueries: (path) => library.parts.get(path)?.units.flatMap(linker.asQuery) ?? [],
    problems: partProblems(folder, files, library, linker.problems()),
    isServed: (path) => isQueryPath(path) && !library.parts.has(path),
    textsOf: (path) => {
      const text = texts.get(path) ?? '';
      return library.mayName(text.slice(text.indexOf('---*/'))) ? textsOf(path) : [];
    },
  };
}

function partProblems(
  folder: string,
  files: CatalogFiles,
  library: Library,
  ofNames: readonly Problem[],
): ReadonlyMap<string, readonly Problem[]> {
  const byFile = Map.groupBy(ofNames, ({ file }) => file);
  return new Map(
    [...files].flatMap(([path, content]) => {
      const file = join(folder, path);
      const part = library.parts.get(path);
      // An unreadable file in the folder of queries may be one that is served.
      const unreadable =
        'problem' in content && !isQueryPath(path) && !isTablePath(path)
          ? [contentProblem(file, content)]
          : [];
      const found = [
        ...unreadable,
        ...(part === undefined ? [] : [...part.problems, ...(byFile.get(file) ?? [])]),
      ];
      return found.length === 0 ? [] : [[path, found] as const];
    }),
  );
}
