import { type DataFile, isSameKind } from './data-files.ts';
import type { ManifestEntry } from './manifest.ts';

/** A file of which something is to be taken. */
export interface Change {
  readonly file: DataFile;
  /** What the store holds of this very file; undefined where it is to be taken in whole. */
  readonly known: ManifestEntry | undefined;
  /** Entries whose rows go when the first of the file's come. */
  readonly replaces: readonly number[];
}

/** What has happened in a data folder since the ledger was written. */
export interface Changes {
  readonly changed: readonly Change[];
  /** Entries of which no file is left. */
  readonly missing: readonly ManifestEntry[];
  /** Entries whose file is as it was. */
  readonly unchanged: readonly ManifestEntry[];
}

/** Compares what is there with what is known; files are not read. */
export function findChanges(found: readonly DataFile[], entries: readonly ManifestEntry[]): Changes {
  const left = new Set(entries);
  const pairs = new Map<DataFile, ManifestEntry>();
  const pairBy = (key: (file: DataFile | ManifestEntry) => string) => {
    const open = new Map([...left].map((entry) => [key(entry), entry]));
    for (const file of found) {
      const entry = pairs.has(file) ? undefined : open.get(key(file));
      if (entry === undefined || !left.delete(entry)) continue;
      pairs.set(file, entry);
    }
  };
  pairBy(({ table, identity, name }) => JSON.stringify([table, identity, name]));
  // A renamed file first, so that what now has its old name does not pass for it.
  pairBy(({ table, identity }) => JSON.stringify([table, identity]));
  pairBy(({ table, name }) => JSON.stringify([table, name]));

  const changed: Change[] = [];
  const unchanged: ManifestEntry[] = [];
  for (const file of found) {
    const entry = pairs.get(file);
    if (entry !== undefined && isUnchanged(file, entry)) unchanged.push(entry);
    else if (entry === undefined) changed.push({ file, known: undefined, replaces: [] });
    else if (isSameFile(file, entry)) changed.push({ file, known: entry, replaces: [] });
    else changed.push({ file, known: undefined, replaces: [entry.number] });
  }
  return { changed, missing: [...left], unchanged };
}

function isUnchanged({ identity, name, size, mtime }: DataFile, entry: ManifestEntry): boolean {
  return (
    entry.done &&
    identity === entry.identity &&
    name === entry.name &&
    size === entry.size &&
    mtime === entry.mtime
  );
}

/** By what can be known without reading. A file of which only a part was taken goes on where it was left. */
function isSameFile(
  { identity, name, size, mtime, format, compression }: DataFile,
  entry: ManifestEntry,
): boolean {
  if (identity !== entry.identity || !isSameKind(name, entry.name)) return false;
  if (size === entry.size && mtime === entry.mtime) return true;
  if (format !== 'ndjson' || compression !== undefined) return false;
  return size > entry.size;
}
