import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { parseRepeatedRecord } from '@querygate/bigquery-sql/duckdb';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { addedTimes, type Changed, timesOfFiles } from './store/changed-times.ts';
import type { StoredTables } from './store/stored-tables.ts';
import type { Batch } from './batches.ts';
import { isOutOfSpace } from './disk-space.ts';
import { parquetRelation } from './read/read-parquet.ts';
import { linesRelation, scratchName } from './read/source-relation.ts';
import { describeReason, generalReason } from './reject/describe-problem.ts';
import { rejectLines } from './reject/reject-lines.ts';
import { rejectParquetRows } from './reject/reject-parquet-rows.ts';
import type { DataFile } from './scan/data-files.ts';
import type { Manifest, ManifestEntry, Reject } from './store/manifest.ts';
import type { Slice } from './slices.ts';

interface LoadOptions {
  readonly connection: DuckDBConnection;
  readonly manifest: Manifest;
  readonly tables: Pick<StoredTables, 'get' | 'insertSql' | 'deleteSql' | 'change'>;
  readonly onRepeatedRecord: (table: string, path: string) => Promise<void>;
  /** Further statements for the transaction that stores these slices. */
  readonly alsoRun: (slices: readonly Slice[]) => readonly string[];
  /** How many rejects of each file get a reason of their own. */
  readonly maxReasons: number;
  readonly signal: AbortSignal;
}

/** The changes of a batch to the store. */
export interface LoadResult {
  readonly rows: number;
  readonly entries: readonly ManifestEntry[];
  /** Numbers of the entries that were removed. */
  readonly replaced: readonly number[];
  readonly rejects: readonly { readonly file: DataFile; readonly rejects: readonly Reject[] }[];
  /** Slices that can be read but not stored. */
  readonly failures: readonly { readonly slice: Slice; readonly error: unknown }[];
}

/** A slice as it is stored: without its rejected rows, once they are known. */
interface FilteredSlice {
  readonly slice: Slice;
  readonly path: string | undefined;
  readonly rows: number;
  readonly rejects: readonly Reject[];
  /** Numbers of rows that are left out of a Parquet file, from 1. */
  readonly excludedRows: readonly number[];
}

/**
 * Stores a batch and its manifest entries in one transaction; rows that cannot be read become rejects.
 *
 * First all rows are stored as they are. If that fails, the bad rows are searched for and left out; if it fails again,
 * each slice is loaded alone.
 *
 * @throws Error if disk space or memory is short, or the import is closed; nothing of the batch is stored then
 */
export async function loadBatch(batch: Batch, options: LoadOptions): Promise<LoadResult> {
  const isFinal = (error: unknown) => isOutOfSpace(error) || options.signal.aborted;
  try {
    return await storeWithRetries(batch.table, batch.slices.map(unfiltered), options);
  } catch (error) {
    if (isFinal(error)) throw error;
  }
  const [first, ...others] = batch.slices;
  if (first === undefined) return mergeResults([]);
  try {
    const filtered: FilteredSlice[] = [];
    for (const slice of batch.slices) filtered.push(await rejectRows(batch.table, slice, options));
    return await storeWithRetries(batch.table, filtered, options);
  } catch (error) {
    if (isFinal(error)) throw error;
    if (others.length === 0) return { ...mergeResults([]), failures: [{ slice: first, error }] };
  }
  const results: LoadResult[] = [];
  for (const slice of batch.slices) results.push(await loadBatch({ ...batch, slices: [slice] }, options));
  return mergeResults(results);
}

const mergeResults = (results: readonly LoadResult[]): LoadResult => ({
  rows: results.reduce((sum, { rows }) => sum + rows, 0),
  entries: results.flatMap(({ entries }) => entries),
  replaced: results.flatMap(({ replaced }) => replaced),
  rejects: results.flatMap(({ rejects }) => rejects),
  failures: results.flatMap(({ failures }) => failures),
});

const unfiltered = (slice: Slice): FilteredSlice => ({
  slice,
  path: slice.path,
  rows: slice.rows,
  rejects: slice.rejects,
  excludedRows: [],
});

const maxConflicts = 100;

