import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TableSchema } from '../../../catalog/tables/table-schema.ts';
import { isOutOfSpace } from './disk-space.ts';
import { type BatchLimits, type LinesWriter, openLinesWriter, type Position } from './read/lines-writer.ts';
import { normalizeKeys } from './read/normalize-keys.ts';
import { openPlainLines, type PlainOptions } from './read/plain-lines.ts';
import { scratchName } from './read/source-relation.ts';
import { canGrow, type DataFile } from './scan/data-files.ts';
import type { Change } from './scan/find-changes.ts';
import { fingerprint, fingerprintBytes, noEnds, readMatchingEnds, readRange } from './scan/fingerprint.ts';
import type { ManifestEntry, Reject } from './scan/manifest.ts';

/** What one transaction takes in: rows of one table and one partition, from one file or several. */
export interface Batch {
  readonly table: TableSchema;
  readonly slices: readonly Slice[];
  /** Where its scratch files are; gone when the portion is disposed of. */
  readonly folder: string;
}

/** Rows of one file, consecutive ones. */
export interface Slice {
  readonly file: DataFile;
  /** What the ledger says once they are in, but for `rows` and `rejected`. */
  readonly entry: ManifestEntry;
  /** Entries whose rows go first. */
  readonly replaces: readonly number[];
  /** What is read; undefined where there are no rows. Of Parquet it is the file itself. */
  readonly path: string | undefined;
  /** Lines that are not blank; 0 of Parquet. */
  readonly rows: number;
  readonly lineBytes: number;
  /** Of the first line, from 1. */
  readonly firstLine: number;
  readonly rejects: readonly Reject[];
  /** Bytes of the file itself, for the progress. */
  readonly bytes: number;
}

/** A file that cannot be read as a whole; whatever was taken of it goes. */
export interface FileFailure {
  readonly file: DataFile;
  readonly numbers: readonly number[];
  /** undefined where the file is being changed just now, and is looked at again later. */
  readonly error: unknown;
}

export type ReadResult = { readonly portion: Batch } | { readonly failure: FileFailure };

export interface BatchesOptions {
  readonly tables: ReadonlyMap<string, TableSchema>;
  readonly scratch: string;
  readonly connect: PlainOptions['connect'];
  readonly limits: BatchLimits;
  readonly nextNumber: () => number;
}

/** More files than this in a statement are no faster. */
const maxSlices = 1000;

/**
 * Cuts what is to be taken into portions, each made when it is asked for.
 *
 * @throws Error where there is no room for copies; what is wrong with a file is a Failure
 */
export async function* readBatches(
  changes: readonly Change[],
  options: BatchesOptions,
): AsyncGenerator<ReadResult> {
  const { limits, scratch, tables } = options;
  let count = 0;
  let open: OpenBatch | undefined;

  for (const change of changes) {
    const table = tables.get(change.file.table);
    if (table === undefined) continue;
    const key = JSON.stringify([table.name, change.file.partition]);
    if (open && (open.key !== key || change.file.format === 'parquet' || isFull(open, limits))) {
      yield { portion: open };
      open = undefined;
    }
    const start = async (): Promise<OpenBatch> => {
      const folder = join(scratch, `portion-${count++}`);
      await mkdir(folder);
      return { table, key, folder, slices: [] };
    };
    const own = join(scratch, 'copy');
    let reading: FileReading | undefined;
    let writer: LinesWriter | undefined;
    try {
      reading = await startReading(change, options.nextNumber);
      if (change.file.format === 'parquet' || reading.isRead) {
        open ??= await start();
        open.slices.push(uncopiedSlice(reading));
      } else {
        let position = reading.position;
        const finish = async (portion: OpenBatch, from: LinesWriter, current: FileReading) => {
          from.close();
          const path = join(portion.folder, scratchName(current.number));
          await normalizeKeys(path, from.sample(), table.fields);
          portion.slices.push(sliceOf(current, position, from, path));
          position = from.position();
          writer = undefined;
        };
        const plain = await openPlainLines(change.file, position.offset, {
          connect: options.connect,
          fields: table.fields,
          scratch: own,
        });
        reading.rejects.push(...plain.rejects);
        for await (const chunk of plain.bytes) {
          for (let at = 0; at < chunk.length; ) {
            if (open && writer === undefined && isFull(open, limits)) {
              yield { portion: open };
              open = undefined;
            }
            open ??= await start();
            writer ??= openLinesWriter(join(open.folder, scratchName(reading.number)), position);
            at += await writer.write(chunk.subarray(at), remainingLimits(open, limits, writer));
            if (writer.isAtLineEnd() && isFull(open, limits, writer)) await finish(open, writer, reading);
          }
        }
        open ??= await start();
        if (writer !== undefined || open.slices.at(-1)?.entry.number !== reading.number) {
          writer ??= openLinesWriter(join(open.folder, scratchName(reading.number)), position);
          writer.end(canGrow(change.file));
          await finish(open, writer, reading);
        }
        if (!canGrow(change.file) && (await hasChanged(change.file))) throw new Error('is being written');
        const last = open.slices.pop();
        if (last) open.slices.push({ ...last, entry: { ...last.entry, done: true } });
      }
    } catch (error) {
      if (isOutOfSpace(error)) throw error;
      writer?.close();
      const numbers = reading === undefined ? [] : [reading.number];
      if (open) open.slices = open.slices.filter(({ entry }) => !numbers.includes(entry.number));
      const isChanging = await hasChanged(change.file);
      yield {
        failure: {
          file: change.file,
          numbers: isChanging ? numbers : [...numbers, ...(reading?.replaces ?? change.replaces)],
          error: isChanging ? undefined : error,
        },
      };
    } finally {
      if (change.file.format === 'csv') await rm(own, { recursive: true, force: true });
    }
  }
  if (open) yield { portion: open };
}

