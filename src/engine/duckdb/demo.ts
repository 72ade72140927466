import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  DuckDBTimestampTZValue,
  TIMESTAMPTZ,
} from '@duckdb/node-api';
import type { TableSchema } from '../../catalog/table-schema.ts';
import { quoteName } from './column-type.ts';
import { createTable } from './load-data.ts';
import { foundColumns, storedValue } from './stored-value.ts';

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

/**
 * Live-looking data, made up. Every table is created; a file `<table>.sql` of the folder tells its rows: a SELECT of
 * what happened from `$from` (included) to `$to` (excluded), which gives the same rows in whatever portions it is
 * asked. `_shared.sql` runs first. The tables reach `days` back and go on for as long as the demo is open.
 *
 * @param connection the demo's alone until it is closed
 */
export async function openDemo(
  connection: DuckDBConnection,
  tables: readonly TableSchema[],
  folder: string,
  { now = Date.now, days = 7, everyMs = 1000, onError = () => {} }: DemoOptions = {},
): Promise<Demo> {
  await connection.run(`SET TimeZone = 'UTC'`);
  await runFile(connection, join(folder, '_shared.sql'));
  const streams: DuckDBPreparedStatement[] = [];
  for (const table of tables) {
    await createTable(connection, table);
    const file = join(folder, `${table.name}.sql`);
    if (existsSync(file)) streams.push(await prepareStream(connection, table, file));
  }

  let told = now() - days * dayMs;
  for (const end = now(); told < end; ) await tell(Math.min(told + dayMs, end));

  /** All streams up to one moment, or none of them. */
  async function tell(until: number): Promise<void> {
    await connection.run('BEGIN');
    try {
      for (const stream of streams) {
        stream.bind({ from: timestamp(told), to: timestamp(until) }, { from: TIMESTAMPTZ, to: TIMESTAMPTZ });
        await stream.run();
      }
      await connection.run('COMMIT');
      told = until;
    } catch (error) {
      await connection.run('ROLLBACK');
      throw error;
    }
  }

  let running = Promise.resolve();
  let idle = true;
  const timer = setInterval(() => {
    const until = now();
    if (!idle || until <= told) return;
    idle = false;
    running = tell(until)
      .catch(onError)
      .finally(() => {
        idle = true;
      });
  }, everyMs).unref();

  return {
    async close() {
      clearInterval(timer);
      await running;
      for (const stream of streams.splice(0)) stream.destroySync();
    },
  };
}

async function runFile(connection: DuckDBConnection, file: string): Promise<void> {
  if (existsSync(file)) await connection.run(readFileSync(file, 'utf8'));
}

async function prepareStream(
  connection: DuckDBConnection,
  table: TableSchema,
  file: string,
): Promise<DuckDBPreparedStatement> {
  const sql = readFileSync(file, 'utf8').replace(/;\s*$/, '');
  // DuckDB tells the columns' types of a prepared statement only where it knows its parameters' types.
  const source = `(${sql.replace(/\$(from|to)\b/g, 'CAST($$$1 AS TIMESTAMPTZ)')}\n)`;
  const found = await foundColumns(connection, source);
  const values = table.fields.map((field) => storedValue(field, found.get(field.name.toLowerCase())));
  return connection.prepare(
    `INSERT INTO ${quoteName(table.name)} SELECT ${values.join(', ')} FROM ${source} AS r`,
  );
}

const timestamp = (ms: number) => new DuckDBTimestampTZValue(BigInt(Math.round(ms * 1000)));
