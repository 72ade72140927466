import type { Change } from '../scan/find-changes.ts';
import { canGrow, type DataFile } from '../scan/data-files.ts';
import { fingerprint, fingerprintBytes, noEnds, readMatchingEnds, readRange } from '../scan/fingerprint.ts';
import type { ManifestEntry, Reject } from '../store/manifest.ts';
import type { LinesWriter, Position } from './lines-writer.ts';

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
  /** Numbers of rows that are left out of a Parquet file, from 1. */
  readonly excludedRows?: readonly number[];
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

export async function startReading(change: Change, nextNumber: () => number): Promise<FileReading> {
  const { file, knownEntry, replaces } = change;
  const ends = knownEntry && (await readMatchingEnds(file, knownEntry));
  if (knownEntry && ends) {
    const { done, lines, number, offset } = knownEntry;
    const isUnchanged = done && !canGrow(file);
    const position = { offset, lines, ends };
    return { file, knownEntry, number, replaces, position, head: ends.head, isUnchanged, rejects: [] };
  }
  const headBytes = canGrow(file) ? 0 : Math.min(fingerprintBytes, file.size);
  return {
    file,
    knownEntry: undefined,
    number: nextNumber(),
    replaces: knownEntry ? [...replaces, knownEntry.number] : replaces,
    position: { offset: 0, lines: 0, ends: noEnds },
    head: await readRange(file.path, 0, headBytes),
    isUnchanged: false,
    rejects: [],
  };
}

/** The slice that a writer has copied from a position on. */
export function copiedSlice(reading: FileReading, from: Position, writer: LinesWriter, path: string): Slice {
  const { file } = reading;
  const position = writer.position();
  const rows = writer.rows();
  const isFirst = from === reading.position;
  const ofWriter = writer.rejects.map((reject) => ({ ...reject, isRow: file.format !== 'ndjson' }));
  return {
    file,
    entry: entryOf(reading, position, false),
    replaces: isFirst ? reading.replaces : [],
    path: rows === 0 ? undefined : path,
    rows,
    lineBytes: writer.bytes(),
    firstLine: from.lines + 1,
    rejects: isFirst ? [...reading.rejects, ...ofWriter] : ofWriter,
    bytes: canGrow(file) ? position.offset - from.offset : isFirst ? file.size : 0,
  };
}

/** The only slice of a file that is not copied: a Parquet file, or one whose content has not changed. */
export function uncopiedSlice(reading: FileReading): Slice {
  const { file, isUnchanged, rejects, replaces } = reading;
  return {
    ...{ file, replaces, rejects, rows: 0, lineBytes: 0, firstLine: 1 },
    entry: entryOf(reading, reading.position, true),
    path: isUnchanged ? undefined : file.path,
    bytes: isUnchanged ? 0 : file.size,
  };
}

function entryOf(reading: FileReading, { offset, lines, ends }: Position, done: boolean): ManifestEntry {
  const { file, knownEntry, number } = reading;
  const { table, name, identity, size, mtime } = file;
  const head = canGrow(file) ? ends.head : reading.head;
  return {
    ...{ number, table, name, identity, size, mtime, offset, lines, done },
    head: fingerprint(head),
    headBytes: head.length,
    tail: canGrow(file) ? fingerprint(ends.tail) : '',
    rows: knownEntry?.rows ?? 0,
    rejected: knownEntry?.rejected ?? 0,
  };
}