/** Stores again after a repeated record has changed the table's layout, and after a conflict with another transaction. */
async function storeWithRetries(
  table: TableSchema,
  slices: readonly FilteredSlice[],
  options: LoadOptions,
): Promise<LoadResult> {
  for (let conflicts = 0; ; ) {
    options.signal.throwIfAborted();
    try {
      return await store(table, slices, options);
    } catch (error) {
      const repeatedPath = parseRepeatedRecord(error);
      if (repeatedPath !== undefined) await options.onRepeatedRecord(table.name, repeatedPath);
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
  table: TableSchema,
  slices: readonly FilteredSlice[],
  options: LoadOptions,
): Promise<LoadResult> {
  const { alsoRun, connection, manifest, signal, tables } = options;
  const interrupt = () => connection.interrupt();
  const timesOf = async (files: readonly number[]): Promise<Changed> =>
    files.length === 0 ? [] : timesOfFiles(connection, tables.get(table.name), files);
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    await connection.run('BEGIN');
    const replaced = slices.flatMap(({ slice }) => slice.replaces);
    const removed = await timesOf(replaced);
    if (replaced.length > 0) await connection.run(tables.deleteSql(table.name, replaced));
    for (const sql of manifest.remove(replaced)) await connection.run(sql);
    const rows = await insertRows(table, slices, options);
    const added = await addedTimes(connection, tables.get(table.name), rows);
    const changed: Changed = removed && added && [...removed, ...added];
    const entries = slices.map((filtered) =>
      countedEntry(filtered, manifest, slices.length === 1 ? rows : filtered.rows),
    );
    for (const sql of alsoRun(slices.map(({ slice }) => slice))) await connection.run(sql);
    for (const sql of manifest.put(entries)) await connection.run(sql);
    for (const { slice, rejects } of slices) {
      for (const sql of manifest.addRejects(slice.entry.number, rejects)) await connection.run(sql);
    }
    await tables.change(() => connection.run('COMMIT'), new Map([[table.name, changed]]));
    const rejects = slices.flatMap(({ slice, rejects }) =>
      rejects.length === 0 ? [] : [{ file: slice.file, rejects }],
    );
    return { ...mergeResults([]), rows, entries, replaced, rejects };
  } catch (error) {
    // A COMMIT that failed has already ended the transaction.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}

/** The manifest entry of a slice, with the rows and rejects of the file so far. */
function countedEntry({ rejects, slice }: FilteredSlice, { entries }: Manifest, rows: number): ManifestEntry {
  const before = entries.get(slice.entry.number);
  return {
    ...slice.entry,
    rows: (before?.rows ?? 0) + rows,
    rejected: (before?.rejected ?? 0) + rejects.length,
  };
}

/** @returns the number of rows */
async function insertRows(
  table: TableSchema,
  slices: readonly FilteredSlice[],
  { connection, tables }: LoadOptions,
): Promise<number> {
  const sources = slices.flatMap(({ excludedRows, path, slice }) =>
    path === undefined ? [] : [{ excludedRows, file: slice.file, number: slice.entry.number, path }],
  );
  const [first] = sources;
  if (first === undefined) return 0;
  const { source, columns, fileNumber } =
    first.file.format === 'parquet'
      ? await parquetRelation(connection, first.file, first.number, first.excludedRows)
      : await linesRelation(connection, table, first.file.partition, sources);
  return (await connection.run(tables.insertSql(table.name, columns, source, fileNumber))).rowsChanged;
}

/** Searches a slice for the rows that cannot be stored. */
async function rejectRows(table: TableSchema, slice: Slice, options: LoadOptions): Promise<FilteredSlice> {
  const { connection, manifest, signal } = options;
  const { entry, file, firstLine, path } = slice;
  if (path === undefined) return unfiltered(slice);
  const maxReasons = Math.max(0, options.maxReasons - (manifest.entries.get(entry.number)?.rejected ?? 0));
  if (file.format === 'parquet') {
    const rejects = await rejectParquetRows({ connection, table, file, maxReasons });
    return { slice, path, rows: 0, rejects, excludedRows: rejects.map(({ line }) => line) };
  }
  const acceptedPath = join(await mkdtemp(`${path}-accepted-`), scratchName(entry.number));
  const { partition } = file;
  const rejected = await rejectLines({
    connection,
    table,
    partition,
    path,
    acceptedPath,
    maxReasons,
    signal,
  });
  const rejects = rejected.map(({ index, error }) => ({
    line: firstLine + index,
    isRow: file.format !== 'ndjson',
    reason: error === undefined ? generalReason : describeReason(error, file),
  }));
  const rows = slice.rows - rejected.length;
  return {
    slice,
    path: rows === 0 ? undefined : acceptedPath,
    rows,
    rejects: [...slice.rejects, ...rejects].toSorted((a, b) => a.line - b.line),
    excludedRows: [],
  };
}
