import { canGrow, type DataFile, isSameKind } from './data-files.ts';
import type { ManifestEntry } from '../store/manifest.ts';

/** A file that is new or has changed. */
export interface Change {
  readonly file: DataFile;
  /** The manifest entry of this file; undefined for a file that is imported from its beginning. */
  readonly knownEntry: ManifestEntry | undefined;
  /** Numbers of the entries whose rows the file's rows replace. */
  readonly replaces: readonly number[];
  /** True if files among those are gone, and this one and others have come with that: it is one change of the table. */
  readonly replacesMissing?: boolean;
  /** Of the whole file, if it was computed. */
  readonly digest?: string;
}

/**
 * A file of which only the time of its last change differs, as chmod or a link makes it, or a write that keeps `mtime`; or only
 * the number of its device, as a mount makes it.
 */
export interface Touched {
  readonly file: DataFile;
  readonly entry: ManifestEntry;
}

/** How a data folder differs from the manifest. */
export interface Changes {
  readonly changed: readonly Change[];
  /** Entries whose file was not found. */
  readonly missing: readonly ManifestEntry[];
  /** Entries whose file has not changed. */
  readonly unchanged: readonly ManifestEntry[];
  /** Those of `unchanged` that have to be compared. */
  readonly touched: readonly Touched[];
}

/** Compares the files of a data folder with the manifest, without reading them. */
export function findChanges(found: readonly DataFile[], entries: readonly ManifestEntry[]): Changes {
  const left = new Set(entries);
  const pairs = new Map<DataFile, ManifestEntry>();
  const pairBy = (key: (file: DataFile | ManifestEntry) => string) => {
    const byKey = new Map([...left].map((entry) => [key(entry), entry]));
    for (const file of found) {
      const entry = pairs.has(file) ? undefined : byKey.get(key(file));
      if (entry === undefined || !left.delete(entry)) continue;
      pairs.set(file, entry);
    }
  };
  pairBy(({ table, identity, name }) => JSON.stringify([table, identity, name]));
  // Renamed files are matched before names, so that a new file with the old name is not mistaken for the renamed one.
  pairBy(({ table, identity }) => JSON.stringify([table, identity]));
  pairBy(({ table, name }) => JSON.stringify([table, name]));

  const changed: Change[] = [];
  const unchanged: ManifestEntry[] = [];
  const touched: Touched[] = [];
  for (const file of found) {
    const entry = pairs.get(file);
    if (entry !== undefined && isUnchanged(file, entry)) {
      unchanged.push(entry);
      if (file.ctime !== entry.ctime || file.identity !== entry.identity) touched.push({ file, entry });
    } else if (entry === undefined) changed.push({ file, knownEntry: undefined, replaces: [] });
    else if (isSameFile(file, entry)) changed.push({ file, knownEntry: entry, replaces: [] });
    else changed.push({ file, knownEntry: undefined, replaces: [entry.number] });
  }
  return { changed, missing: [...left], unchanged, touched };
}

/** The changes that bring a file that was not there, or had another content. */
export const newFiles = ({ changed }: Pick<Changes, 'changed'>): readonly Change[] =>
  changed.filter(({ knownEntry }) => knownEntry === undefined);

const isUnchanged = (file: DataFile, entry: ManifestEntry): boolean =>
  entry.done && file.name === entry.name && isSameVersion(file, entry);

/** Decided without reading the file. A file that was imported in part is continued where the import stopped. */
function isSameFile(file: DataFile, entry: ManifestEntry): boolean {
  if (!isSameKind(file.name, entry.name)) return false;
  if (isSameVersion(file, entry)) return true;
  return isSameInode(file, entry) && canGrow(file) && file.size > entry.size;
}

function isSameVersion(file: DataFile, entry: ManifestEntry): boolean {
  const isSameTime = file.identity === entry.identity || file.ctime === entry.ctime;
  return isSameInode(file, entry) && isSameTime && file.size === entry.size && file.mtime === entry.mtime;
}

/** The number of a device may be another one after each mount. */
const isSameInode = ({ identity, name }: DataFile, entry: ManifestEntry): boolean =>
  identity === entry.identity || (name === entry.name && inodeOf(identity) === inodeOf(entry.identity));

const inodeOf = (identity: string) => identity.replace(/^.*:/s, '');

/** How many bytes of changed files are to be read. */
export const bytesToRead = (changes: readonly Change[]): number =>
  changes.reduce((sum, { file, knownEntry }) => sum + file.size - (knownEntry?.offset ?? 0), 0);
