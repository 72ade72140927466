import { accessSync, constants, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openRepeat } from '../../concurrency/repeat.ts';
import { GatewayError, StartError } from '../../errors.ts';
import { pathProblem } from '../../files/path-problem.ts';
import type { DuckdbOptions } from './duckdb-options.ts';
import { openDemo } from './demo/open-demo.ts';
import {
  buildExclusive,
  dropOlder,
  hasOlder,
  type Import,
  importStore,
  isDisordered,
  isRemote,
  listedNames,
  openImport,
  parseLake,
  progressText,
  rebuildTable,
} from '@querygate/duckdb-import';
import { openBucket, requireReachable } from './data/bucket.ts';
import { openLakeData } from './data/lake-data.ts';
import {
  adoptTables,
  type DataOptions,
  dataUnreadable,
  type LocalData,
  type TableChange,
} from './data/local-data.ts';
import { reportUnusable } from './wire/unusable-database.ts';

type Synced = Awaited<ReturnType<Import['sync']>>;

const dayMs = 86_400_000;
const retentionEveryMs = 600_000;
/** The number of new rows after which the order of a table is checked. */
const orderCheckRows = 200_000;

/** @throws StartError if it is not a folder, or nothing in it can be read: without rows every query would seem to work */
export function requireDataDir({ dataDir }: DuckdbOptions): void {
  if (dataDir === undefined || isRemote(dataDir) || parseLake(dataDir)) return;
  try {
    readdirSync(dataDir);
    // Names may be listed without the right to open the files.
    accessSync(dataDir, constants.X_OK);
  } catch (error) {
    const problem = pathProblem(dataDir, error, 'folder');
    throw new StartError('The data cannot be read', [
      { message: `dataDir: got ${JSON.stringify(dataDir)}, which cannot be read ${problem}` },
    ]);
  }
}

/** Fills the tables and keeps them up to date: from the data folder if one is configured, otherwise from the demo. */
export async function openData(options: DataOptions): Promise<LocalData> {
  const { settings, connect, listener, now, tables } = options;
  const lake = settings.dataDir === undefined ? undefined : parseLake(settings.dataDir);
  if (lake) return openLakeData(options, lake, await hidesOld(options));
  if (settings.dataDir !== undefined) return openDataFolder(options, settings.dataDir);
  const closing = new AbortController();
  const demo = await openDemo(await connect(), tables, settings.demoDir, {
    now: () => now().getTime(),
    files:
      settings.demoCacheDir === undefined
        ? undefined
        : {
            folder: settings.demoCacheDir,
            open: (dataDir) => openFiles(options, dataDir, closing.signal, true),
          },
    onError: (error) => listener.problem(`The demo is paused: ${String(error)}`),
    onProgress: (share) => listener.progress?.(`making demo data: ${Math.floor(share * 100)} %`),
  });
  const warnOfEmpty = () => {
    const empty = demo.emptyTables();
    if (empty.length > 0)
      listener.problem(
        `Without a data folder, only tables of the demo have rows. Tables without rows: ${listedNames(empty)}`,
      );
  };
  warnOfEmpty();
  return {
    problems: demo.files?.problems ?? new Map(),
    files: tables.files,
    source: 'demo',
    folders: settings.demoCacheDir === undefined ? [] : [resolve(settings.demoCacheDir)],
    paths: [],
    async refresh() {
      await demo.files?.sync();
    },
    blame: async (read, error) => (await demo.files?.blame(read, error)) === true,
    catchUp: () => demo.catchUp(),
    async replaceTables(change) {
      await demo.replaceTables(change);
      warnOfEmpty();
    },
    async dropTables(old) {
      for (const table of old) await tables.drop(table);
    },
    async close() {
      closing.abort();
      await demo.close();
    },
  };
}

function openFiles(
  options: DataOptions,
  dataDir: string,
  signal: AbortSignal,
  hasOtherRows = false,
): Promise<Import> {
  const { connect, listener, store, tables } = options;
  const openedAt = performance.now();
  return openImport({
    ...importStore(connect, store, tables, options.onRebuilt),
    ...{ dataDir, signal, hasOtherRows },
    events: {
      problem: listener.problem,
      progress: (progress) => listener.progress?.(progressText(progress, performance.now() - openedAt)),
    },
  });
}

