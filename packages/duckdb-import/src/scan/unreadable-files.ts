import { isOfDevice } from '../store/disk-space.ts';
import type { DataFile } from './data-files.ts';

interface Unreadable {
  readonly file: DataFile;
  readonly problem: string;
  readonly isPassing: boolean;
}

/** Files that could not be read as a whole, and why; each is tried again once it has changed, or if its device had failed. */
export class UnreadableFiles {
  readonly #byKey = new Map<string, Unreadable>();

  add(file: DataFile, problem: string, error?: unknown): void {
    this.#byKey.set(keyOf(file), { file, problem, isPassing: isOfDevice(error) });
  }

  /** Forgets the files that have changed since they were added, are missing, or may be readable now. */
  keepUnchanged(files: readonly DataFile[]): void {
    const versions = new Map(files.map((file) => [keyOf(file), versionOf(file)]));
    for (const [key, { file, isPassing }] of this.#byKey)
      if (isPassing || versions.get(key) !== versionOf(file)) this.#byKey.delete(key);
  }

  forgetTable(table: string): void {
    for (const [key, { file }] of this.#byKey) if (file.table === table) this.#byKey.delete(key);
  }

  /** Why a file cannot be read; undefined for a file that was not added. */
  problemOf(file: DataFile): string | undefined {
    return this.#byKey.get(keyOf(file))?.problem;
  }
}

const keyOf = ({ name, table }: DataFile) => JSON.stringify([table, name]);

const versionOf = ({ ctime, identity, size }: DataFile) => JSON.stringify([identity, size, String(ctime)]);
