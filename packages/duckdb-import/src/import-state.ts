import type { DuckDBConnection } from '@duckdb/node-api';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { type Changed, timesOfFiles, timesOfPlaced } from './store/changed-times.ts';
import type { StoredTables } from './store/stored-tables.ts';
import type { ImportProgress } from './progress.ts';
import type { BatchLimits } from './read/lines-writer.ts';
import { loadManifest, loadNumbersRejectedFor, type Manifest } from './store/manifest.ts';
import type { TableInStore } from './store/table-in-store.ts';
import { buildUnreadableFiles, type UnreadableFiles } from './unreadable-files.ts';
import type { FilesOfTable } from './store/files/files-in-place.ts';
import { buildShapes, type PlacedFile } from './store/files/placed-file.ts';

/** The reports of the import of local data to the operator. */
interface ImportEvents {
  /** A problem that the operator should fix: a file that cannot be read, rejected rows, a full disk. */
  problem(message: string): void;
  progress?(progress: ImportProgress): void;
}

/** The data that an import reads, the store for its rows, and the receiver of its reports. */
export interface ImportOptions {
  /** Opens a connection for the import alone, with its session settings. */
  readonly connect: () => Promise<DuckDBConnection>;
  /** The folder in which the store grows, to check its disk's free space; undefined for a store in memory. */
  readonly storeFolder?: string;
  readonly dataDir: string;
  /** An existing empty folder for copies. */
  readonly scratch: string;
  readonly tables: Pick<
    StoredTables,
    'all' | 'get' | 'insertSql' | 'deleteSql' | 'files' | 'openFiles' | 'change'
  >;
  /** Called when queries can read the files of a table that are read where they are; resolves when they do. */
  readonly onOpened?: (old: TableInStore, opened: TableInStore) => Promise<void>;
  /** Rebuilds a table so that a record may have several elements; the batch is then loaded again. */
  readonly onRepeatedRecord: (table: string, path: string) => Promise<void>;
  readonly events: ImportEvents;
  readonly signal: AbortSignal;
  /** True if the tables have rows that this import does not bring. */
  readonly hasOtherRows?: boolean;
  /** The most that one transaction stores. */
  readonly batchLimits?: BatchLimits;
}

/** The state of an import between two syncs. */
export interface ImportState {
  readonly options: ImportOptions;
  readonly connection: DuckDBConnection;
  /** The connection for copies, opened when it is first needed. */
  readonly connectForCopies: () => Promise<DuckDBConnection>;
  readonly manifest: Manifest;
  /** The tables by name, as they are now. */
  schemas(): ReadonlyMap<string, TableSchema>;
  /** Numbers of the files whose incomplete last line has been rejected. */
  readonly incomplete: Set<number>;
  readonly unreadable: UnreadableFiles;
  /** Why files of a table cannot be read, by the table's name. */
  readonly problems: Map<string, string>;
  /** Why Parquet files are imported, and not read where they are, by name. */
  readonly doubts: Map<string, string>;
  readonly shapeOf: ReturnType<typeof buildShapes>;
  /** False until the first sync has ended: nothing reads the rows. */
  isServing: boolean;
  /** Tables that were reset; the caller goes on with their old rows until a sync has imported everything. */
  readonly reset: Set<string>;
  /** Messages of the last sync: the same message is not reported again. */
  reported: ReadonlySet<string>;
  /** Numbers of the files that the last sync did not find. */
  missing: ReadonlySet<number>;
  /** The rejects of files that an earlier process has imported and reported, until the first sync has counted them. */
  earlierRejects: ReadonlyMap<number, number>;
  readonly nextNumber: () => number;
  /** Closes the connections; may be called twice. */
  readonly close: () => void;
}

/** Stored with the rejected line, and searched for when the store is opened again. */
export const incompleteLine = 'not JSON: the last line is not finished';

