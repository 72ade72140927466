import type { DuckDBConnection } from '@duckdb/node-api';
import { openRepeat } from '../../../concurrency/repeat.ts';
import { dropOlder, type Import, type StoredTables } from '@querygate/duckdb-import';
import { adoptTables, type TableChange } from '../data/local-data.ts';
import { makeDemoFiles } from './demo-files.ts';
import { openStreams, type Streams } from './streams.ts';
import { dayMs, openWriter, type Writer } from './writer.ts';

interface DemoOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly days?: number;
  /** How often the rows of the elapsed time are appended while no query runs. */
  readonly everyMs?: number;
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

/** Rows that no query reads cost nothing: an append takes a tenth of a second, however few rows it makes. */
const idleAppendMs = 60_000;

/** How old the latest rows may be when a query runs. */
const freshMs = 1_000;

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
  const { now = Date.now, days = 7, everyMs = idleAppendMs } = options;
  const { onError = () => {}, onProgress = () => {} } = options;
  await connection.run(`SET TimeZone = 'UTC'`);
  const writer = await openWriter(connection, tables);
  const streams = await openStreams(connection, tables, folder);
  const historyMs = days * dayMs;
  const end = now();
  const whole = { from: startOfDay(end - historyMs), to: startOfDay(end) };
  const files = await writer.withSmallThresholds(async () => {
    const parts = { connection, tables, streams, writer, onProgress, ...whole };
    const ofWholeDays = options.files && (await openFiles(options.files, parts));
    const from = ofWholeDays ? whole.to : end - historyMs;
    await writer.fillAll(streams.all(), { from, to: end, hasFiles: ofWholeDays !== undefined }, onProgress);
    return ofWholeDays;
  });
  return new Demo({ connection, tables, streams, writer, historyMs, now, everyMs, onError }, end, files);
}

interface DemoParts extends Required<Pick<DemoOptions, 'now' | 'everyMs' | 'onError'>> {
  readonly connection: DuckDBConnection;
  readonly tables: StoredTables;
  readonly streams: Streams;
  readonly writer: Writer;
  readonly historyMs: number;
}

/** Tables that grow with the time. */
export class Demo {
  readonly #parts: DemoParts;
  readonly #repeat: ReturnType<typeof openRepeat>;
  /** The tables have the rows before this time. */
  #end: number;
  #files: Import | undefined;
  /** The connection runs one append at a time. */
  #appending: Promise<void> | undefined;
  /** True while tables are replaced. */
  #isPaused = false;
  #isClosed = false;

  constructor(parts: DemoParts, end: number, files: Import | undefined) {
    const { everyMs, onError } = parts;
    this.#parts = parts;
    this.#end = end;
    this.#files = files;
    this.#repeat = openRepeat({ everyMs, work: () => this.#appendOnce(), onError });
  }

  /** The files of the rows of whole days; undefined if they are not kept in files, or tables have been replaced. */
  get files(): Import | undefined {
    return this.#files;
  }

  /** Appends the rows until now if a query needs them. It never rejects. */
  async catchUp(): Promise<void> {
    const { now, onError } = this.#parts;
    if (this.#isClosed || now() - this.#end < freshMs) return;
    await this.#appendOnce().catch(onError);
  }

  /** The names of the tables for which the demo makes no rows. */
  emptyTables(): readonly string[] {
    const { streams, tables } = this.#parts;
    return tables.all.map(({ name }) => name).filter((name) => streams.get(name) === undefined);
  }

  /** Replaces tables, and fills the new ones. Nothing is appended in the meantime. */
  async replaceTables(change: TableChange): Promise<void> {
    const { historyMs, streams, tables, writer } = this.#parts;
    this.#isPaused = true;
    try {
      await this.#appending?.catch(() => {});
      // The store gets all rows of new tables: no file of them is found again.
      await this.#files?.close();
      this.#files = undefined;
      const staged = change.staged.map(({ name }) => name);
      for (const name of [...change.removed, ...staged]) {
        tables.files.forget(name);
        streams.close(name);
      }
      await adoptTables(tables, change);
      for (const name of staged) await streams.open(name);
      const added = staged.flatMap((name) => streams.get(name) ?? []);
      const span = { from: this.#end - historyMs, to: this.#end, hasFiles: false };
      await writer.fillAll(added, span, () => {});
      for (const { table } of added) tables.changedTimes.record(table, undefined);
    } finally {
      this.#isPaused = false;
    }
  }

  /** Resolves when no append is running and none will start. The caller closes the connection. */
  async close(): Promise<void> {
    const { streams } = this.#parts;
    this.#isClosed = true;
    await this.#repeat.close();
    await this.#appending?.catch(() => {});
    for (const { table } of streams.all()) streams.close(table);
    await this.#files?.close();
  }

  async #appendOnce(): Promise<void> {
    if (this.#isPaused) return;
    this.#appending ??= this.#append().finally(() => {
      this.#appending = undefined;
    });
    await this.#appending;
  }

  async #append(): Promise<void> {
    const { connection, historyMs, now, streams, tables, writer } = this.#parts;
    const to = now();
    if (to <= this.#end) return;
    await writer.append(streams.all(), this.#end, to);
    this.#end = to;
    if (!writer.isCheckpointDue) return;
    await dropOlder(connection, tables, new Date(to - historyMs));
    await writer.checkpoint();
  }
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
