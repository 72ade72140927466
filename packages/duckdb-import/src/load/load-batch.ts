import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseRepeatedRecord } from '@querygate/bigquery-sql/duckdb';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import type { ImportState } from '../import-state.ts';
import { describeReason, generalReason } from '../read/describe-problem.ts';
import type { Slice } from '../read/slices.ts';
import { linesRelation, parquetRelation, scratchName } from '../read/source-relation.ts';
import type { DataFile } from '../scan/data-files.ts';
import { isOutOfMemory, isOutOfSpace } from '../store/disk-space.ts';
import type { SourceRelation } from '../store/import-tables.ts';
import type { ManifestEntry, Reject } from '../store/manifest.ts';
import { countRows } from './read-footer.ts';
import { rejectLines } from './reject-lines.ts';
import { rejectParquetRows } from './reject-parquet-rows.ts';

/** The outcome of loading, as far as it has come. */
export interface Loaded {
  rows: number;
  rejected: number;
  bytes: number;
  readonly rejects: Map<DataFile, readonly Reject[]>;
  /** Why the rest has to wait for the next sync: too little disk space, for example. */
  interruption: string | undefined;
}

/** A slice that can be read but not stored. */
interface LoadFailure {
  readonly slice: Slice;
  readonly error: unknown;
}

/** How many rejects of each file get a reason of their own, because finding it takes a statement. */
const maxReasons = 1000;

/**
 * Stores slices of one table and partition, and their manifest entries, in one transaction; rows that cannot be read become
 * rejects.
 *
 * First all rows are stored as they are. If values make that fail, the bad rows are searched for and left out; if it fails again,
 * each slice is loaded alone.
 *
 * @param loaded gets what is stored
 * @returns those that cannot be stored, also because memory is short
 * @throws Error if disk space is short, or the import is closed; nothing of the slices is stored then
 */
export async function loadBatch(
  state: ImportState,
  table: TableSchema,
  slices: readonly Slice[],
  loaded: Loaded,
): Promise<readonly LoadFailure[]> {
  const [first, ...others] = slices;
  if (first === undefined) return [];
  const attempt = async (filter: (slice: Slice) => Slice | Promise<Slice>): Promise<{ error?: unknown }> => {
    try {
      const filtered: Slice[] = [];
      for (const slice of slices) filtered.push(await filter(slice));
      await storeWithRetries(state, table, filtered, loaded);
      return {};
    } catch (error) {
      if ((isOutOfSpace(error) && !isOutOfMemory(error)) || state.options.signal.aborted) throw error;
      return { error };
    }
  };
  const asTheyAre = await attempt((slice) => slice);
  if (!('error' in asTheyAre)) return [];
  const second = isOutOfMemory(asTheyAre.error)
    ? asTheyAre
    : await attempt((slice) => rejectRows(state, table, slice));
  if (!('error' in second)) return [];
  if (others.length === 0) return [{ slice: first, error: second.error }];
  const failures: LoadFailure[] = [];
  for (const slice of slices) failures.push(...(await loadBatch(state, table, [slice], loaded)));
  return failures;
}

const maxConflicts = 100;

/** Stores again after a repeated record has changed the table's layout, and after a conflict with another transaction. */
async function storeWithRetries(
  state: ImportState,
  table: TableSchema,
  slices: readonly Slice[],
  loaded: Loaded,
): Promise<void> {
  const { onRepeatedRecord, signal } = state.options;
  for (let conflicts = 0; ; ) {
    signal.throwIfAborted();
    try {
      return await store(state, table, slices, loaded);
    } catch (error) {
      const repeatedPath = parseRepeatedRecord(error);
      if (repeatedPath !== undefined) await onRepeatedRecord(table.name, repeatedPath);
      else if (isConflict(error) && conflicts < maxConflicts) {
        conflicts += 1;
        await delay(50);
      } else throw error;
    }
  }
}

const isConflict = (error: unknown) =>
  error instanceof Error && /^TransactionContext Error: .*[Cc]onflict/.test(error.message);

