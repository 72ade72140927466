import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openRepeat } from '../../concurrency/repeat.ts';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';
import type { EngineListener } from '../engine.ts';
import { openDemo } from './demo.ts';
import { type Import, openImport } from './import/open-import.ts';
import { progressText } from './import/progress.ts';
import { isDisordered } from './store/disorder.ts';
import type { Store } from './store/open-store.ts';
import { dropOlder } from './store/retention.ts';
import type { StoredTables } from './store/stored-tables.ts';

/** The rows of the catalog's tables: imported from the data folder, or made up by the demo. */
export interface LocalData {
  /** What is wrong with a table's files, by the table's name. */
  readonly problems: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

interface DataOptions {
  /** Opens a connection for the data alone; the engine closes it. */
  readonly connect: () => Promise<DuckDBConnection>;
  readonly config: Config;
  readonly store: Store;
  readonly tables: StoredTables;
  /** Called when a table has been rebuilt; resolves when no query reads the old table any longer. */
  readonly onRebuilt: () => Promise<void>;
  readonly now: () => Date;
  readonly listener: EngineListener;
}

const dayMs = 86_400_000;
const retentionEveryMs = 600_000;
/** After so many new rows a table may be out of order. */
const orderCheckRows = 200_000;

/** @throws StartError where DATA_DIR is not a folder */
export function requireDataDir({ dataDir }: Config): void {
  if (dataDir === undefined || statSync(dataDir, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new StartError('The data cannot be read', [
    { message: `DATA_DIR: got ${JSON.stringify(dataDir)}; must be a folder that can be read` },
  ]);
}

/** Fills the tables and keeps them up to date: from the data folder, or without one from the demo. */
export async function openData(options: DataOptions): Promise<LocalData> {
  const { config, connect, listener, now, tables } = options;
  if (config.dataDir !== undefined) return openDataFolder(options, config.dataDir);
  const demo = await openDemo(await connect(), tables, join(config.queriesDir, 'demo'), {
    now: () => now().getTime(),
    onError: (error) => listener.problem(`The demo is paused: ${String(error)}`),
  });
  return { problems: new Map(), close: () => demo.close() };
}

async function openDataFolder(options: DataOptions, dataDir: string): Promise<LocalData> {
  const { config, connect, listener, store, tables } = options;
  const closing = new AbortController();
  const openedAt = performance.now();
  const connection = await connect();
  const data = await openImport({
    connect,
    ...(store.folder !== undefined && { storeFolder: store.folder }),
    dataDir,
    scratch: store.scratch,
    tables,
    onRepeatedRecord: (table, path) =>
      rebuild(options, table, new Set([...tables.get(table).repeatedPaths, path])),
    events: {
      problem: listener.problem,
      progress: (progress) => listener.progress?.(progressText(progress, performance.now() - openedAt)),
    },
    signal: closing.signal,
  });
  const order: OrderState = { newRows: 0 };
  const retention: RetentionState = { ranAt: Number.NEGATIVE_INFINITY };

  order.newRows += await importChanges(data, options);
  await applyRetention(connection, options, retention);
  const repeat = openRepeat({
    everyMs: config.dataRefreshSeconds * 1000,
    async work() {
      order.newRows += await importChanges(data, options);
      await applyRetention(connection, options, retention);
      await restoreOrder(connection, options, order);
    },
    onError: (error) => listener.problem(`The data is not up to date: ${String(error)}`),
  });
  return {
    problems: data.problems,
    async close() {
      closing.abort();
      connection.interrupt();
      await repeat.close();
      await data.close();
    },
  };
}

async function rebuild(
  { onRebuilt, tables }: DataOptions,
  table: string,
  repeatedPaths: ReadonlySet<string>,
): Promise<void> {
  const old = await tables.rebuild(table, repeatedPaths);
  await onRebuilt();
  await old.drop();
}

/** @returns the number of new rows */
async function importChanges(data: Import, { listener, store }: DataOptions): Promise<number> {
  const startedAt = performance.now();
  const { rows } = await data.sync();
  if (rows > 0) listener.news(importedText(rows, performance.now() - startedAt, store.size()));
  return rows;
}

interface RetentionState {
  /** As `performance.now()`. */
  ranAt: number;
}

async function applyRetention(
  connection: DuckDBConnection,
  { config, listener, now, tables }: DataOptions,
  state: RetentionState,
): Promise<void> {
  if (config.dataRetentionDays === undefined || performance.now() - state.ranAt < retentionEveryMs) return;
  state.ranAt = performance.now();
  const before = new Date(now().getTime() - config.dataRetentionDays * dayMs);
  const dropped = await dropOlder(connection, tables.all, before);
  if (dropped > 0) listener.news(`dropped ${formatCount(dropped)} rows from before ${before.toISOString()}`);
}

interface OrderState {
  /** Rows since the order was last checked. */
  newRows: number;
}

/** Sorts the tables whose rows have come so far out of order that queries read most of them. */
async function restoreOrder(
  connection: DuckDBConnection,
  options: DataOptions,
  state: OrderState,
): Promise<void> {
  if (state.newRows < orderCheckRows) return;
  state.newRows = 0;
  for (const table of options.tables.all) {
    if (await isDisordered(connection, table)) await rebuild(options, table.name, table.repeatedPaths);
  }
}

function importedText(rows: number, elapsedMs: number, storeBytes: number | undefined): string {
  const rowsPerSecond = formatCount(Math.round((rows / elapsedMs) * 1000));
  const size =
    storeBytes === undefined ? '' : `; the store has ${formatCount(Math.ceil(storeBytes / 1e6))} MB`;
  return `imported ${formatCount(rows)} rows at ${rowsPerSecond} rows/s${size}`;
}

const formatCount = (count: number) => count.toLocaleString('en-US');
