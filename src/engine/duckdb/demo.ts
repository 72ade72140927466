import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  DuckDBTimestampTZValue,
  TIMESTAMPTZ,
} from '@duckdb/node-api';
import { openRepeat } from '../../concurrency/repeat.ts';
import { quoteText } from '../dialect/tree/quote-text.ts';
import { storeName } from './store/open-store.ts';
import { dropOlder } from './store/retention.ts';
import type { StoredTables, TableInStore } from './store/stored-tables.ts';
import { describeSource } from './store/stored-value.ts';

interface DemoOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly days?: number;
  /** How often the rows of the elapsed time are appended while no query runs. */
  readonly everyMs?: number;
  /** How old the latest rows may be when a query runs. */
  readonly freshMs?: number;
  /** Receives how much of the history has been made, from 0 to 1. */
  readonly onProgress?: (share: number) => void;
  /** Called when an append fails; the next one covers its time too. */
  readonly onError?: (error: unknown) => void;
}

export interface Demo {
  /** Appends the rows until now if a query needs them. It never rejects. */
  catchUp(): Promise<void>;
  /** Replaces tables, and fills the new ones. Nothing is appended in the meantime. */
  replaceTables(change: {
    readonly staged: readonly TableInStore[];
    readonly removed: readonly string[];
  }): Promise<void>;
  /** Resolves when no append is running and none will start. The caller closes the connection. */
  close(): Promise<void>;
}

const dayMs = 86_400_000;

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
  await connection.run(
    `CREATE TABLE IF NOT EXISTS ${progress} ("table" VARCHAR PRIMARY KEY, source VARCHAR, filled_until TIMESTAMPTZ)`,
  );
  const shared = readShared(folder);
  await connection.run(shared);
  const streams = new Map<string, Stream>();
  const openStream = async ({ name }: TableInStore) => {
    const stream = await prepareStream(connection, tables, folder, { name, shared });
    if (stream !== undefined) streams.set(name, stream);
  };
  for (const table of tables.all) await openStream(table);
  const writer = buildWriter(connection, tables);
  const historyMs = days * dayMs;
  /** The tables have the rows before this time. */
  let end = now();
  await writer.withSmallMemory(() => writer.fillAll([...streams.values()], end - historyMs, end, onProgress));

  const append = async () => {
    const to = now();
    if (to <= end) return;
    await writer.append([...streams.values()], end, to);
    end = to;
    if (!writer.isCheckpointDue()) return;
    await dropOlder(connection, tables.all, new Date(end - historyMs));
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
  const closeStream = (name: string) => {
    streams.get(name)?.statement.destroySync();
    streams.delete(name);
  };
  const replaceTables: Demo['replaceTables'] = async ({ staged, removed }) => {
    isPaused = true;
    try {
      await appending?.catch(() => {});
      for (const name of removed) {
        closeStream(name);
        if (tables.all.some((table) => table.name === name)) await tables.remove(name);
      }
      for (const table of staged) {
        closeStream(table.name);
        if (!tables.all.includes(table)) await tables.adopt(table);
        await openStream(table);
      }
      const added = staged.flatMap(({ name }) => streams.get(name) ?? []);
      await writer.fillAll(added, end - historyMs, end, () => {});
    } finally {
      isPaused = false;
    }
  };
  const repeat = openRepeat({ everyMs, work: appendOnce, onError });
  return {
    async catchUp() {
      if (isClosed || now() - end < freshMs) return;
      await appendOnce().catch(onError);
    },
    replaceTables,
    async close() {
      isClosed = true;
      await repeat.close();
      await appending?.catch(() => {});
      for (const name of [...streams.keys()]) closeStream(name);
    },
  };
}

/** How far the tables of a store that is kept have been filled, and by what. */
const progress = `${storeName}.querygate_demo`;

/** The rows of one table. */
interface Stream {
  readonly table: string;
  /** Changes with what makes the rows. */
  readonly source: string;
  /** An INSERT that binds `from` and `to`. */
  readonly statement: DuckDBPreparedStatement;
}

function readShared(folder: string): string {
  const file = join(folder, '_shared.sql');
  return existsSync(file) ? readFileSync(file, 'utf8') : 'SELECT 1';
}