async function store(
  state: ImportState,
  table: TableSchema,
  slices: readonly Slice[],
  loaded: Loaded,
): Promise<void> {
  const { connection, manifest, options } = state;
  const { signal, tables } = options;
  const removed = new Set(slices.flatMap(({ replaces }) => replaces));
  let entries: readonly ManifestEntry[] = [];
  let stored = 0;
  const interrupt = () => connection.interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    const { added, expectedRows } = await sourceOf(state, table, slices);
    const record = (rows: number) => {
      if (rows !== expectedRows)
        throw new Error(`has ${expectedRows} rows, of which DuckDB has read ${rows}`);
      stored = rows;
      entries = slices.map((slice) => countedEntry(state, slice, slices.length === 1 ? rows : slice.rows));
      return [
        ...manifest.remove(removed),
        // An incomplete last line that has been continued is no longer a reject.
        ...slices.flatMap(({ entry }) => manifest.removeIncomplete(entry.number)),
        ...manifest.put(entries),
        ...slices.flatMap(({ entry, rejects }) => manifest.addRejects(entry.number, rejects)),
      ];
    };
    await tables.replaceRows(connection, { table: table.name, removed, added, record });
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
  manifest.forget(removed);
  manifest.remember(entries);
  loaded.rows += stored;
  for (const { file, rejects } of slices) {
    if (rejects.length === 0) continue;
    loaded.rejects.set(file, [...(loaded.rejects.get(file) ?? []), ...rejects]);
    loaded.rejected += rejects.length;
  }
}

/** The manifest entry of a slice, with the rows and rejects of the file so far. */
function countedEntry({ manifest }: ImportState, { entry, rejects }: Slice, rows: number): ManifestEntry {
  const before = manifest.entries.get(entry.number);
  return {
    ...entry,
    rows: (before?.rows ?? 0) + rows,
    rejected: (before?.rejected ?? 0) + rejects.length,
  };
}

/** The rows of slices, and how many they are by what the files themselves say. */
async function sourceOf(
  { connection }: ImportState,
  table: TableSchema,
  slices: readonly Slice[],
): Promise<{ readonly added?: SourceRelation; readonly expectedRows: number }> {
  const sources = slices.flatMap(({ entry: { number }, excludedRows, file, path }) =>
    path === undefined ? [] : [{ excludedRows, file, number, path }],
  );
  const [first] = sources;
  const expectedRows = slices.reduce((sum, { rows }) => sum + rows, 0);
  if (first === undefined) return { expectedRows };
  const { excludedRows = [], file, number } = first;
  if (file.format !== 'parquet')
    return { added: await linesRelation(connection, table, file.partition, sources), expectedRows };
  const added = await parquetRelation(connection, file, number, excludedRows);
  return { added, expectedRows: (await countRows(connection, file.path)) - excludedRows.length };
}

/** Searches a slice for the rows that cannot be stored. @returns the slice without them */
async function rejectRows(state: ImportState, table: TableSchema, slice: Slice): Promise<Slice> {
  const { connection, manifest, options } = state;
  const { entry, file, firstLine, path } = slice;
  if (path === undefined) return slice;
  const left = Math.max(0, maxReasons - (manifest.entries.get(entry.number)?.rejected ?? 0));
  if (file.format === 'parquet') {
    const rejects = await rejectParquetRows(connection, table, file, left);
    return { ...slice, rejects, excludedRows: rejects.map(({ line }) => line) };
  }
  const acceptedPath = join(await mkdtemp(`${path}-accepted-`), scratchName(entry.number));
  const rejected = await rejectLines({
    ...{ connection, table, path, acceptedPath },
    ...{ partition: file.partition, maxReasons: left, signal: options.signal },
  });
  const rejects = rejected.map(({ index, error }) => ({
    line: firstLine + index,
    isRow: file.format !== 'ndjson',
    reason: error === undefined ? generalReason : describeReason(error, file),
  }));
  const rows = slice.rows - rejected.length;
  return {
    ...slice,
    path: rows === 0 ? undefined : acceptedPath,
    rows,
    rejects: [...slice.rejects, ...rejects].toSorted((a, b) => a.line - b.line),
  };
}
