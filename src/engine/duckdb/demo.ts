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
import { foundColumns } from './store/stored-value.ts';

export interface DemoOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly days?: number;
  /** How often what has happened since is appended. */
  readonly everyMs?: number;
  /** Told of a failed append; the next one makes up for it. */
  readonly onError?: (error: unknown) => void;
}

export interface Demo {
  /** Resolves when no append runs any longer and none will. The connection is the caller's to close. */
  close(): Promise<void>;
}

const dayMs = 86_400_000;
/** DuckDB compresses a table in memory only at a checkpoint: until then a row takes ten times its place. */
const rowsPerCheckpoint = 8_000;

const flushThresholds = ['allocator_flush_threshold', 'allocator_bulk_deallocation_flush_threshold'];

/**
 * Live-looking data, made up. A file `<table>.sql` of the folder tells its rows: a SELECT of
 * what happened from `$from` (included) to `$to` (excluded), which gives the same rows in whatever portions it is
 * asked. `_shared.sql`, where there is one, runs first. The tables reach about `days` back and go on for as long as the demo is
 * open.
 *
 * @param connection the demo's alone until it is closed
 */
export async function openDemo(
  connection: DuckDBConnection,
  tables: StoredTables,
  folder: string,
  { now = Date.now, days = 7, everyMs = 1000, onError = () => {} }: DemoOptions = {},
): Promise<Demo> {
  await connection.run(`SET TimeZone = 'UTC'`);
  const shared = join(folder, '_shared.sql');
  if (existsSync(shared)) await connection.run(readFileSync(shared, 'utf8'));
  const streams: DuckDBPreparedStatement[] = [];
  for (const { name } of tables.all) {
    const file = join(folder, `${name}.sql`);
    if (existsSync(file)) streams.push(await prepareStream(connection, tables, name, file));
  }

  let rowsSinceCheckpoint = 0;
  const append = async (stream: DuckDBPreparedStatement, from: number, to: number) => {
    stream.bind({ from: timestamp(from), to: timestamp(to) }, { from: TIMESTAMPTZ, to: TIMESTAMPTZ });
    rowsSinceCheckpoint += (await stream.run()).rowsChanged;
  };
  const checkpoint = async () => {
    await connection.run(`CHECKPOINT ${storeName}`);
    rowsSinceCheckpoint = 0;
  };

  let told = now();
  // Filling leaves much behind that the allocator would keep; queries later want it to keep what they use.
  for (const threshold of flushThresholds) await connection.run(`SET ${threshold} = '1MB'`);
  for (const stream of streams) {
    for (let from = told - days * dayMs; from < told; from += dayMs) {
      await append(stream, from, Math.min(from + dayMs, told));
      if (rowsSinceCheckpoint > rowsPerCheckpoint) await checkpoint();
    }
  }
  await checkpoint();
  for (const threshold of flushThresholds) await connection.run(`RESET ${threshold}`);

  /** All streams up to one moment, or none of them. */
  const tell = async (until: number) => {
    await connection.run('BEGIN');
    try {
      for (const stream of streams) await append(stream, told, until);
      await connection.run('COMMIT');
      told = until;
    } catch (error) {
      await connection.run('ROLLBACK');
      throw error;
    }
    if (rowsSinceCheckpoint <= rowsPerCheckpoint) return;
    await dropOlder(connection, tables.all, new Date(told - days * dayMs));
    await checkpoint();
  };

  const repeat = openRepeat({
    everyMs,
    async work() {
      const until = now();
      if (until > told) await tell(until);
    },
    onError,
  });
  return {
    async close() {
      await repeat.close();
      for (const stream of streams.splice(0)) stream.destroySync();
    },
  };
}

async function prepareStream(
  connection: DuckDBConnection,
  tables: StoredTables,
  name: string,
  file: string,
): Promise<DuckDBPreparedStatement> {
  const source = `(${readFileSync(file, 'utf8').replace(/;\s*$/, '')})`;
  // DuckDB tells no types where there are parameters.
  const found = await foundColumns(
    connection,
    source.replaceAll(/\$(?:from|to)\b/g, `TIMESTAMPTZ '2000-01-01'`),
  );
  return connection.prepare(tables.appendSql(name, found, source));
}

const timestamp = (ms: number) => new DuckDBTimestampTZValue(BigInt(Math.round(ms)) * 1000n);
