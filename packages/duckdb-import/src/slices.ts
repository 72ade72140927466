import { stat } from 'node:fs/promises';
import type { LinesWriter, Position } from './read/lines-writer.ts';
import { canGrow, type DataFile } from './scan/data-files.ts';
import type { Change } from './scan/find-changes.ts';
import { fingerprint, fingerprintBytes, noEnds, readMatchingEnds, readRange } from './scan/fingerprint.ts';
import type { ManifestEntry, Reject } from './store/manifest.ts';
import { isRemote } from './store/remote-path.ts';

/** Consecutive rows of one file. */
export interface Slice {
  readonly file: DataFile;
  /** The file's manifest entry once the slice is stored; `rows` and `rejected` do not count the slice yet. */
  readonly entry: ManifestEntry;
  /** Numbers of the entries whose rows are deleted first. */
  readonly replaces: readonly number[];
  /** The scratch file with the rows, or the Parquet file itself; undefined for a slice without rows. */
  readonly path: string | undefined;
  /** Lines that are not blank; 0 for Parquet. */
  readonly rows: number;
  readonly lineBytes: number;
  /** Number of the first line, from 1. */
  readonly firstLine: number;
  readonly rejects: readonly Reject[];
  /** Bytes of the data file that the slice accounts for, for the progress. */
  readonly bytes: number;
}

/** A file that is being read. */
export interface FileReading {
  readonly file: DataFile;
  readonly number: number;
  /** The file's manifest entry; undefined for a file that is read from its beginning. */
  readonly knownEntry: ManifestEntry | undefined;
  readonly replaces: readonly number[];
  /** Where reading starts. */
  readonly position: Position;
  /** The beginning of a file that cannot grow. */
  readonly head: Buffer;
  /** True if only the file's name or modification time has changed. */
  readonly isUnchanged: boolean;
  /** Rows that were rejected while the file was copied; they are stored with the first slice. */
  readonly rejects: Reject[];
}

export async function startReading(
  { file, knownEntry, replaces }: Change,
  nextNumber: () => number,
): Promise<FileReading> {
  const ends = knownEntry && (await readMatchingEnds(file, knownEntry));
  if (knownEntry && ends) {
    return {
      file,
      knownEntry,
      number: knownEntry.number,
      replaces,
      position: { offset: knownEntry.offset, lines: knownEntry.lines, ends },
      head: ends.head,
      isUnchanged: knownEntry.done && !canGrow(file),
      rejects: [],
    };
  }
  const head = canGrow(file)
    ? noEnds.head
    : await readRange(file.path, 0, Math.min(fingerprintBytes, file.size));
  return {
    file,
    knownEntry: undefined,
    number: nextNumber(),
    replaces: knownEntry ? [...replaces, knownEntry.number] : replaces,
    position: { offset: 0, lines: 0, ends: noEnds },
    head,
    isUnchanged: false,
    rejects: [],
  };
}

/** The slice that a writer has copied from a position on. */
export function copiedSlice(reading: FileReading, from: Position, writer: LinesWriter, path: string): Slice {
  const position = writer.position();
  const rows = writer.rows();
  const isFirst = from === reading.position;
  const base = baseSlice(reading, isFirst);
  const ofWriter = writer.rejects.map((reject) => ({ ...reject, isRow: reading.file.format !== 'ndjson' }));
  return {
    ...base,
    rejects: [...base.rejects, ...ofWriter],
    entry: entryOf(reading, position, false),
    path: rows === 0 ? undefined : path,
    rows,
    lineBytes: writer.bytes(),
    firstLine: from.lines + 1,
    bytes: canGrow(reading.file) ? position.offset - from.offset : isFirst ? reading.file.size : 0,
  };
}

/** The only slice of a file that is not copied: a Parquet file, or one whose content has not changed. */
export function uncopiedSlice(reading: FileReading): Slice {
  return {
    ...baseSlice(reading, true),
    entry: entryOf(reading, reading.position, true),
    path: reading.isUnchanged ? undefined : reading.file.path,
    rows: 0,
    lineBytes: 0,
    firstLine: 1,
    bytes: reading.isUnchanged ? 0 : reading.file.size,
  };
}

const baseSlice = ({ file, replaces, rejects }: FileReading, isFirst: boolean) => ({
  file,
  replaces: isFirst ? replaces : [],
  rejects: isFirst ? rejects : [],
});

function entryOf(
  { file, number, knownEntry, head }: FileReading,
  { offset, lines, ends }: Position,
  done: boolean,
): ManifestEntry {
  const { table, name, identity, size, mtime } = file;
  const firstBytes = canGrow(file) ? ends.head : head;
  return {
    number,
    table,
    name,
    identity,
    size,
    mtime,
    head: fingerprint(firstBytes),
    headBytes: firstBytes.length,
    tail: canGrow(file) ? fingerprint(ends.tail) : '',
    offset,
    lines,
    rows: knownEntry?.rows ?? 0,
    rejected: knownEntry?.rejected ?? 0,
    done,
  };
}

/** True if a file has changed, or has been removed, since the folder was scanned. */
export async function hasChanged({ path, size, mtime }: DataFile): Promise<boolean> {
  // DuckDB compares the tag of a file in a bucket with each request.
  if (isRemote(path)) return false;
  try {
    const now = await stat(path, { bigint: true });
    return Number(now.size) !== size || now.mtimeNs !== mtime;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}
