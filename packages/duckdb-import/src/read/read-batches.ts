import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { canGrow, type DataFile, hasChanged } from '../scan/data-files.ts';
import type { Change } from '../scan/find-changes.ts';
import type { ComparedBytes } from '../scan/fingerprint.ts';
import { isOfDevice, isOutOfMemory, isOutOfSpace } from '../store/disk-space.ts';
import { type BatchLimits, LinesWriter, type Position } from './lines-writer.ts';
import { buildNormalizer } from './normalize-lines.ts';
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
  /** undefined for a file that has just been changed; as when memory is short, the next sync reads it again. */
  readonly error: unknown;
}

/** The next batch of rows, or the next file that cannot be read. */
export type ReadResult = { readonly batch: Batch } | { readonly failure: FileFailure };

interface BatchesOptions {
  readonly tables: readonly TableSchema[];
  readonly scratch: string;
  readonly connect: PlainOptions['connect'];
  readonly limits?: BatchLimits | undefined;
  readonly nextNumber: () => number;
  readonly compared: ComparedBytes;
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
): AsyncGenerator<ReadResult, void, undefined> => prefetch(new BatchReader(options).read(changes));

interface OpenBatch extends Batch {
  readonly partition: string;
  slices: Slice[];
}

class BatchReader {
  readonly #options: BatchesOptions;
  readonly #limits: BatchLimits;
  /** For copies of one file. */
  readonly #copies: string;
  /** The batch that takes the next slice. */
  #open: OpenBatch | undefined;
  /** Batches so far. */
  #count = 0;

  constructor(options: BatchesOptions) {
    this.#options = options;
    this.#limits = options.limits ?? defaultLimits;
    this.#copies = join(options.scratch, 'copy');
  }

  async *read(changes: readonly Change[]): AsyncGenerator<ReadResult, void> {
    for (const change of changes) {
      const table = this.#options.tables.find(({ name }) => name === change.file.table);
      if (table === undefined) continue;
      if (!this.#fits(change.file)) yield* this.#take();
      yield* this.#readFile(table, change);
    }
    yield* this.#take();
  }

  /** Only rows of one table and partition can share a statement; each Parquet file has a statement of its own. */
  #fits(file: DataFile): boolean {
    const open = this.#open;
    if (open === undefined) return true;
    const isSameSource = open.table.name === file.table && open.partition === partitionKey(file);
    const hasParquet = [file, ...open.slices.map((slice) => slice.file)].some(isParquet);
    return isSameSource && !hasParquet && !this.#isFull();
  }

  *#take(): Generator<ReadResult> {
    const batch = this.#open;
    this.#open = undefined;
    if (batch) yield { batch };
  }

  async #batchFor(table: TableSchema, file: DataFile): Promise<OpenBatch> {
    if (this.#open) return this.#open;
    const folder = join(this.#options.scratch, `batch-${this.#count++}`);
    await mkdir(folder);
    this.#open = { table, partition: partitionKey(file), folder, slices: [] };
    return this.#open;
  }

  async *#readFile(table: TableSchema, change: Change): AsyncGenerator<ReadResult> {
    const { file } = change;
    let reading: FileReading | undefined;
    try {
      const { compared, nextNumber } = this.#options;
      reading = await startReading(change, nextNumber, compared);
      if (file.format === 'parquet' || reading.isUnchanged)
        (await this.#batchFor(table, file)).slices.push(uncopiedSlice(reading));
      else yield* this.#copyLines(table, reading);
    } catch (error) {
      const isShortOfMemory = isOutOfMemory(error);
      if (isOutOfSpace(error) && !isShortOfMemory) throw error;
      const { entry, replaces } = reading ?? { entry: undefined, replaces: change.replaces };
      const open = this.#open;
      if (open) open.slices = open.slices.filter((slice) => slice.entry.number !== entry?.number);
      const own = entry === undefined ? [] : [entry.number];
      const isChanged = await hasChanged(file);
      // The next sync goes on after the rows that are stored.
      const numbers = isOfDevice(error) || isShortOfMemory ? [] : isChanged ? own : [...own, ...replaces];
      yield { failure: { file, numbers, error: isChanged ? undefined : error } };
    } finally {
      if (file.format === 'csv') await rm(this.#copies, { recursive: true, force: true });
    }
  }

  /** Copies the rows of a file as lines into the scratch files of one batch or several. */
  async *#copyLines(table: TableSchema, reading: FileReading): AsyncGenerator<ReadResult> {
    const { file } = reading;
    let { position } = reading;
    let writer: LinesWriter | undefined;
    try {
      const { connect } = this.#options;
      const { fields } = table;
      const normalize = buildNormalizer(fields);
      const plain = await openPlainLines(file, position.offset, { connect, fields, scratch: this.#copies });
      reading.rejects = plain.rejects;
      for await (const chunk of plain.bytes) {
        for (let at = 0; at < chunk.length; ) {
          if (writer === undefined && this.#isFull()) yield* this.#take();
          const batch = await this.#batchFor(table, file);
          writer ??= new LinesWriter(slicePath(batch, reading), position, normalize);
          at += await writer.write(chunk.subarray(at), this.#room(writer));
          if (!writer.isAtLineEnd() || !this.#isFull(writer)) continue;
          finishSlice(batch, reading, position, writer);
          position = writer.position();
          writer = undefined;
        }
      }
      const batch = await this.#batchFor(table, file);
      // A file without rows has a slice too, because it has a manifest entry.
      if (writer !== undefined || batch.slices.at(-1)?.file !== file) {
        writer ??= new LinesWriter(slicePath(batch, reading), position, normalize);
        await writer.end(canGrow(file));
        finishSlice(batch, reading, position, writer);
      }
      if (!canGrow(file) && (await hasChanged(file))) throw new Error('the file is being written');
      const last = batch.slices.pop();
      if (last) batch.slices.push({ ...last, entry: { ...last.entry, done: true } });
    } finally {
      writer?.close();
    }
  }

  /** The rows and bytes that the open batch may still get. */
  #room(writer?: LinesWriter): BatchLimits {
    const slices = this.#open?.slices ?? [];
    return {
      rows: slices.reduce((left, slice) => left - slice.rows, this.#limits.rows - (writer?.rows() ?? 0)),
      bytes: slices.reduce(
        (left, slice) => left - slice.lineBytes,
        this.#limits.bytes - (writer?.bytes() ?? 0),
      ),
    };
  }

  #isFull(writer?: LinesWriter): boolean {
    const { bytes, rows } = this.#room(writer);
    return (this.#open?.slices.length ?? 0) >= maxSlices || rows <= 0 || bytes <= 0;
  }
}

const isParquet = ({ format }: DataFile) => format === 'parquet';

const partitionKey = ({ partition }: DataFile) => JSON.stringify(partition);

const slicePath = ({ folder }: Batch, { entry }: FileReading) => join(folder, scratchName(entry.number));

function finishSlice(batch: OpenBatch, reading: FileReading, from: Position, writer: LinesWriter): void {
  writer.close();
  batch.slices.push(copiedSlice(reading, from, writer, slicePath(batch, reading)));
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
