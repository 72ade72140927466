import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { canGrow, type DataFile, hasChanged } from '../scan/data-files.ts';
import type { Change } from '../scan/find-changes.ts';
import { isOutOfSpace } from '../store/disk-space.ts';
import { type BatchLimits, LinesWriter, type Position } from './lines-writer.ts';
import { normalizeKeys } from './normalize-keys.ts';
import { openPlainLines, type PlainOptions } from './plain-lines.ts';
import { copiedSlice, type FileReading, type Slice, startReading, uncopiedSlice } from './slices.ts';
import { scratchName } from './source-relation.ts';

/** The rows that one transaction stores: of one table and one partition, from one file or several. */
export interface Batch {
  readonly table: TableSchema;
  readonly slices: readonly Slice[];
  /** The folder of its scratch files; the consumer removes it. */
  readonly folder: string;
}

/** A file that cannot be read as a whole; its imported rows are removed. */
export interface FileFailure {
  readonly file: DataFile;
  /** Numbers of the manifest entries to remove. */
  readonly numbers: readonly number[];
  /** undefined for a file that has just been changed: the next sync reads it again. */
  readonly error: unknown;
}

/** What reading gives next. */
export type ReadResult = { readonly batch: Batch } | { readonly failure: FileFailure };

interface BatchesOptions {
  readonly tables: readonly TableSchema[];
  readonly scratch: string;
  readonly connect: PlainOptions['connect'];
  readonly limits?: BatchLimits | undefined;
  readonly nextNumber: () => number;
}

/** Two of DuckDB's row groups: odd sizes are written twice, to the log and at the checkpoint. */
const defaultLimits: BatchLimits = { rows: 245_760, bytes: 512 << 20 };

/** A statement over more files than this is not faster. */
const maxSlices = 1000;

/**
 * Reads changed files in batches; the next batch is read while the consumer loads one.
 *
 * @throws Error if the disk has no space for copies; any other error with a file is a FileFailure
 */
export const readBatches = (
  changes: readonly Change[],
  options: BatchesOptions,
): AsyncGenerator<ReadResult, void, undefined> => prefetch(cutBatches(changes, options));

async function* cutBatches(changes: readonly Change[], options: BatchesOptions): AsyncGenerator<ReadResult> {
  const { limits = defaultLimits, tables } = options;
  const cutter: Cutter = { options: { ...options, limits }, open: undefined, count: 0 };
  for (const change of changes) {
    const table = tables.find(({ name }) => name === change.file.table);
    if (table === undefined) continue;
    if (!fits(cutter, change.file)) yield* takeBatch(cutter);
    yield* readFile(cutter, table, change);
  }
  yield* takeBatch(cutter);
}

interface Cutter {
  readonly options: BatchesOptions & { readonly limits: BatchLimits };
  /** The batch that takes the next slice. */
  open: OpenBatch | undefined;
  /** Batches so far. */
  count: number;
}

interface OpenBatch extends Batch {
  readonly partition: string;
  slices: Slice[];
}

/** Only rows of one table and partition can share a statement; each Parquet file has a statement of its own. */
function fits({ open, options }: Cutter, file: DataFile): boolean {
  if (open === undefined) return true;
  const isSameSource = open.table.name === file.table && open.partition === partitionKey(file);
  return isSameSource && file.format !== 'parquet' && !isFull(open, options.limits);
}

const partitionKey = ({ partition }: DataFile) => JSON.stringify(partition);

function* takeBatch(cutter: Cutter): Generator<ReadResult> {
  const { open } = cutter;
  cutter.open = undefined;
  if (open) yield { batch: open };
}

async function openBatch(cutter: Cutter, table: TableSchema, file: DataFile): Promise<OpenBatch> {
  if (cutter.open) return cutter.open;
  const folder = join(cutter.options.scratch, `batch-${cutter.count++}`);
  await mkdir(folder);
  cutter.open = { table, partition: partitionKey(file), folder, slices: [] };
  return cutter.open;
}

