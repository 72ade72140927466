import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Batch, type FileFailure, readBatches } from './batches.ts';
import { isOutOfSpace, outOfSpaceMessage, requireSpace } from './disk-space.ts';
import { forgetFiles, type ImportState, incompleteLine } from './import-state.ts';
import { type LoadResult, loadBatch } from './load-batch.ts';
import type { BatchLimits } from './read/lines-writer.ts';
import type { DataFile } from './scan/data-files.ts';
import type { Change } from './scan/find-changes.ts';
import type { Reject } from './store/manifest.ts';

/** The outcome of loading the changed files. */
export interface LoadedChanges {
  readonly rows: number;
  readonly rejected: number;
  readonly bytes: number;
  readonly rejects: ReadonlyMap<DataFile, readonly Reject[]>;
  /** Why the rest has to wait for the next sync: too little disk space or memory. */
  readonly interruption: string | undefined;
}

/** Two of DuckDB's row groups: odd sizes are written twice, to the log and at the checkpoint. */
const defaultBatchLimits: BatchLimits = { rows: 245_760, bytes: 512 << 20 };
/** Of each file; further rejects have a general reason, because finding the reason takes a statement. */
const maxReasons = 1000;

/**
 * Reads the changed files in batches and loads each, while the next is being read.
 *
 * @throws Error if the import is closed, or DuckDB fails for another reason than a file's content
 */
export async function loadChanges(state: ImportState, changes: readonly Change[]): Promise<LoadedChanges> {
  const { options } = state;
  const totals = startTotals(changes);
  const results = readBatches(changes, {
    tables: state.schemas(),
    scratch: options.scratch,
    connect: state.connectForCopies,
    limits: options.batchLimits ?? defaultBatchLimits,
    nextNumber: state.nextNumber,
  });
  try {
    for await (const result of results) {
      options.signal.throwIfAborted();
      if ('failure' in result) await recordFailure(state, result.failure);
      else await loadNext(state, result.batch, totals);
    }
  } catch (error) {
    if (!isOutOfSpace(error) || options.signal.aborted) throw error;
    totals.interruption = outOfSpaceMessage(error);
  } finally {
    await results.return(undefined);
    await emptyFolder(options.scratch);
  }
  return totals;
}

interface Totals extends LoadedChanges {
  rows: number;
  rejected: number;
  bytes: number;
  readonly totalBytes: number;
  readonly rejects: Map<DataFile, readonly Reject[]>;
  /** Numbers of the files of which a slice could not be stored: their other slices are skipped. */
  readonly failed: Set<number>;
  interruption: string | undefined;
}

const startTotals = (changes: readonly Change[]): Totals => ({
  rows: 0,
  rejected: 0,
  bytes: 0,
  totalBytes: changes.reduce((sum, { file, knownEntry }) => sum + file.size - (knownEntry?.offset ?? 0), 0),
  rejects: new Map(),
  failed: new Set(),
  interruption: undefined,
});

async function loadNext(state: ImportState, read: Batch, totals: Totals): Promise<void> {
  const { events, storeFolder } = state.options;
  const slices = read.slices.filter(({ entry }) => !totals.failed.has(entry.number));
  await requireSpace(
    storeFolder,
    slices.reduce((sum, { lineBytes }) => sum + lineBytes, 0),
  );
  const result = await load(state, { ...read, slices });
  totals.rows += result.rows;
  for (const { file, rejects } of result.rejects) {
    totals.rejects.set(file, [...(totals.rejects.get(file) ?? []), ...rejects]);
    totals.rejected += rejects.length;
  }
  const isOfPlaced = result.failures.length > 0 && (await haveFilesChanged(state, read.table.name));
  for (const { error, slice } of result.failures) {
    const numbers = [slice.entry.number, ...slice.replaces];
    totals.failed.add(slice.entry.number);
    await recordFailure(state, { file: slice.file, numbers, error: isOfPlaced ? undefined : error });
  }
  totals.bytes += slices.reduce((sum, { bytes }) => sum + bytes, 0);
  const { rows, bytes, totalBytes } = totals;
  events.progress?.({ file: slices.at(-1)?.file.name, rows, bytes, totalBytes });
  await rm(read.folder, { recursive: true, force: true });
}

/** True if the view of a table may have failed because of the files that it reads where they are: the next sync looks at them. */
const haveFilesChanged = async ({ options }: ImportState, table: string): Promise<boolean> =>
  (await options.tables.files.read([table])?.isUnchanged()) === false;

async function load(state: ImportState, batch: Batch): Promise<LoadResult> {
  const { files } = state.options.tables;
  const { name } = batch.table;
  // The rows are beside those of files that are read where they are.
  if (files.of(name).files.length === 0) return loadInto(state, batch, () => []);
  const { hasImported } = files.of(name);
  const next = { ...files.of(name), hasImported: true };
  // A repeated record may have changed the layout.
  const views = () => {
    const laidOut = state.options.tables.get(name);
    return laidOut.isInFiles && !hasImported ? [files.viewSql(laidOut, next)] : [];
  };
  return files.change(
    [name],
    () => loadInto(state, batch, views),
    () => next,
  );
}

/** @param views what the transaction runs, too */
async function loadInto(
  state: ImportState,
  batch: Batch,
  views: () => readonly string[],
): Promise<LoadResult> {
  const { connection, incomplete, manifest, options } = state;
  const result = await loadBatch(batch, {
    connection,
    manifest,
    tables: options.tables,
    onRepeatedRecord: options.onRepeatedRecord,
    // An incomplete last line that has been continued is no longer a reject.
    alsoRun: (slices) => [
      ...views(),
      ...slices
        .filter(({ entry }) => incomplete.has(entry.number))
        .map(({ entry }) => manifest.removeRejects(entry.number, incompleteLine)),
    ],
    maxReasons,
    signal: options.signal,
  });
  for (const number of result.replaced) manifest.entries.delete(number);
  for (const entry of result.entries) {
    manifest.entries.set(entry.number, entry);
    incomplete.delete(entry.number);
  }
  return result;
}

async function recordFailure(state: ImportState, { error, file, numbers }: FileFailure): Promise<void> {
  await forgetFiles(state, numbers);
  if (error !== undefined) state.unreadable.add(file, error);
}

async function emptyFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
