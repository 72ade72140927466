import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportState } from '../import-state.ts';
import type { Slice } from '../read/slices.ts';
import type { DataFile } from '../scan/data-files.ts';
import { bytesToRead, type Change } from '../scan/find-changes.ts';
import type { Batch, FileFailure, ReadResult } from '../read/read-batches.ts';
import { describeFileProblem, notImportedYet } from '../read/describe-problem.ts';
import { forgetFiles } from '../record/record-files.ts';
import {
  isOutOfMemory,
  isOutOfSpace,
  outOfMemoryReason,
  outOfSpaceMessage,
  requireSpace,
} from '../store/disk-space.ts';
import { type Loaded, loadBatch } from './load-batch.ts';

/**
 * Loads each batch, while the next one is being read.
 *
 * @param changes of which the batches are
 * @throws Error if the import is closed, or DuckDB fails for another reason than a file's content
 */
export async function loadBatches(
  state: ImportState,
  batches: AsyncGenerator<ReadResult, void, undefined>,
  changes: readonly Change[],
): Promise<Loaded> {
  const { scratch, signal } = state.options;
  const loaded: Loaded = { rows: 0, rejected: 0, bytes: 0, rejects: new Map(), interruption: undefined };
  // Files of which a slice could not be stored: their other slices are skipped.
  const failed = new Set<number>();
  const totalBytes = bytesToRead(changes);
  try {
    for await (const result of batches) {
      signal.throwIfAborted();
      if ('failure' in result) await recordFailure(state, result.failure);
      else await loadNext(state, result.batch, { loaded, failed, changes, totalBytes });
    }
  } catch (error) {
    if (!isOutOfSpace(error) || signal.aborted) throw error;
    loaded.interruption = outOfSpaceMessage(error);
  } finally {
    await batches.return(undefined);
    for (const name of await readdir(scratch))
      await rm(join(scratch, name), { recursive: true, force: true });
  }
  return loaded;
}

interface Loading {
  readonly loaded: Loaded;
  readonly failed: Set<number>;
  readonly changes: readonly Change[];
  readonly totalBytes: number;
}

async function loadNext(state: ImportState, read: Batch, loading: Loading): Promise<void> {
  const { loaded, failed, changes, totalBytes } = loading;
  const { events, storeFolder, tables } = state.options;
  const slices = read.slices.filter(({ entry }) => !failed.has(entry.number));
  const half = halfReplaced(read.table.name, slices, changes);
  if (half !== undefined) state.problems.set(read.table.name, notImportedYet(half));
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  await requireSpace(storeFolder, sum(slices.map(({ lineBytes }) => lineBytes)));
  const failures = await loadBatch(state, read.table, slices, loaded);
  // A failure may be one of the files that the table's view reads where they are: the next sync looks at them.
  const isOfPlaced =
    failures.length > 0 && (await tables.files.read([read.table.name])?.isUnchanged()) === false;
  for (const { error, slice } of failures) {
    failed.add(slice.entry.number);
    const numbers = [slice.entry.number, ...slice.replaces];
    const ofSlice = isOfPlaced && !isOutOfMemory(error) ? undefined : error;
    await recordFailure(state, { file: slice.file, numbers, error: ofSlice });
  }
  loaded.bytes += sum(slices.map(({ bytes }) => bytes));
  const { rows, bytes } = loaded;
  events.progress?.({ file: slices.at(-1)?.file.name, rows, bytes, totalBytes });
  await rm(read.folder, { recursive: true, force: true });
}

/** A file whose table lacks rows after a batch: those that a file replaces go with its first batch, and before other files come. */
function halfReplaced(
  table: string,
  slices: readonly Slice[],
  changes: readonly Change[],
): DataFile | undefined {
  const open = slices.find(({ entry, replaces }) => replaces.length > 0 && !entry.done)?.file;
  const ofTable = changes.filter(({ file }) => file.table === table);
  if (open !== undefined || !ofTable.some(({ replacesMissing }) => replacesMissing)) return open;
  const done = new Set(slices.filter(({ entry }) => entry.done).map(({ file }) => file));
  return ofTable.find(({ file }) => !done.has(file))?.file;
}

async function recordFailure(state: ImportState, { error, file, numbers }: FileFailure): Promise<void> {
  // The file waits with the rows that it has, and the others go on.
  if (isOutOfMemory(error)) {
    state.short.set(file.name, outOfMemoryReason(error));
    return;
  }
  const problem = error === undefined ? undefined : describeFileProblem(file, error);
  if (problem !== undefined) state.unreadable.add(file, problem, error);
  // Before the rows are gone.
  if (problem !== undefined || numbers.some((number) => state.manifest.entries.has(number)))
    state.problems.set(file.table, problem ?? notImportedYet(file));
  await forgetFiles(state, numbers);
}
