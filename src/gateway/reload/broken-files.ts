import { listShort } from '@querygate/text';
import type { Logger } from 'pino';
import type { BrokenFile } from '../../catalog/folder/catalog-history.ts';
import { describeProblem } from '../../errors.ts';
import { maxNames } from './describe-change.ts';

/** Changes in which files are broken, and how. */
export interface FilesReport {
  /** Files that have begun to be broken, or are broken in another way. */
  readonly broken: readonly BrokenFile[];
  /** Files that were broken and are served as they are now, or are gone. */
  readonly mended: readonly string[];
}

/**
 * The files that are broken in another way than before, and those that are no longer broken. Files that only read a broken one
 * are named by its problems.
 */
export function compareBroken(
  allBefore: readonly BrokenFile[],
  allAfter: readonly BrokenFile[],
): FilesReport {
  const [before, after] = [withReaders(allBefore), withReaders(allAfter)];
  const textOf = ({ problems, isServed }: BrokenFile) => JSON.stringify([isServed, problems]);
  const known = new Map(before.map((one) => [one.file, textOf(one)]));
  const files = new Set(after.map(({ file }) => file));
  return {
    broken: after.filter((one) => known.get(one.file) !== textOf(one)),
    mended: before.map(({ file }) => file).filter((file) => !files.has(file)),
  };
}

/** Without the files all of whose problems are those of another one, which says what reads it. */
function withReaders(broken: readonly BrokenFile[]): readonly BrokenFile[] {
  const causes = new Map<string, string>();
  for (const { file, problems } of broken)
    for (const problem of problems) if (problem.file === file) causes.set(JSON.stringify(problem), file);
  const causeOf = ({ file, problems }: BrokenFile): string | undefined => {
    const found = new Set(problems.map((problem) => causes.get(JSON.stringify(problem))));
    const [cause] = found;
    return found.size === 1 && cause !== file ? cause : undefined;
  };
  const readers = Map.groupBy(broken, causeOf);
  return (readers.get(undefined) ?? []).map((one) => {
    const names = readers.get(one.file)?.map(({ file }) => file) ?? [];
    if (names.length === 0) return one;
    const [first, ...others] = one.problems;
    const use = { file: one.file, message: `is read by ${listShort(names)}` };
    return { ...one, problems: [...(first ? [first] : []), use, ...others] };
  });
}

export const logReport =
  (log: Logger) =>
  ({ broken, mended }: FilesReport): void => {
    for (const { problems, isServed, since } of broken.slice(0, maxNames)) {
      log.error(
        {
          problems: problems.slice(0, maxProblems).map(describeProblem),
          ...(isServed && { since: since.toISOString() }),
        },
        isServed ? 'a file is broken: its last good version is served' : 'a file is broken, and not served',
      );
    }
    if (broken.length > maxNames) log.error({ files: broken.length - maxNames }, 'more files are broken');
    if (mended.length > 0) log.info({ files: mended.slice(0, maxNames) }, 'files are no longer broken');
  };

/** Of one file. */
const maxProblems = 5;
