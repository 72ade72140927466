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

/** The files that are broken in another way than before, and those that are no longer broken. */
export function compareBroken(before: readonly BrokenFile[], after: readonly BrokenFile[]): FilesReport {
  const textOf = ({ problems, isServed }: BrokenFile) => JSON.stringify([isServed, problems]);
  const known = new Map(before.map((one) => [one.file, textOf(one)]));
  const files = new Set(after.map(({ file }) => file));
  return {
    broken: after.filter((one) => known.get(one.file) !== textOf(one)),
    mended: before.map(({ file }) => file).filter((file) => !files.has(file)),
  };
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
