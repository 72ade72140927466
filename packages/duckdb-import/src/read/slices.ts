import { canGrow, type DataFile } from '../scan/data-files.ts';
import type { Change } from '../scan/find-changes.ts';
import { type ComparedBytes, fingerprintBytes, noEnds, readMatchingEnds } from '../scan/fingerprint.ts';
import { fingerprint, readRange } from '../store/file-digests.ts';
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
  /** Its manifest entry as it is before its next slice. */
  readonly entry: ManifestEntry;
  readonly replaces: readonly number[];
  /** Where reading starts. */
  readonly position: Position;
  /** True if only the file's name or modification time has changed. */
  readonly isUnchanged: boolean;
  /** Rows that were rejected while the file was copied; they are stored with the first slice. */
  rejects: readonly Reject[];
}

/** Continues a file where its entry says, or begins another one. */
export async function startReading(
  change: Change,
  nextNumber: () => number,
  compared: ComparedBytes,
): Promise<FileReading> {
  const { digest = '', file, knownEntry, replaces } = change;
  const { ctime, identity, mtime, name, size, table } = file;
  const ends = knownEntry && (await readMatchingEnds(file, knownEntry, compared));
  if (knownEntry && ends) {
    const { done, lines, offset } = knownEntry;
    const isUnchanged = done && !canGrow(file);
    const kept = { ...knownEntry, digest: size === knownEntry.size ? knownEntry.digest : '' };
    const entry = { ...kept, name, identity, size, mtime, ctime };
    return { file, entry, replaces, position: { offset, lines, ends }, isUnchanged, rejects: [] };
  }
  const head = await readRange(file.path, 0, canGrow(file) ? 0 : Math.min(fingerprintBytes, size));
  const entry: ManifestEntry = {
    ...{ number: nextNumber(), table, name, identity, size, mtime, ctime, digest },
    ...{ head: fingerprint(head), headBytes: head.length, tail: '', checksum: '' },
    ...{ offset: 0, lines: 0, rows: 0, rejected: 0, done: false },
  };
  const position = { offset: 0, lines: 0, ends: noEnds };
  const former = knownEntry ? [...replaces, knownEntry.number] : replaces;
  return { file, entry, replaces: former, position, isUnchanged: false, rejects: [] };
}

/** The slice that a writer has copied from a position on. */
export function copiedSlice(reading: FileReading, from: Position, writer: LinesWriter, path: string): Slice {
  const { entry, file } = reading;
  const { ends, lines, offset } = writer.position();
  const rows = writer.rows();
  const isFirst = from === reading.position;
  const rejects = writer.rejects.map((reject) => ({ ...reject, isRow: file.format !== 'ndjson' }));
  const { checksum = '', head, tail } = ends;
  const known = {
    ...{ head: fingerprint(head), headBytes: head.length, tail: fingerprint(tail) },
    checksum: String(checksum),
  };
  return {
    file,
    entry: { ...entry, offset, lines, ...(canGrow(file) && known), done: false },
    replaces: isFirst ? reading.replaces : [],
    path: rows === 0 ? undefined : path,
    rows,
    lineBytes: writer.bytes(),
    firstLine: from.lines + 1,
    rejects: isFirst ? [...reading.rejects, ...rejects] : rejects,
    bytes: canGrow(file) ? offset - from.offset : isFirst ? file.size : 0,
  };
}

/** The only slice of a file that is not copied: a Parquet file, or one whose content has not changed. */
export function uncopiedSlice({ entry, file, isUnchanged, rejects, replaces }: FileReading): Slice {
  return {
    ...{ file, replaces, rejects, rows: 0, lineBytes: 0, firstLine: 1 },
    entry: { ...entry, done: true },
    path: isUnchanged ? undefined : file.path,
    bytes: isUnchanged ? 0 : file.size,
  };
}
