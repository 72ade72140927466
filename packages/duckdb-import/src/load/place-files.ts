import { join } from 'node:path';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import type { ImportState } from '../import-state.ts';
import { describeFileProblem, notImportedYet } from '../read/describe-problem.ts';
import { readParquetColumns, requireExact } from '../read/parquet-columns.ts';
import { type DataFile, hasChanged } from '../scan/data-files.ts';
import type { Change } from '../scan/find-changes.ts';
import { isOutOfMemory, isOutOfSpace, outOfMemoryReason, outOfSpaceMessage } from '../store/disk-space.ts';
import { footerDigest } from '../store/file-digests.ts';
import type { Footer, PlacedFile } from '../store/files/placed-file.ts';
import type { ManifestEntry } from '../store/manifest.ts';
import { isRemote, isUnreachable } from '../store/remote-path.ts';
import {
  countRows,
  examineFields,
  examineValues,
  fieldsAt,
  readColumns,
  readPartition,
} from './read-footer.ts';

/** The files of an earlier process, from the manifest. Those whose columns this DuckDB does not know are examined again. */
export async function restoreFiles(state: ImportState): Promise<void> {
  const { connection, manifest, options } = state;
  const known = [...manifest.entries.values()].filter(({ footer }) => footer !== undefined);
  for (const [table, ofTable] of Map.groupBy(known, (entry) => entry.table)) {
    const placed: PlacedFile[] = [];
    for (const entry of ofTable) {
      // An earlier release has examined less.
      const isKnown = entry.footer?.emptyPaths !== undefined;
      const file = isKnown ? await placedFile(state, entry).catch(() => undefined) : undefined;
      if (file === undefined) manifest.forget([entry.number]);
      else placed.push(file);
    }
    if (!options.tables.all.some(({ name }) => name === table)) continue;
    const removed: ReadonlySet<number> = new Set();
    const hasImported = hasImportedRows(state, table, removed);
    await options.tables.replaceRows(connection, { table, removed, placed, hasImported, record: () => [] });
  }
}

async function placedFile({ options, shapeOf }: ImportState, entry: ManifestEntry): Promise<PlacedFile> {
  const { ctime, digest, footer = noFooter, identity, mtime, name, number, size } = entry;
  const { dataDir } = options;
  const path = isRemote(dataDir) ? `${dataDir.replace(/\/*$/, '')}/${name}` : join(dataDir, name);
  return { ...footer, ...(await shapeOf(footer)), number, name, path, identity, size, mtime, ctime, digest };
}

const noFooter: Footer = { columns: [], partition: [], bounds: {}, repeatedPaths: [] };

/** True if rows of a table are in the store. */
const hasImportedRows = (
  { manifest, options }: ImportState,
  table: string,
  removed: ReadonlySet<number>,
): boolean =>
  options.hasOtherRows === true ||
  manifest.entries
    .values()
    .some(({ footer, number, ...of }) => of.table === table && footer === undefined && !removed.has(number));

/** A changed file that was examined. */
interface Examined {
  readonly change: Change;
  /** Of a file of which every value is one of the declared type. */
  readonly entry?: ManifestEntry;
  readonly error?: unknown;
  /** Why it could not be examined now: too many files are open, for example. */
  readonly interruption?: string;
}

/** The outcome of `placeFiles`. */
interface Placed {
  /** The changes that are left to import. */
  readonly left: readonly Change[];
  /** Why others have to wait for the next sync. */
  readonly interruption: string | undefined;
}

/**
 * Examines the Parquet files among the changed ones, and lets queries read those where they are of which every value is
 * one of the declared type.
 */
export async function placeFiles(state: ImportState, changes: readonly Change[]): Promise<Placed> {
  const left: Change[] = [];
  let interruption: string | undefined;
  for (const [table, ofTable] of Map.groupBy(changes, ({ file }) => file.table)) {
    const schema = state.options.tables.all.find(({ name }) => name === table);
    if (schema === undefined) continue;
    const placed = await placeFilesOf(state, schema, ofTable);
    for (const change of placed.left) left.push(change);
    interruption ??= placed.interruption;
  }
  return { left, interruption };
}

async function placeFilesOf(
  state: ImportState,
  schema: TableSchema,
  changes: readonly Change[],
): Promise<Placed> {
  const { manifest, options, problems, short, unreadable } = state;
  const examined: Examined[] = [];
  for (const change of changes) {
    options.signal.throwIfAborted();
    examined.push(await examine(state, schema, change));
  }
  const isPlaced = (number: number) => manifest.entries.get(number)?.footer !== undefined;
  const entries = examined.flatMap(({ entry }) => entry ?? []);
  const removed = new Set<number>();
  for (const { change, entry, error } of examined) {
    const { file, knownEntry, replaces } = change;
    const former = knownEntry === undefined ? replaces : [...replaces, knownEntry.number];
    const isImported = entry === undefined && error === undefined;
    const lost = isImported ? former.filter(isPlaced) : former;
    for (const number of lost) removed.add(number);
    // Before the rows are gone.
    if (error !== undefined) {
      const problem = describeFileProblem(file, error);
      unreadable.add(file, problem, error);
      problems.set(file.table, problem);
    } else if (isImported && lost.length > 0) problems.set(file.table, notImportedYet(file));
  }
  const interruption = examined.find((one) => one.interruption !== undefined)?.interruption;
  const waiting = examined.find(({ entry, error }) => entry === undefined && error === undefined);
  if (waiting && entries.length > 0 && changes.some(({ replacesMissing }) => replacesMissing))
    problems.set(schema.name, notImportedYet(waiting.change.file));
  if (entries.length > 0 || removed.size > 0) await replaceFiles(state, schema.name, entries, removed);
  const left = examined
    .filter(
      ({ change: { file }, entry, error, interruption }) =>
        !isRemote(file.path) && !entry && (error ?? interruption) === undefined && !short.has(file.name),
    )
    .map(({ change: { knownEntry, replaces, ...change } }) => ({
      ...change,
      knownEntry: knownEntry && removed.has(knownEntry.number) ? undefined : knownEntry,
      replaces: replaces.filter((number) => !removed.has(number)),
    }));
  return { left, interruption };
}

