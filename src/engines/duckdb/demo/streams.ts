import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import type { StoredTables } from '@querygate/duckdb-import';
import { describeSource } from '@querygate/bigquery-sql/duckdb';

/** The rows of one table. */
export interface Stream {
  readonly table: string;
  /** Changes with what makes the rows. */
  readonly source: string;
  /** An INSERT that binds `from` and `to`. */
  readonly statement: DuckDBPreparedStatement;
}

/** The streams of the tables that have a file in the folder, by the names of the tables. */
export interface Streams {
  all(): readonly Stream[];
  get(table: string): Stream | undefined;
  /** Opens the stream of a table, if the folder has a file for it. */
  open(table: string): Promise<void>;
  close(table: string): void;
}

/** Runs `_shared.sql`, and opens the streams of all tables: `queries/demo/<table>.sql` makes the rows. */
export async function openStreams(
  connection: DuckDBConnection,
  tables: StoredTables,
  folder: string,
): Promise<Streams> {
  const shared = readShared(folder);
  await connection.run(shared);
  const streams = new Map<string, Stream>();
  const open = async (table: string) => {
    const stream = await prepareStream(connection, tables, folder, { name: table, shared });
    if (stream !== undefined) streams.set(table, stream);
  };
  for (const { name } of tables.all) await open(name);
  return {
    all: () => [...streams.values()],
    get: (table) => streams.get(table),
    open,
    close(table) {
      streams.get(table)?.statement.destroySync();
      streams.delete(table);
    },
  };
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
