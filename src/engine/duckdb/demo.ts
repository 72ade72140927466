import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  DuckDBTimestampTZValue,
  TIMESTAMPTZ,
} from '@duckdb/node-api';
import { openRepeat } from '../../concurrency/repeat.ts';
import { storeName } from './store/open-store.ts';
import { dropOlder } from './store/retention.ts';
import type { StoredTables } from './store/stored-tables.ts';
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
 * runs first. The tables begin about `days` ago, and grow while the demo is open.
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
  const streams = await prepareStreams(connection, tables, folder);
  const writer = buildWriter(connection, streams);
  const historyMs = days * dayMs;
  /** The tables have the rows before this time. */
  let end = now();
  await writer.fill(end - historyMs, end, onProgress);

  const append = async () => {
    const to = now();
    if (to <= end) return;
    await writer.append(end, to);
    end = to;
    if (!writer.isCheckpointDue()) return;
    await dropOlder(connection, tables.all, new Date(end - historyMs));
    await writer.checkpoint();
  };
  let appending: Promise<void> | undefined;
  /** The connection runs one append at a time. */
  const appendOnce = () => {
    appending ??= append().finally(() => {
      appending = undefined;
    });
    return appending;
  };
  let isClosed = false;
  const repeat = openRepeat({ everyMs, work: appendOnce, onError });
  return {
    async catchUp() {
      if (isClosed || now() - end < freshMs) return;
      await appendOnce().catch(onError);
    },
    async close() {
      isClosed = true;
      await repeat.close();
      await appending?.catch(() => {});
      for (const stream of streams.splice(0)) stream.destroySync();
    },
  };
}

/** One INSERT for each table whose file is in the folder; each binds `from` and `to`. */
async function prepareStreams(
  connection: DuckDBConnection,
  tables: StoredTables,
  folder: string,
): Promise<DuckDBPreparedStatement[]> {
  const shared = join(folder, '_shared.sql');
  if (existsSync(shared)) await connection.run(readFileSync(shared, 'utf8'));
  const streams: DuckDBPreparedStatement[] = [];
  for (const { name } of tables.all) {
    const file = join(folder, `${name}.sql`);
    if (!existsSync(file)) continue;
    const source = `(${readFileSync(file, 'utf8').replace(/;\s*$/, '')})`;
    // DuckDB does not report the types of a statement with parameters.
    const example = source.replaceAll(/\$(?:from|to)\b/g, `TIMESTAMPTZ '2000-01-01'`);
    const columns = await describeSource(connection, example);
    streams.push(await connection.prepare(tables.appendSql(name, columns, source)));
  }
  return streams;
}

/** DuckDB compresses a table in memory only at a checkpoint; until then a row takes ten times the space. */
const rowsPerCheckpoint = 8_000;

const flushThresholds = ['allocator_flush_threshold', 'allocator_bulk_deallocation_flush_threshold'];

/** Writes the rows of a time span, all from `from` (included) to `to` (excluded), in milliseconds since the epoch. */
function buildWriter(connection: DuckDBConnection, streams: readonly DuckDBPreparedStatement[]) {
  let rowsSinceCheckpoint = 0;
  const write = async (stream: DuckDBPreparedStatement, from: number, to: number) => {
    stream.bind({ from: timestamp(from), to: timestamp(to) }, { from: TIMESTAMPTZ, to: TIMESTAMPTZ });
    rowsSinceCheckpoint += (await stream.run()).rowsChanged;
  };
  const isCheckpointDue = () => rowsSinceCheckpoint > rowsPerCheckpoint;
  const checkpoint = async () => {
    await connection.run(`CHECKPOINT ${storeName}`);
    rowsSinceCheckpoint = 0;
  };
  return {
    isCheckpointDue,
    checkpoint,
    /** Day by day, with checkpoints. */
    async fill(from: number, to: number, onProgress: (share: number) => void) {
      // Memory that filling frees is returned to the system; memory that queries free later stays with the allocator.
      for (const threshold of flushThresholds) await connection.run(`SET ${threshold} = '1MB'`);
      for (const [at, stream] of streams.entries()) {
        for (let day = from; day < to; day += dayMs) {
          await write(stream, day, Math.min(day + dayMs, to));
          if (isCheckpointDue()) await checkpoint();
          onProgress((at + (day - from) / (to - from)) / streams.length);
        }
      }
      await checkpoint();
      for (const threshold of flushThresholds) await connection.run(`RESET ${threshold}`);
    },
    /** All streams, or none of them if one fails. */
    async append(from: number, to: number) {
      await connection.run('BEGIN');
      try {
        for (const stream of streams) await write(stream, from, to);
        await connection.run('COMMIT');
      } catch (error) {
        await connection.run('ROLLBACK');
        throw error;
      }
    },
  };
}

const timestamp = (ms: number) => new DuckDBTimestampTZValue(BigInt(Math.round(ms)) * 1000n);