/** @returns undefined if the folder has no file for the table */
async function prepareStream(
  connection: DuckDBConnection,
  tables: StoredTables,
  folder: string,
  { name, shared }: { readonly name: string; readonly shared: string },
): Promise<Stream | undefined> {
  const file = join(folder, `${name}.sql`);
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  const source = `(${text.replace(/;\s*$/, '')})`;
  // DuckDB does not report the types of a statement with parameters.
  const example = source.replaceAll(/\$(?:from|to)\b/g, `TIMESTAMPTZ '2000-01-01'`);
  const columns = await describeSource(connection, example);
  const statement = await connection.prepare(tables.appendSql(name, columns, source));
  return { table: name, source: hash('sha256', shared + text, 'hex'), statement };
}

/** DuckDB compresses a table in memory only at a checkpoint; until then a row takes ten times the space. */
const rowsPerCheckpoint = 8_000;

const flushThresholds = ['allocator_flush_threshold', 'allocator_bulk_deallocation_flush_threshold'];

/** Writes the rows of a time span, all from `from` (included) to `to` (excluded), in milliseconds since the epoch. */
function buildWriter(connection: DuckDBConnection, tables: StoredTables) {
  let rowsSinceCheckpoint = 0;
  const write = async ({ statement }: Stream, from: number, to: number) => {
    statement.bind({ from: timestamp(from), to: timestamp(to) }, { from: TIMESTAMPTZ, to: TIMESTAMPTZ });
    rowsSinceCheckpoint += (await statement.run()).rowsChanged;
  };
  const isCheckpointDue = () => rowsSinceCheckpoint > rowsPerCheckpoint;
  const checkpoint = async () => {
    await connection.run(`CHECKPOINT ${storeName}`);
    rowsSinceCheckpoint = 0;
  };
  const record = ({ table, source }: Stream, until: number) =>
    connection.run(
      `INSERT OR REPLACE INTO ${progress} VALUES (${quoteText(table)}, '${source}', $until)`,
      { until: timestamp(until) },
      { until: TIMESTAMPTZ },
    );
  /** Until when the store has the rows; undefined if it has none, or those of other files. */
  const filledUntil = async ({ table, source }: Stream): Promise<number | undefined> => {
    const found = await connection.runAndReadAll(
      `SELECT epoch_ms(filled_until)::DOUBLE FROM ${progress} WHERE "table" = ${quoteText(table)} AND source = '${source}'
        AND EXISTS (FROM ${tables.get(table).relation})`,
    );
    const [[until] = []] = found.getRows();
    return until === undefined ? undefined : Number(until);
  };
  /** Day by day, with checkpoints. */
  const fill = async (stream: Stream, from: number, to: number, onDay: (from: number) => void) => {
    const known = await filledUntil(stream);
    const isKept = known !== undefined && known >= from && known <= to;
    if (!isKept) {
      await connection.run(`DELETE FROM ${progress} WHERE "table" = ${quoteText(stream.table)}`);
      await connection.run(`DELETE FROM ${tables.get(stream.table).relation}`);
    }
    for (let day = isKept ? known : from; day < to; day += dayMs) {
      await write(stream, day, Math.min(day + dayMs, to));
      if (isCheckpointDue()) await checkpoint();
      onDay(day);
    }
    await record(stream, to);
  };
  return {
    isCheckpointDue,
    checkpoint,
    async fillAll(
      streams: readonly Stream[],
      from: number,
      to: number,
      onProgress: (share: number) => void,
    ): Promise<void> {
      for (const [at, stream] of streams.entries()) {
        await fill(stream, from, to, (day) => onProgress((at + (day - from) / (to - from)) / streams.length));
      }
      await checkpoint();
    },
    /** Memory that the work frees is returned to the system; memory that queries free later stays with the allocator. */
    async withSmallMemory(work: () => Promise<void>): Promise<void> {
      for (const threshold of flushThresholds) await connection.run(`SET ${threshold} = '1MB'`);
      await work();
      for (const threshold of flushThresholds) await connection.run(`RESET ${threshold}`);
    },
    /** All streams, or none of them if one fails. */
    async append(streams: readonly Stream[], from: number, to: number) {
      await connection.run('BEGIN');
      try {
        for (const stream of streams) await write(stream, from, to);
        await connection.run(
          `UPDATE ${progress} SET filled_until = $until`,
          { until: timestamp(to) },
          { until: TIMESTAMPTZ },
        );
        await connection.run('COMMIT');
      } catch (error) {
        await connection.run('ROLLBACK');
        throw error;
      }
    },
  };
}

const timestamp = (ms: number) => new DuckDBTimestampTZValue(BigInt(Math.round(ms)) * 1000n);
