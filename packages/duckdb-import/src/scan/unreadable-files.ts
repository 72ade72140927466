import type { DataFile } from './data-files.ts';

/** Files that could not be read as a whole, and why; each is tried again once it has changed. */
export class UnreadableFiles {
  readonly #byKey = new Map<string, { readonly file: DataFile; readonly problem: string }>();

  add(file: DataFile, problem: string): void {
    this.#byKey.set(keyOf(file), { file, problem });
  }

  /** Forgets the files that have changed since they were added, or are missing. */
  keepUnchanged(files: readonly DataFile[]): void {
    const versions = new Map(files.map((file) => [keyOf(file), versionOf(file)]));
    for (const [key, { file }] of this.#byKey)
      if (versions.get(key) !== versionOf(file)) this.#byKey.delete(key);
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
