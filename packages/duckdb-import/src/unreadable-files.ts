import { describeFileProblem } from './reject/describe-problem.ts';
import type { DataFile } from './scan/data-files.ts';

/** Files that could not be read as a whole; each is tried again once it has changed. */
export interface UnreadableFiles {
  add(file: DataFile, error: unknown): void;
  /** Forgets the files that have changed since they were added, or are missing. */
  keepUnchanged(files: readonly DataFile[]): void;
  /** Forgets the files of a table. */
  forgetTable(table: string): void;
  /** Why a file cannot be read; undefined for a file that was not added. */
  problemOf(file: DataFile): string | undefined;
}

export function buildUnreadableFiles(): UnreadableFiles {
  const byKey = new Map<string, { readonly version: string; readonly problem: string }>();
  return {
    add(file, error) {
      byKey.set(keyOf(file), { version: versionOf(file), problem: describeFileProblem(file, error) });
    },
    keepUnchanged(files) {
      const versions = new Map(files.map((file) => [keyOf(file), versionOf(file)]));
      for (const [key, { version }] of byKey) if (versions.get(key) !== version) byKey.delete(key);
    },
    forgetTable(table) {
      for (const key of byKey.keys()) if (JSON.parse(key)[0] === table) byKey.delete(key);
    },
    problemOf: (file) => byKey.get(keyOf(file))?.problem,
  };
}

const keyOf = ({ name, table }: DataFile) => JSON.stringify([table, name]);

const versionOf = ({ ctime, identity, size }: DataFile) => JSON.stringify([identity, size, String(ctime)]);
