import type { DuckDBConnection } from '@duckdb/node-api';
import { openRepeat } from '../../../concurrency/repeat.ts';
import { dropOlder, type Import, type StoredTables, type TableInStore } from '@querygate/duckdb-import';
import { makeDemoFiles } from './demo-files.ts';
import { openStreams } from './streams.ts';
import { dayMs, openWriter } from './writer.ts';

interface DemoOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly days?: number;
  /** How often the rows of the elapsed time are appended while no query runs. */
  readonly everyMs?: number;
  /** How old the latest rows may be when a query runs. */
  readonly freshMs?: number;
  /** Where the rows of whole days are kept as Parquet for the next start, which are then read there. */
  readonly files?: DemoFolder | undefined;
  /** Receives how much of the history has been made, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
  /** Called when an append fails; the next one covers its time too. */
  readonly onError?: (error: unknown) => void;
}

interface DemoFolder {
  readonly folder: string;
  /** Opens the files of a folder, whose tables have other rows, too. The demo closes it. */
  open(dataDir: string): Promise<Import>;
}

export interface Demo {
  /** The files of the rows of whole days; undefined if they are not kept in files, or tables have been replaced. */
  files(): Import | undefined;
  /** Appends the rows until now if a query needs them. It never rejects. */
  catchUp(): Promise<void>;
  /** The names of the tables for which the demo makes no rows. */
  emptyTables(): readonly string[];
  /** Replaces tables, and fills the new ones. Nothing is appended in the meantime. */
  replaceTables(change: {
    readonly staged: readonly TableInStore[];
    readonly removed: readonly string[];
  }): Promise<void>;
  /** Resolves when no append is running and none will start. The caller closes the connection. */
  close(): Promise<void>;
}

/** Rows that no query reads cost nothing: an append takes a tenth of a second, however few rows it makes. */
const idleAppendMs = 60_000;
const defaultFreshMs = 1_000;

/**
 * Generated data that looks like live traffic. A file `<table>.sql` of the folder is a SELECT of the rows from `$from`
 * (included) to `$to` (excluded); it must give the same rows however the time is divided. `_shared.sql`, if it exists,
 * runs first. The tables begin about `days` ago, and grow while the demo is open. Rows that the store has already are kept, if
 * they were made by the same files.
 *
 * @param connection used by nothing else until the demo is closed
 */
export async function openDemo(
  connection: DuckDBConnection,
  tables: StoredTables,
  folder: string,
  options: DemoOptions = {},
): Promise<Demo> {
  const { now = Date.now, days = 7, everyMs = idleAppendMs, freshMs = defaultFreshMs } = options;
  const { onError = () => {}, onProgress = () => {} } = options;
  await connection.run(`SET TimeZone = 'UTC'`);
  const writer = await openWriter(connection, tables);
  const streams = await openStreams(connection, tables, folder);
  const historyMs = days * dayMs;
  /** The tables have the rows before this time. */
  let end = now();
  const whole = { from: startOfDay(end - historyMs), to: startOfDay(end) };
  let files: Import | undefined;
  await writer.withSmallThresholds(async () => {
    const parts = { connection, tables, streams, writer, onProgress, ...whole };
    files = options.files && (await openFiles(options.files, parts));
    await writer.fillAll(
      streams.all(),
      { from: files ? whole.to : end - historyMs, to: end, hasFiles: files !== undefined },
      onProgress,
    );
  });

  const append = async () => {
    const to = now();
    if (to <= end) return;
    await writer.append(streams.all(), end, to);
    end = to;
    if (!writer.isCheckpointDue) return;
    await dropOlder(connection, tables, new Date(end - historyMs));
    await writer.checkpoint();
  };
  let appending: Promise<void> | undefined;
  /** True while tables are replaced. */
  let isPaused = false;
  /** The connection runs one append at a time. */
  const appendOnce = () => {
    if (isPaused) return Promise.resolve();
    appending ??= append().finally(() => {
      appending = undefined;
    });
    return appending;
  };
  let isClosed = false;
  const replaceTables: Demo['replaceTables'] = async ({ staged, removed }) => {
    isPaused = true;
    try {
      await appending?.catch(() => {});
      // The store gets all rows of new tables: no file of them is found again.
      await files?.close();
      files = undefined;
      for (const name of [...removed, ...staged.map((table) => table.name)]) tables.files.forget(name);
      for (const name of removed) {
        streams.close(name);
        if (tables.all.some((table) => table.name === name)) await tables.remove(name);
      }
      for (const table of staged) {
        streams.close(table.name);
        if (!tables.all.includes(table)) await tables.adopt(table);
        await streams.open(table.name);
      }
      const added = staged.flatMap(({ name }) => streams.get(name) ?? []);
      await writer.fillAll(added, { from: end - historyMs, to: end, hasFiles: false }, () => {});
      for (const { table } of added) tables.changedTimes.record(table, undefined);
    } finally {
      isPaused = false;
    }
  };
  const repeat = openRepeat({ everyMs, work: appendOnce, onError });
  return {
    files: () => files,
    async catchUp() {
      if (isClosed || now() - end < freshMs) return;
      await appendOnce().catch(onError);
    },
    emptyTables: () => tables.all.map(({ name }) => name).filter((name) => streams.get(name) === undefined),
    replaceTables,
    async close() {
      isClosed = true;
      await repeat.close();
      await appending?.catch(() => {});
      for (const { table } of streams.all()) streams.close(table);
      await files?.close();
    },
  };
}

const startOfDay = (ms: number): number => ms - (ms % dayMs);

/** @returns undefined if the folder cannot be written: the store gets all rows */
async function openFiles(
  { folder, open }: DemoFolder,
  parts: Omit<Parameters<typeof makeDemoFiles>[0], 'folder'>,
): Promise<Import | undefined> {
  const made = await makeDemoFiles({ ...parts, folder }).catch(() => undefined);
  if (made === undefined) return undefined;
  const files = await open(made);
  await files.sync();
  return files;
}