export async function openState(options: ImportOptions): Promise<ImportState> {
  const connections: DuckDBConnection[] = [];
  const connect = async () => {
    const connection = await options.connect();
    connections.push(connection);
    return connection;
  };
  const connection = await connect();
  let copies: Promise<DuckDBConnection> | undefined;
  const manifest = await loadManifest(connection);
  let lastNumber = Math.max(0, ...manifest.entries.keys());
  return {
    options,
    connection,
    connectForCopies: () => (copies ??= connect()),
    manifest,
    schemas: () => new Map(options.tables.all.map((table) => [table.name, table])),
    incomplete: new Set(await loadNumbersRejectedFor(connection, incompleteLine)),
    unreadable: buildUnreadableFiles(),
    problems: new Map(),
    doubts: new Map(),
    shapeOf: buildShapes(connection),
    isServing: false,
    reset: new Set(),
    reported: new Set(),
    missing: new Set(),
    earlierRejects: new Map([...manifest.entries.values()].map(({ number, rejected }) => [number, rejected])),
    nextNumber() {
      lastNumber += 1;
      return lastNumber;
    },
    close() {
      for (const open of connections.splice(0)) open.closeSync();
    },
  };
}

export async function runTransaction(
  connection: DuckDBConnection,
  statements: readonly string[],
): Promise<void> {
  if (statements.length === 0) return;
  await connection.run('BEGIN');
  try {
    for (const sql of statements) await connection.run(sql);
    await connection.run('COMMIT');
  } catch (error) {
    // A COMMIT that failed has already ended the transaction.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Removes files from the manifest, with their rows. */
export async function forgetFiles(state: ImportState, numbers: readonly number[]): Promise<void> {
  const { connection, incomplete, manifest, options } = state;
  const schemas = state.schemas();
  const entries = numbers.flatMap((number) => manifest.entries.get(number) ?? []);
  const { files } = options.tables;
  for (const [table, ofTable] of Map.groupBy(entries, (entry) => entry.table)) {
    const forgotten = new Set(ofTable.map(({ number }) => number));
    const before = files.of(table);
    const next = { ...before, files: before.files.filter(({ number }) => !forgotten.has(number)) };
    // Rows of a table that is no longer declared are dropped with the table.
    const deletes = schemas.has(table) ? [options.tables.deleteSql(table, [...forgotten])] : [];
    const statements = [...deletes, ...manifest.remove([...forgotten])];
    const changed = schemas.has(table) ? await timesOfChange(state, table, forgotten, []) : undefined;
    if (next.files.length === before.files.length)
      await options.tables.change(() => runTransaction(connection, statements), new Map([[table, changed]]));
    else await changeFiles(state, table, next, { statements, changed });
    for (const number of forgotten) {
      manifest.entries.delete(number);
      manifest.footers.delete(number);
      incomplete.delete(number);
    }
  }
}

/** Of which times the rows of a table change with its files. */
export async function timesOfChange(
  { connection, options: { tables } }: ImportState,
  name: string,
  removed: ReadonlySet<number>,
  added: readonly PlacedFile[],
): Promise<Changed> {
  const table = tables.get(name);
  const placed = tables.files.of(name).files.filter(({ number }) => removed.has(number));
  const imported = removed.size === 0 ? [] : await timesOfFiles(connection, table, [...removed]);
  const inPlace = timesOfPlaced([...placed, ...added], table.time);
  return imported && inPlace && [...imported, ...inPlace];
}

/** Changes the files of a table that are read where they are, and what else belongs to it, in one transaction. */
export async function changeFiles(
  { connection, options }: ImportState,
  table: string,
  next: FilesOfTable,
  { statements, changed }: { readonly statements: readonly string[]; readonly changed: Changed },
): Promise<void> {
  const { all, files } = options.tables;
  const laidOut = all.find(({ name, isInFiles }) => name === table && isInFiles);
  const views = laidOut ? [files.viewSql(laidOut, next)] : [];
  const run = () => runTransaction(connection, [...statements, ...views]);
  await options.tables.change(() => files.change([table], run, () => next), new Map([[table, changed]]));
}

/** Forgets the files of a table whose rows have been dropped, after the store has. */
export function forgetFilesOf(state: ImportState, table: string): void {
  const { manifest, incomplete, unreadable } = state;
  unreadable.forgetTable(table);
  manifest.completeTables.delete(table);
  state.reset.add(table);
  state.options.tables.files.forget(table);
  for (const [number, entry] of manifest.entries) {
    if (entry.table !== table) continue;
    manifest.entries.delete(number);
    manifest.footers.delete(number);
    incomplete.delete(number);
  }
}
