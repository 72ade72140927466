import { chmodSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { ProblemError } from '@querygate/bigquery-sql/problem';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { inspectStore, NotOurs, requireOwnFolders } from './location/earlier-store.ts';
import { storeFolder } from './location/store-file.ts';

/** The database of the local rows, attached as `storeName`. */
export interface Store {
  /** The folder of its file; undefined for a store in memory. */
  readonly folder: string | undefined;
  /** An empty folder of this process, for copies of files. */
  readonly scratch: string;
  /** Another one, for the rows that SQL of callers reads. */
  readonly sandboxes: string;
  /** Bytes on disk; undefined in memory. */
  size(): number | undefined;
  /** Removes the temporary files. The caller must have closed all connections. */
  close(): Promise<void>;
}

/** The name of the attached database. */
export const storeName = 'store';

/** Increased whenever an older store can no longer be read; such a store is removed and imported again. */
const format = 3;

/**
 * Attaches the store, and creates it if it does not exist. The store is a cache: one of another format is removed. A file of
 * others is left as it is.
 *
 * @param path `:memory:`, or a file, which is made with its folder
 * @param onOrphaned registers what to do if the process that this one belongs to has ended, and returns what takes that back
 * @throws ProblemError if the file cannot be used
 */
export async function openStore(
  connection: DuckDBConnection,
  path: string,
  onOrphaned: (run: () => void) => () => void = () => () => {},
): Promise<Store> {
  const file = path === ':memory:' ? undefined : resolve(path);
  const base = file ?? join(await mkdtemp(join(tmpdir(), 'querygate-')), 'store');
  const folders = { scratch: `${base}.scratch`, spill: `${base}.spill`, sandboxes: `${base}.sandboxes` };
  const { scratch, spill, sandboxes } = folders;
  try {
    mkdirSync(dirname(base), { recursive: true, mode: ownerOnly.folder });
    await attach(connection, file, Object.values(folders));
    restrictModes(file);
    // DuckDB locks the file, so that these folders were left by a process that was killed.
    for (const folder of Object.values(folders)) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { mode: ownerOnly.folder });
    }
  } catch (error) {
    if (error instanceof Error && /^Out of Memory|^Failed to allocate/.test(error.message)) throw error;
    throw unusable(path, error);
  }
  const temporary = file === undefined ? [dirname(base)] : Object.values(folders);
  // Rows of tenants are in them: they must not stay because the gateway was killed.
  const keep = onOrphaned(() => {
    for (const folder of temporary) removeNow(folder);
  });
  await connection.run(`SET temp_directory = ${quoteText(spill)}`);
  return {
    folder: file === undefined ? undefined : dirname(file),
    scratch,
    sandboxes,
    size: () => (file === undefined ? undefined : sizeOf(file) + sizeOf(`${file}.wal`)),
    async close() {
      keep();
      for (const folder of temporary) await rm(folder, { recursive: true, force: true });
    },
  };
}

function removeNow(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The next start with this store removes it.
  }
}

/** The rows of all tenants may be in it, also if the log files can be read by their owner only. */
const ownerOnly = { file: 0o600, folder: 0o700 };

/** Of a store that was made with other modes. The umask of the process is for what is made later. */
function restrictModes(file: string | undefined): void {
  if (file === undefined) return;
  for (const path of [file, `${file}.wal`]) if (existsSync(path)) chmodSync(path, ownerOnly.file);
  // Any other folder is the operator's.
  if (basename(dirname(file)) === storeFolder) chmodSync(dirname(file), ownerOnly.folder);
}

async function attach(
  connection: DuckDBConnection,
  file: string | undefined,
  folders: readonly string[],
): Promise<void> {
  const earlier = file === undefined ? 'nothing' : await inspectStore(connection, file);
  if (file !== undefined && earlier === 'nothing') requireOwnFolders(folders);
  const isCurrent = earlier !== 'nothing' && earlier.version === format;
  // The log first: without its file, it would be one of others.
  if (!isCurrent && file !== undefined)
    for (const suffix of ['.wal', '']) rmSync(`${file}${suffix}`, { force: true });
  await connection.run(
    `ATTACH ${quoteText(file ?? ':memory:')} AS ${storeName} (TYPE duckdb, STORAGE_VERSION 'v1.5.0')`,
  );
  if (!isCurrent)
    await connection.run(`CREATE TABLE ${formatTable} AS SELECT ${format}::INTEGER AS "version"`);
}

const formatTable = `${storeName}.querygate_format`;

function unusable(file: string, error: unknown): ProblemError {
  const reason = error instanceof Error ? error.message : String(error);
  const text = error instanceof NotOurs ? reason : advice(reason);
  return new ProblemError('The store cannot be opened', [
    { message: `storeFile: got ${JSON.stringify(file)}; ${text}` },
  ]);
}

/** The problem of a store that another process has open. */
export const storeInUse = 'it is in use by another process';

function advice(reason: string): string {
  if (/lock/i.test(reason))
    return `${storeInUse}: each process needs a store of its own, so name another file for this one`;
  if (/EACCES|EROFS|EPERM|Permission denied|Read-only/i.test(reason)) {
    return 'it is not writable: name a file that is, or :memory: for a store that is rebuilt at each start';
  }
  if (/Is a directory/i.test(reason)) return 'it is a folder: name a file';
  return reason.split('\n', 1)[0] ?? '';
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
