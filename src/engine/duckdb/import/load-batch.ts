import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { TableSchema } from '../../../catalog/tables/table-schema.ts';
import { parseRepeatedRecord } from '../store/shred.ts';
import type { StoredTables } from '../store/stored-tables.ts';
import type { Batch, Slice } from './batches.ts';
import { isOutOfSpace } from './disk-space.ts';
import { linesRelation, parquetRelation, scratchName } from './read/source-relation.ts';
import { reasonOf } from './reject/describe-problem.ts';
import { rejectLines } from './reject/reject-lines.ts';
import { rejectParquetRows } from './reject/reject-parquet-rows.ts';
import type { DataFile } from './scan/data-files.ts';
import type { Manifest, ManifestEntry, Reject } from './scan/manifest.ts';

export interface LoadOptions {
  readonly connection: DuckDBConnection;
  readonly ledger: Manifest;
  readonly tables: StoredTables;
  readonly onRepeatedRecord: (table: string, path: string) => Promise<void>;
  /** What the ledger says of a file before the portion. */
  readonly entryOf: (number: number) => ManifestEntry | undefined;
  /** Statements that each portion runs besides: what is no longer so of its files. */
  readonly also: (parts: readonly Slice[]) => readonly string[];
  /** How many reasons of bad rows are asked for, of each file. */
  readonly maxReasons: number;
  readonly signal: AbortSignal;
}

/** What a portion has brought. */
export interface LoadResult {
  readonly rows: number;
  readonly entries: readonly ManifestEntry[];
  /** Entries that are no more. */
  readonly replaced: readonly number[];
  readonly rejects: readonly { readonly file: DataFile; readonly rejects: readonly Reject[] }[];
  /** Files whose rows can be read, but not stored. */
  readonly failures: readonly { readonly part: Slice; readonly error: unknown }[];
}

/** A part as it is stored: without its bad rows, once they are known. */
interface FilteredSlice {
  readonly part: Slice;
  readonly path: string | undefined;
  readonly rows: number;
  readonly rejects: readonly Reject[];
  /** Rows of a Parquet file that are left out. */
  readonly excludedRows: readonly number[];
}

/**
 * Takes a portion into the store in one transaction, with what the ledger says of it; rows that cannot be read become
 * rejects.
 *
 * @throws Error where the store lacks space or memory, or the import is ended; nothing of the portion is in the store then
 */
export async function loadBatch(portion: Batch, options: LoadOptions): Promise<LoadResult> {
  const isOver = (error: unknown) => isOutOfSpace(error) || options.signal.aborted;
  try {
    return await storeWithRetries(portion.table, portion.slices.map(unfiltered), options);
  } catch (error) {
    if (isOver(error)) throw error;
  }
  const [first, ...others] = portion.slices;
  if (first === undefined) return mergeResults([]);
  try {
    const sifted: FilteredSlice[] = [];
    for (const part of portion.slices) sifted.push(await rejectRows(portion.table, part, options));
    return await storeWithRetries(portion.table, sifted, options);
  } catch (error) {
    if (isOver(error)) throw error;
    if (others.length === 0) return { ...mergeResults([]), failures: [{ part: first, error }] };
  }
  const taken: LoadResult[] = [];
  for (const part of portion.slices) taken.push(await loadBatch({ ...portion, slices: [part] }, options));
  return mergeResults(taken);
}

const mergeResults = (taken: readonly LoadResult[]): LoadResult => ({
  rows: taken.reduce((sum, { rows }) => sum + rows, 0),
  entries: taken.flatMap(({ entries }) => entries),
  replaced: taken.flatMap(({ replaced }) => replaced),
  rejects: taken.flatMap(({ rejects }) => rejects),
  failures: taken.flatMap(({ failures }) => failures),
});

const unfiltered = (part: Slice): FilteredSlice => ({
  part,
  path: part.path,
  rows: part.rows,
  rejects: part.rejects,
  excludedRows: [],
});

