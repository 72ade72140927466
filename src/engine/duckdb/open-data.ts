import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openRepeat } from '../../concurrency/repeat.ts';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { quote } from '../dialect/types.ts';
import type { EngineListener } from '../engine.ts';
import { openDemo } from './demo.ts';
import { openImport } from './import/open-import.ts';
import { progressText } from './import/progress.ts';
import { isDisordered } from './store/disorder.ts';
import { type Store, storeName } from './store/open-store.ts';
import { dropOlder } from './store/retention.ts';
import { fileColumn, type StoredTables } from './store/stored-tables.ts';

/** The tables of the catalog, filled. */
export interface LocalData {
  /** What is wrong with a table's files, by the table's name. */
  readonly problems: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

export interface DataOptions {
  /** Connections for the data alone; they are closed with the engine. */
  readonly connect: () => Promise<DuckDBConnection>;
  readonly config: Config;
  readonly store: Store;
  readonly tables: StoredTables;
  /** A table has another form: resolves when no query reads the old one any longer. */
  readonly onRebuilt: () => Promise<void>;
  readonly now: () => Date;
  readonly listener: EngineListener;
}

const dayMs = 86_400_000;
/** Rows that are due are dropped that often. */
const retentionEveryMs = 600_000;
/** So many new rows may have left a table in disorder. */
const manyRows = 200_000;

/** @throws StartError where a data folder is configured that is none */
export function requireDataDir({ dataDir }: Config): void {
  if (dataDir === undefined || statSync(dataDir, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new StartError('The data cannot be read', [
    { message: `DATA_DIR: got ${JSON.stringify(dataDir)}; must be a folder that can be read` },
  ]);
}

/**
 * Fills the tables from the data folder and keeps them up to date with it, or with the demo where none is configured.
 */
export async function openData(options: DataOptions): Promise<LocalData> {
  const { config, connect, listener, now, tables } = options;
  if (config.dataDir !== undefined) return openFiles(options, config.dataDir);
  const demo = await openDemo(await connect(), tables, join(config.queriesDir, 'demo'), {
    now: () => now().getTime(),
    onError: (error) => listener.problem(`The demo pauses: ${String(error)}`),
  });
  return { problems: new Map(), close: () => demo.close() };
}

async function openFiles(options: DataOptions, dataDir: string): Promise<LocalData> {
  const { config, connect, listener, now, store, tables } = options;
  const ending = new AbortController();
  const openedAt = performance.now();
  const connection = await connect();
  const rebuild = async (name: string, plural: ReadonlySet<string>) => {
    const old = await tables.rebuild(name, plural);
    await options.onRebuilt();
    await old.drop();
  };
  const data = await openImport({
    connect,
    store: storeName,
    ...(store.folder !== undefined && { storeFolder: store.folder }),
    dataDir,
    scratch: store.scratch,
    tables: tables.all,
    target(table) {
      const { relation } = tables.get(table.name);
      return {
        table,
        insertSql: (found, source, file) => tables.insertSql(table.name, found, source, file),
        deleteSql: (files) => `DELETE FROM ${relation} WHERE ${quote(fileColumn)} IN (${files.join(', ')})`,
      };
    },
    onPlural: ({ name }, path) => rebuild(name, new Set([...tables.get(name).plural, path])),
    onProblem: listener.problem,
    onProgress: (progress) => listener.progress?.(progressText(progress, performance.now() - openedAt)),
    signal: ending.signal,
  });

  let newRows = 0;
  let retainedAt = Number.NEGATIVE_INFINITY;
  const look = async () => {
    const began = performance.now();
    const taken = await data.catchUp();
    newRows += taken.rows;
    if (taken.rows > 0) listener.news(told(taken.rows, performance.now() - began, store.size()));
  };
  const keepOrder = async () => {
    if (newRows < manyRows) return;
    newRows = 0;
    for (const table of tables.all) {
      if (await isDisordered(connection, table)) await rebuild(table.name, table.plural);
    }
  };
  const retain = async () => {
    if (config.dataRetentionDays === undefined || performance.now() - retainedAt < retentionEveryMs) return;
    retainedAt = performance.now();
    const before = new Date(now().getTime() - config.dataRetentionDays * dayMs);
    const dropped = await dropOlder(connection, tables.all, before);
    if (dropped > 0) listener.news(`dropped ${counted(dropped)} rows of before ${before.toISOString()}`);
  };

  await look();
  await retain();
  const repeat = openRepeat({
    everyMs: config.dataRefreshSeconds * 1000,
    async work() {
      await look();
      await retain();
      await keepOrder();
    },
    onError: (error) => listener.problem(`The data is not up to date: ${String(error)}`),
  });
  return {
    problems: data.problems,
    async close() {
      ending.abort();
      connection.interrupt();
      await repeat.close();
      await data.close();
    },
  };
}

function told(rows: number, elapsedMs: number, size: number | undefined): string {
  const speed = `${counted(Math.round((rows / elapsedMs) * 1000))} rows/s`;
  const held = size === undefined ? '' : `; the store has ${counted(Math.ceil(size / 1e6))} MB`;
  return `took in ${counted(rows)} rows, ${speed}${held}`;
}

const counted = (count: number) => count.toLocaleString('en-US');