interface OpenBatch extends Batch {
  readonly key: string;
  slices: Slice[];
}

function isFull({ slices: parts }: OpenBatch, limits: BatchLimits, writer?: LinesWriter): boolean {
  const rows = parts.reduce((sum, part) => sum + part.rows, writer?.rows() ?? 0);
  const bytes = parts.reduce((sum, part) => sum + part.lineBytes, writer?.bytes() ?? 0);
  return parts.length >= maxSlices || rows >= limits.rows || bytes >= limits.bytes;
}

function remainingLimits(
  { slices: parts }: OpenBatch,
  limits: BatchLimits,
  writer: LinesWriter,
): BatchLimits {
  return {
    rows: parts.reduce((left, part) => left - part.rows, limits.rows - writer.rows()),
    bytes: parts.reduce((left, part) => left - part.lineBytes, limits.bytes - writer.bytes()),
  };
}

/** A file that is being taken. */
interface FileReading {
  readonly file: DataFile;
  readonly number: number;
  /** What the ledger says of it so far. */
  readonly known: ManifestEntry | undefined;
  readonly replaces: readonly number[];
  readonly position: Position;
  /** Of files that do not grow: the fingerprint of their beginning. */
  readonly head: Buffer;
  /** Nothing but its name is new. */
  readonly isRead: boolean;
  /** Told with the first part. */
  readonly rejects: Reject[];
}

async function startReading(
  { file, known, replaces }: Change,
  nextNumber: () => number,
): Promise<FileReading> {
  const ends = known && (await readMatchingEnds(file, known));
  if (known && ends) {
    return {
      file,
      known,
      number: known.number,
      replaces,
      position: { offset: known.offset, lines: known.lines, ends },
      head: ends.head,
      isRead: known.done && !canGrow(file),
      rejects: [],
    };
  }
  const head = canGrow(file)
    ? noEnds.head
    : await readRange(file.path, 0, Math.min(fingerprintBytes, file.size));
  return {
    file,
    known: undefined,
    number: nextNumber(),
    replaces: known ? [...replaces, known.number] : replaces,
    position: { offset: 0, lines: 0, ends: noEnds },
    head,
    isRead: false,
    rejects: [],
  };
}

function sliceOf(reading: FileReading, from: Position, writer: LinesWriter, path: string): Slice {
  const { offset, lines, ends } = writer.position();
  const rows = writer.rows();
  const isFirst = from === reading.position;
  return {
    ...baseSlice(reading, isFirst),
    entry: entryOf(reading, { offset, lines, ends }, false),
    path: rows === 0 ? undefined : path,
    rows,
    lineBytes: writer.bytes(),
    firstLine: from.lines + 1,
    bytes: canGrow(reading.file) ? offset - from.offset : isFirst ? reading.file.size : 0,
  };
}

/** A part of which nothing is copied: a Parquet file, or one that has only been renamed. */
function uncopiedSlice(reading: FileReading): Slice {
  return {
    ...baseSlice(reading, true),
    entry: entryOf(reading, reading.position, true),
    path: reading.isRead ? undefined : reading.file.path,
    rows: 0,
    lineBytes: 0,
    firstLine: 1,
    bytes: reading.isRead ? 0 : reading.file.size,
  };
}

function baseSlice({ file, replaces, rejects }: FileReading, isFirst: boolean) {
  return {
    file,
    replaces: isFirst ? replaces : [],
    rejects: isFirst ? rejects : [],
  };
}

/** Rows and rejects are counted when they are in. */
function entryOf(
  { file, number, known, head }: FileReading,
  { offset, lines, ends }: Position,
  done: boolean,
): ManifestEntry {
  const { table, name, identity, size, mtime } = file;
  const begins = canGrow(file) ? ends.head : head;
  return {
    number,
    table,
    name,
    identity,
    size,
    mtime,
    head: fingerprint(begins),
    headBytes: begins.length,
    tail: canGrow(file) ? fingerprint(ends.tail) : '',
    offset,
    lines,
    rows: known?.rows ?? 0,
    rejected: known?.rejected ?? 0,
    done,
  };
}

/** Whether a file is another than it was when it was looked at. */
async function hasChanged({ path, size, mtime }: DataFile): Promise<boolean> {
  try {
    const now = await stat(path, { bigint: true });
    return Number(now.size) !== size || now.mtimeNs !== mtime;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}
