import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { readRows } from '../statements.ts';

/** A path at which something is that the gateway has not made: it is left as it is. */
export class NotOurs extends Error {
  override readonly name = 'NotOurs';
}

/** The path of a store before it is opened: the version of a store is there, or nothing that would be lost. */
export type EarlierStore = { readonly version: number } | 'nothing';

/**
 * Looks at the file of a store, which it does not change, because an operator may have named another file by mistake.
 *
 * @throws NotOurs if the file is neither a store of any version nor without content
 * @throws Error of DuckDB if the file is in use or cannot be read
 */
export async function inspectStore(connection: DuckDBConnection, file: string): Promise<EarlierStore> {
  if (!existsSync(file)) return withoutOtherLog(file);
  try {
    // With its type, or DuckDB would attach files of CSV and JSON as well.
    await connection.run(`ATTACH ${quoteText(file)} AS ${inspected} (TYPE duckdb, READ_ONLY)`);
  } catch (error) {
    // The file of a process that creates it is locked, and fails otherwise.
    if (!(error instanceof Error) || !noDatabase.test(error.message)) throw error;
    if (isUnfinished(file)) return withoutOtherLog(file);
    throw new NotOurs(hasMagic(file) ? damaged : otherFile);
  }
  try {
    const version = await versionOf(connection);
    if (version !== undefined) return { version };
    if (await isEmpty(connection)) return 'nothing';
    throw new NotOurs(
      'it is a DuckDB database of others, and is left as it is: name a file that is not there yet',
    );
  } finally {
    await connection.run(`DETACH ${inspected}`);
  }
}

/**
 * Looks at the folders beside a store that was removed: a process which was killed has left them, or they are of others.
 *
 * @throws NotOurs if files of others are in them
 */
export function requireOwnFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    const other = otherName(folder);
    if (other !== undefined)
      throw new NotOurs(
        `the folder ${folder} is for temporary files, and has ${other}, which is left as it is: move it, or name another file`,
      );
  }
}

const inspected = 'inspected';

const otherFile = 'it is not a store, and is left as it is: name a file that is not there yet';
const damaged =
  'it is not a store that can be read, and is left as it is: name another file; if it was a store, remove it, and it is rebuilt from the data';

/** How DuckDB refuses files that are no databases, or not as a whole. */
const noDatabase = /not a valid DuckDB|Could not read enough bytes|serializ|version number|Corrupt|checksum/i;

/** A store has it from the moment of its creation on. */
async function versionOf(connection: DuckDBConnection): Promise<number | undefined> {
  const columns = `SELECT 1 FROM duckdb_columns() WHERE database_name = '${inspected}' AND schema_name = 'main'
    AND table_name = 'querygate_format' AND column_name = 'version' AND data_type = 'INTEGER'`;
  if ((await readRows(connection, columns)).length === 0) return undefined;
  const [row] = await readRows(connection, `SELECT "version" FROM ${inspected}.main.querygate_format`);
  return Number(row?.[0] ?? 0);
}

/** True for a database that a process has created, and then was killed. */
async function isEmpty(connection: DuckDBConnection): Promise<boolean> {
  const counts = ['tables', 'views', 'sequences', 'types', 'functions', 'schemas'].map((kind) => {
    const others = kind === 'sequences' ? '' : ' AND NOT internal';
    return `(SELECT count(*) FROM duckdb_${kind}() WHERE database_name = '${inspected}'${others})`;
  });
  const [row] = await readRows(connection, `SELECT CAST(${counts.join(' + ')} AS DOUBLE)`);
  return row?.[0] === 0;
}

/** The header of a database and its two descriptions; rows follow. */
const headerBytes = 3 * 4096;

/** True if a file has no content, or the beginning of a database without rows. */
const isUnfinished = (file: string): boolean => {
  const { isFile, size } = kindAndSize(file);
  return isFile && (size === 0 || (size <= headerBytes && hasMagic(file)));
};

const kindAndSize = (file: string) => {
  const stat = statSync(file);
  return { isFile: stat.isFile(), size: stat.size };
};

const hasMagic = (file: string) => startOf(file).toString('latin1', 8, 12) === 'DUCK';

/** DuckDB removes the log of a database that is not there. */
function withoutOtherLog(file: string): 'nothing' {
  const log = `${file}.wal`;
  if (!existsSync(log) || statSync(log).size === 0 || startOf(log).indexOf(logStart) === 0) return 'nothing';
  throw new NotOurs(
    `${log} is not the log of a database, and is left as it is: move it, or name another file`,
  );
}

/** The first field of DuckDB's log: its version. */
const logStart = Buffer.from([0x64, 0, 0x62]);

function startOf(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(12);
    return start.subarray(0, readSync(descriptor, start));
  } finally {
    closeSync(descriptor);
  }
}

/** The names of all that processes make in the folders. */
const ourNames = /^(?:batch-\d+|copy|lake_\d+\.ducklake(?:\.wal)?|sandbox-\d+|duckdb_temp_.*)$/;

function otherName(folder: string): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return found.isDirectory()
    ? readdirSync(folder).find((name) => !ourNames.test(name))
    : 'a file of its name';
}
