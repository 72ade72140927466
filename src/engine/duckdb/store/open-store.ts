import { mkdirSync, rmSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { StartError } from '../../../errors.ts';
import { quoteText } from '../../dialect/expr/literals.ts';

/** The database that local rows are kept in, attached under `storeName`. */
export interface Store {
  /** The folder that it grows in; undefined where it is kept in memory alone. */
  readonly folder: string | undefined;
  /** An empty folder of this process, for copies of files. */
  readonly scratch: string;
  /** Bytes on disk; undefined in memory. */
  size(): number | undefined;
  /** Removes what stood beside the store for a time. The connections are the caller's to close, before. */
  close(): Promise<void>;
}

/** The name of the attached database. */
export const storeName = 'store';

/** Changes whenever an older store can't be read any longer; it is made anew from the files then. */
const format = 1;

/**
 * Attaches the store, empty where there is none yet. A store that another version wrote is a cache that is thrown away.
 *
 * @param path `:memory:`, or a file
 * @throws StartError where the file can't be used
 */
export async function openStore(connection: DuckDBConnection, path: string): Promise<Store> {
  const file = path === ':memory:' ? undefined : resolve(path);
  const beside = file ?? join(await mkdtemp(join(tmpdir(), 'querygate-')), 'store');
  const [scratch, spill] = [`${beside}.scratch`, `${beside}.spill`];
  try {
    mkdirSync(dirname(beside), { recursive: true });
    await attach(connection, file);
    // The store has one user at a time: what is there was left by a process that was killed.
    for (const folder of [scratch, spill]) rmSync(folder, { recursive: true, force: true });
    mkdirSync(scratch);
  } catch (error) {
    if (error instanceof Error && /^Out of Memory|^Failed to allocate/.test(error.message)) throw error;
    throw unusable(path, error);
  }
  await connection.run(`SET temp_directory = ${quoteText(spill)}`);
  return {
    folder: file === undefined ? undefined : dirname(file),
    scratch,
    size: () => (file === undefined ? undefined : sizeOf(file) + sizeOf(`${file}.wal`)),
    async close() {
      const passing = file === undefined ? [dirname(beside)] : [scratch, spill];
      for (const folder of passing) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function attach(connection: DuckDBConnection, file: string | undefined): Promise<void> {
  const sql = `ATTACH ${quoteText(file ?? ':memory:')} AS ${storeName} (STORAGE_VERSION 'v1.5.0')`;
  await connection.run(sql);
  if (await hasFormat(connection)) return;
  await connection.run(`DETACH ${storeName}`);
  for (const suffix of ['', '.wal']) if (file !== undefined) rmSync(`${file}${suffix}`, { force: true });
  await connection.run(sql);
  await connection.run(`CREATE TABLE ${formatTable} AS SELECT ${format}::INTEGER AS "version"`);
}

const formatTable = `${storeName}.querygate_format`;

async function hasFormat(connection: DuckDBConnection): Promise<boolean> {
  const tables = `SELECT 1 FROM duckdb_tables() WHERE database_name = '${storeName}' AND table_name = 'querygate_format'`;
  if ((await connection.runAndReadAll(tables)).currentRowCount === 0) return false;
  const found = await connection.runAndReadAll(`SELECT "version" FROM ${formatTable}`);
  return found.getRows()[0]?.[0] === format;
}

function unusable(file: string, error: unknown): StartError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StartError('The store cannot be opened', [
    { message: `STORE_FILE: got ${JSON.stringify(file)}; ${advice(reason)}` },
  ]);
}

function advice(reason: string): string {
  if (/lock/i.test(reason)) return 'it is in use: each process wants a store of its own';
  if (/EACCES|EROFS|EPERM|Permission denied|Read-only/i.test(reason)) {
    return 'it can not be written: name a file that can, or :memory: for a store that is made anew at each start';
  }
  if (/not a valid DuckDB|serializ|version/i.test(reason)) {
    return 'it is no store: name another file, or remove this one, and it is made anew from DATA_DIR';
  }
  return reason.split('\n', 1)[0] ?? '';
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