/** Stores when it can be: after the layout has been changed for a record's second element, after others' transactions. */
async function storeWithRetries(
  table: TableSchema,
  parts: readonly FilteredSlice[],
  options: LoadOptions,
): Promise<LoadResult> {
  for (let conflicts = 0; ; ) {
    options.signal.throwIfAborted();
    try {
      return await store(table, parts, options);
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      const repeatedPath = parseRepeatedRecord(error);
      if (repeatedPath !== undefined) await options.onRepeatedRecord(table.name, repeatedPath);
      else if (/^TransactionContext Error: .*[Cc]onflict/.test(message) && conflicts < maxConflicts) {
        conflicts += 1;
        await delay(50);
      } else throw error;
    }
  }
}

const maxConflicts = 100;

async function store(
  table: TableSchema,
  parts: readonly FilteredSlice[],
  options: LoadOptions,
): Promise<LoadResult> {
  const { connection, ledger, signal } = options;
  const interrupt = () => connection.interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    await connection.run('BEGIN');
    const replaced = parts.flatMap(({ part }) => part.replaces);
    if (replaced.length > 0) await connection.run(options.tables.deleteSql(table.name, replaced));
    for (const sql of ledger.remove(replaced)) await connection.run(sql);
    const rows = await insertRows(table, parts, options);
    const entries = parts.map((part) => {
      const before = options.entryOf(part.part.entry.number);
      return {
        ...part.part.entry,
        rows: (before?.rows ?? 0) + (parts.length === 1 ? rows : part.rows),
        rejected: (before?.rejected ?? 0) + part.rejects.length,
      };
    });
    for (const sql of options.also(parts.map(({ part }) => part))) await connection.run(sql);
    for (const sql of ledger.put(entries)) await connection.run(sql);
    for (const { part, rejects } of parts) {
      for (const sql of ledger.addRejects(part.entry.number, rejects)) await connection.run(sql);
    }
    await connection.run('COMMIT');
    const rejects = parts.map(({ part, rejects }) => ({ file: part.file, rejects }));
    return {
      ...mergeResults([]),
      rows,
      entries,
      replaced,
      rejects: rejects.filter(({ rejects }) => rejects.length > 0),
    };
  } catch (error) {
    // A COMMIT that failed has ended the transaction by itself.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}

async function insertRows(
  table: TableSchema,
  parts: readonly FilteredSlice[],
  { connection, tables }: LoadOptions,
): Promise<number> {
  const read = parts.flatMap((sifted) =>
    sifted.path === undefined ? [] : [{ ...sifted, path: sifted.path, number: sifted.part.entry.number }],
  );
  const [first] = read;
  if (first === undefined) return 0;
  const { file } = first.part;
  const {
    source,
    columns: found,
    fileNumber: number,
  } = file.format === 'parquet'
    ? await parquetRelation(connection, file, first.number, first.excludedRows)
    : await linesRelation(connection, table, file.partition, read);
  return (await connection.run(tables.insertSql(table.name, found, source, number))).rowsChanged;
}

async function rejectRows(table: TableSchema, part: Slice, options: LoadOptions): Promise<FilteredSlice> {
  const { connection, entryOf, maxReasons, signal } = options;
  if (part.path === undefined) return unfiltered(part);
  const { file } = part;
  const reasons = Math.max(0, maxReasons - (entryOf(part.entry.number)?.rejected ?? 0));
  if (file.format === 'parquet') {
    const rejects = await rejectParquetRows({ connection, table, file, maxReasons: reasons });
    return { part, path: part.path, rows: 0, rejects, excludedRows: rejects.map(({ line }) => line) };
  }
  const path = join(await mkdtemp(`${part.path}-kept-`), scratchName(part.entry.number));
  const bad = await rejectLines({
    connection,
    table,
    partition: file.partition,
    path: part.path,
    acceptedPath: path,
    maxReasons: reasons,
    signal,
  });
  const rejects = bad.map(({ index, error }) => ({
    line: part.firstLine + index,
    isRow: file.format !== 'ndjson',
    reason: error === undefined ? 'is not as the table declares it' : reasonOf(error, file),
  }));
  const rows = part.rows - bad.length;
  return {
    part,
    path: rows === 0 ? undefined : path,
    rows,
    rejects: [...part.rejects, ...rejects],
    excludedRows: [],
  };
}