async function openDataFolder(options: DataOptions, dataDir: string): Promise<LocalData> {
  const { settings, connect, listener, tables } = options;
  const closing = new AbortController();
  const connection = await connect();
  const renewal = isRemote(dataDir) ? await openBucket(options, dataDir) : undefined;
  const data = await openFiles(options, dataDir, closing.signal);
  // The tables' own connection runs one transaction at a time.
  const exclusive = buildExclusive();
  const order: OrderState = { newRows: 0 };
  const retention: RetentionState = {};
  const sync = async (): Promise<Synced> => {
    const report = await importChanges(data, options);
    order.newRows += report.rows;
    await applyRetention(connection, options, retention, report.rows);
    return report;
  };

  const { unreadable } = await sync();
  // Without a scan, tables would seem to be empty.
  if (unreadable !== undefined)
    throw new StartError('The data cannot be read', [{ message: `dataDir: ${unreadable}` }]);
  const repeat = openRepeat({
    everyMs: settings.refreshSeconds * 1000,
    work: () =>
      exclusive(async () => {
        await sync();
        await restoreOrder(connection, options, order);
      }),
    onError: (error) => {
      listener.problem(`The data is not up to date: ${String(error)}`);
      void reportUnusable(error, options, (found) => listener.unusable?.(found));
    },
  });
  const renewing = renewal && openRepeat(renewal);
  /** By the names of files with a column that cannot be read, the version that was reported. */
  const reported = new Map<string, string>();
  let refreshing: Promise<void> | undefined;
  const folder = isRemote(dataDir) ? dataDir.replace(/\/*$/, '/') : resolve(dataDir);
  return {
    problems: data.problems,
    files: tables.files,
    ...{ source: folder, folders: [folder], paths: [] },
    refresh() {
      refreshing ??= exclusive(async () => {
        await sync();
      }).finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
    async blame(files, error) {
      if (isRemote(dataDir) && requireReachable(error, listener.problem)) return true;
      const blamed = await data.blame(files, error);
      if (typeof blamed === 'boolean') return blamed;
      const { file, reason } = blamed;
      const version = `${file.identity} ${file.mtime} ${file.ctime}`;
      if (reported.get(file.name) !== version) listener.problem(reason);
      reported.set(file.name, version);
      throw new GatewayError('DATA_UNREADABLE', dataUnreadable, { cause: reason });
    },
    replaceTables: (change) => exclusive(() => replaceTables(data, sync, options, change)),
    dropTables: (old) =>
      exclusive(async () => {
        for (const table of old) await tables.drop(table);
      }),
    async close() {
      closing.abort();
      connection.interrupt();
      await Promise.all([repeat.close(), renewing?.close()]);
      await exclusive(async () => {});
      await data.close();
    },
  };
}

/** Leaves out rows of a lake by age. */
async function hidesOld(options: DataOptions): Promise<() => Promise<void>> {
  const connection = await options.connect();
  const retention: RetentionState = {};
  return () => applyRetention(connection, options, retention);
}

async function replaceTables(
  data: Import,
  sync: () => Promise<Synced>,
  { tables }: DataOptions,
  { staged, removed }: TableChange,
): Promise<void> {
  // After a failure, those that were adopted are not adopted again.
  const added = staged.filter((table) => !tables.all.includes(table));
  const ended = removed.filter((name) => tables.all.some((table) => table.name === name));
  await data.reset([...added.map(({ name }) => name), ...ended], () =>
    adoptTables(tables, { staged: added, removed: ended }),
  );
  const { isComplete, waitingTables } = await sync();
  // Without the folder, none is complete.
  const lacksRows = staged.some(({ name }) => waitingTables?.has(name) ?? true);
  if (!isComplete && lacksRows)
    throw new Error('the rows of the changed tables could not be imported completely');
}

async function importChanges(data: Import, { listener, store }: DataOptions): Promise<Synced> {
  const startedAt = performance.now();
  const report = await data.sync();
  const { rows } = report;
  listener.imported?.(report);
  if (rows > 0) listener.news(importedText(rows, performance.now() - startedAt, store.size()));
  return report;
}

/** The last time that rows were dropped. */
interface RetentionState {
  last?: {
    /** As `performance.now()`. */
    readonly ranAt: number;
    readonly before: Date;
  };
}

async function applyRetention(
  connection: DuckDBConnection,
  { settings, listener, now, tables }: DataOptions,
  state: RetentionState,
  importedRows = 0,
): Promise<void> {
  const { last } = state;
  if (settings.retentionDays === undefined) return;
  if (last !== undefined && performance.now() - last.ranAt < retentionEveryMs) {
    // Imported rows may be older than those that were dropped.
    if (importedRows === 0 || !(await hasOlder(connection, tables, last.before))) return;
  }
  const before = new Date(now().getTime() - settings.retentionDays * dayMs);
  state.last = { ranAt: performance.now(), before };
  const dropped = await dropOlder(connection, tables, before);
  if (dropped > 0) listener.news(`dropped ${formatCount(dropped)} rows from before ${before.toISOString()}`);
}

interface OrderState {
  /** Rows since the order was last checked. */
  newRows: number;
}

/** Sorts the tables whose rows are so far out of order that queries read most of them. */
async function restoreOrder(
  connection: DuckDBConnection,
  { onRebuilt, tables }: DataOptions,
  state: OrderState,
): Promise<void> {
  if (state.newRows < orderCheckRows) return;
  state.newRows = 0;
  for (const table of tables.all) {
    if (await isDisordered(connection, table))
      await rebuildTable(tables, table.name, table.repeatedPaths, onRebuilt);
  }
}

function importedText(rows: number, elapsedMs: number, storeBytes: number | undefined): string {
  const rowsPerSecond = formatCount(Math.round((rows / elapsedMs) * 1000));
  const size =
    storeBytes === undefined ? '' : `; the store has ${formatCount(Math.ceil(storeBytes / 1e6))} MB`;
  return `imported ${formatCount(rows)} rows at ${rowsPerSecond} rows/s${size}`;
}

const formatCount = (count: number) => count.toLocaleString('en-US');