async function* readFile(cutter: Cutter, table: TableSchema, change: Change): AsyncGenerator<ReadResult> {
  const { file } = change;
  let reading: FileReading | undefined;
  try {
    reading = await startReading(change, cutter.options.nextNumber);
    if (file.format === 'parquet' || reading.isUnchanged) {
      (await openBatch(cutter, table, file)).slices.push(uncopiedSlice(reading));
    } else {
      yield* copyLines(cutter, table, reading);
    }
  } catch (error) {
    if (isOutOfSpace(error)) throw error;
    const { open } = cutter;
    if (open) open.slices = open.slices.filter(({ entry }) => entry.number !== reading?.number);
    yield { failure: await fileFailure(change, reading, error) };
  } finally {
    if (file.format === 'csv') await rm(copyFolder(cutter), { recursive: true, force: true });
  }
}

async function fileFailure(
  { file, replaces }: Change,
  reading: FileReading | undefined,
  error: unknown,
): Promise<FileFailure> {
  const numbers = reading === undefined ? [] : [reading.number];
  if (await hasChanged(file)) return { file, numbers, error: undefined };
  return { file, numbers: [...numbers, ...(reading?.replaces ?? replaces)], error };
}

const copyFolder = ({ options }: Cutter) => join(options.scratch, 'copy');

/** Copies the rows of a file as lines into the scratch files of one batch or several. */
async function* copyLines(
  cutter: Cutter,
  table: TableSchema,
  reading: FileReading,
): AsyncGenerator<ReadResult> {
  const { connect, limits } = cutter.options;
  const { file, number } = reading;
  let { position } = reading;
  let writer: LinesWriter | undefined;
  try {
    const plain = await openPlainLines(file, position.offset, {
      connect,
      fields: table.fields,
      scratch: copyFolder(cutter),
    });
    reading.rejects.push(...plain.rejects);
    for await (const chunk of plain.bytes) {
      for (let at = 0; at < chunk.length; ) {
        if (cutter.open && writer === undefined && isFull(cutter.open, limits)) yield* takeBatch(cutter);
        const batch = await openBatch(cutter, table, file);
        writer ??= new LinesWriter(slicePath(batch, reading), position);
        at += await writer.write(chunk.subarray(at), roomIn(batch, limits, writer));
        if (writer.isAtLineEnd() && isFull(batch, limits, writer)) {
          position = await finishSlice(batch, reading, position, writer);
          writer = undefined;
        }
      }
    }
    const batch = await openBatch(cutter, table, file);
    // A file without rows has a slice too, because it has a manifest entry.
    if (writer !== undefined || batch.slices.at(-1)?.entry.number !== number) {
      writer ??= new LinesWriter(slicePath(batch, reading), position);
      await writer.end(canGrow(file));
      await finishSlice(batch, reading, position, writer);
    }
    if (!canGrow(file) && (await hasChanged(file))) throw new Error('the file is being written');
    const last = batch.slices.pop();
    if (last) batch.slices.push({ ...last, entry: { ...last.entry, done: true } });
  } finally {
    writer?.close();
  }
}

const slicePath = ({ folder }: OpenBatch, { number }: FileReading) => join(folder, scratchName(number));

/** @returns where the next slice begins */
async function finishSlice(
  batch: OpenBatch,
  reading: FileReading,
  from: Position,
  writer: LinesWriter,
): Promise<Position> {
  writer.close();
  const path = slicePath(batch, reading);
  await normalizeKeys(path, writer.sample(), batch.table.fields);
  batch.slices.push(copiedSlice(reading, from, writer, path));
  return writer.position();
}

/** What a batch may still get. */
function roomIn({ slices }: OpenBatch, limits: BatchLimits, writer?: LinesWriter): BatchLimits {
  return {
    rows: slices.reduce((left, slice) => left - slice.rows, limits.rows - (writer?.rows() ?? 0)),
    bytes: slices.reduce((left, slice) => left - slice.lineBytes, limits.bytes - (writer?.bytes() ?? 0)),
  };
}

function isFull(batch: OpenBatch, limits: BatchLimits, writer?: LinesWriter): boolean {
  const { bytes, rows } = roomIn(batch, limits, writer);
  return batch.slices.length >= maxSlices || rows <= 0 || bytes <= 0;
}

/** The items of a generator; the next is already being made while the consumer uses one. */
async function* prefetch<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void, undefined> {
  const start = () => {
    const next = items.next();
    // An error is kept until the item is used.
    next.catch(() => {});
    return next;
  };
  let next = start();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = start();
      yield value;
    }
  } finally {
    await next.catch(() => {});
    await items.return(undefined);
  }
}