async function examine(state: ImportState, schema: TableSchema, change: Change): Promise<Examined> {
  const { connection, doubts } = state;
  const { file } = change;
  if (file.format !== 'parquet' || file.compression !== undefined) return { change };
  const inDoubt = (doubt: string): Examined => {
    // It would have to be imported.
    if (isRemote(file.path)) return { change, error: new Error(doubt) };
    doubts.set(file.name, doubt);
    return { change };
  };
  try {
    const columns = await readColumns(connection, file.path);
    const given = await readPartition(connection, file, schema);
    if ('doubt' in given) return inDoubt(given.doubt);
    const { sources } = await state.shapeOf({ columns, ...given });
    const own = schema.fields.filter(({ name }) => file.partition[name.toLowerCase()] === undefined);
    const inFile = await readParquetColumns(connection, file.path);
    requireExact(own, inFile);
    const found = examineFields(inFile, own, sources);
    if ('doubt' in found) return inDoubt(found.doubt);
    const { emptyPaths, jsonPaths, repeatedPaths, unsurePaths } = found;
    // Elsewhere, JSON is looked at where it is read.
    const unsure = fieldsAt(own, [...unsurePaths, ...(isRemote(file.path) ? [] : jsonPaths)]);
    const odd = await examineValues(connection, file.path, unsure, sources);
    if (odd !== undefined) return inDoubt(odd.doubt);
    if (given.partition.length > 0 && sources.has('file_index'))
      return inDoubt('file_index is a column of it');
    const rows = await countRows(connection, file.path);
    const digest = isRemote(file.path) ? '' : await footerDigest(file.path, file.size);
    // It is examined by the next sync.
    if (await hasChanged(file)) return { change };
    const bounds = { ...found.bounds, ...given.bounds };
    const footer = { columns, partition: given.partition, bounds, repeatedPaths, emptyPaths };
    return { change, entry: entryOf(file, state.nextNumber(), rows, { footer, digest }) };
  } catch (error) {
    if (isOutOfMemory(error)) {
      state.short.set(file.name, outOfMemoryReason(error));
      return { change };
    }
    if (isOutOfSpace(error)) return { change, interruption: outOfSpaceMessage(error) };
    return isUnreachable(error) || (await hasChanged(file)) ? { change } : { change, error };
  }
}

/** In one transaction, files take the place of others, or of imported rows. */
async function replaceFiles(
  state: ImportState,
  table: string,
  entries: readonly ManifestEntry[],
  removed: ReadonlySet<number>,
): Promise<void> {
  const { connection, manifest, options } = state;
  const { tables } = options;
  const repeated = new Set(entries.flatMap(({ footer }) => footer?.repeatedPaths ?? []));
  for (const path of repeated.difference(tables.get(table).repeatedPaths))
    await options.onRepeatedRecord(table, path);
  if (entries.length > 0 && state.isServing) await openFilesOf(state, table);
  const placed = await Promise.all(entries.map((entry) => placedFile(state, entry)));
  await tables.replaceRows(connection, {
    ...{ table, removed, placed },
    hasImported: hasImportedRows(state, table, removed),
    record: () => [...manifest.remove(removed), ...manifest.put(entries)],
  });
  manifest.forget(removed);
  manifest.remember(entries);
}

/** Lets queries read the files that are read where they are, once it is known which are readable. */
export async function openFiles(state: ImportState): Promise<void> {
  const { all, files } = state.options.tables;
  for (const { name } of all) if (files.of(name).files.length > 0) await openFilesOf(state, name);
  state.isServing = true;
}

async function openFilesOf({ options }: ImportState, table: string): Promise<void> {
  const old = await options.tables.openFiles(table);
  if (old !== undefined) await options.onOpened?.(old, options.tables.get(table));
}

const entryOf = (
  { table, name, identity, size, mtime, ctime }: DataFile,
  number: number,
  rows: number,
  examined: Pick<ManifestEntry, 'footer' | 'digest'>,
): ManifestEntry => ({
  ...{ number, table, name, identity, size, mtime, ctime, rows, ...examined },
  ...{ head: '', headBytes: 0, tail: '', checksum: '', offset: 0, lines: 0, rejected: 0, done: true },
});
