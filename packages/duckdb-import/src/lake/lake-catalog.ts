import { copyFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { readRows } from '../store/statements.ts';
import { absoluteDataPath, type LakeLocation } from './lake-location.ts';

/** The catalog of a lake as a database of DuckDB. */
export interface LakeCatalog {
  /** The folder of the lake's files. */
  readonly dataPath: string;
  /** A text that is the same for the same lake, wherever it is reached from. */
  readonly identity: string;
  /** The database that has the catalog as it is now. @throws Error if it cannot be read now */
  current(): Promise<string>;
  /** Statements read a database from then on: it stays, also while others are attached, until they read another one. */
  serve(database: string): void;
}

/** The tables of the catalog of an attached lake. */
export const metadataOf = (database: string) => `__ducklake_metadata_${database}`;

/**
 * Attaches a lake for reading. A file of DuckDB can be open in one process that writes, or in many that read: it is copied when
 * it has changed, and open only meanwhile.
 *
 * @param scratch the folder for copies
 * @throws Error if it cannot be read
 */
export async function openLakeCatalog(
  connection: DuckDBConnection,
  location: LakeLocation,
  scratch: string,
): Promise<LakeCatalog> {
  const { file, target } = location;
  let dataPath: string | undefined;
  const attach = async (database: string, from: string) => {
    const path = dataPath === undefined ? '' : `, DATA_PATH ${quoteText(dataPath)}, OVERRIDE_DATA_PATH true`;
    await connection.run(`ATTACH ${quoteText(`ducklake:${from}`)} AS ${database} (READ_ONLY${path})`);
  };
  const settingsOf = async (database: string) => {
    const metadata = metadataOf(database);
    const [found = []] = await readRows(
      connection,
      `SELECT "value", (SELECT schema_uuid::VARCHAR FROM ${metadata}.ducklake_schema WHERE schema_id = 0)
       FROM ${metadata}.ducklake_metadata WHERE "key" = 'data_path' AND scope IS NULL`,
    );
    const [stored = '', identity = ''] = found.map(String);
    return { stored, identity };
  };
  let identity: string | undefined;
  /** The snapshots of another lake do not follow: a table would be read at one at which it had other rows. */
  const requireSame = async (database: string) => {
    const found = await settingsOf(database);
    identity ??= found.identity;
    if (found.identity !== identity)
      throw new Error('it is another lake than at the start; start the gateway again');
  };
  const detach = async (database: string) => {
    await connection.run(`DETACH ${database}`);
    for (const end of ['', '.wal']) await rm(`${join(scratch, database)}.ducklake${end}`, { force: true });
  };
  let attached: { readonly database: string; readonly version: string } | undefined;
  let served: string | undefined;
  const open = new Set<string>();
  let count = 0;
  const next = async (): Promise<string> => {
    const version = file === undefined ? '' : await versionOf(file);
    if (attached?.version === version) {
      if (file === undefined) await requireSame(attached.database);
      return attached.database;
    }
    count += 1;
    const database = `lake_${count}`;
    const copy = file && join(scratch, `${database}.ducklake`);
    if (file && copy) await copyUnchanging(connection, file, copy);
    await attach(database, copy ?? target);
    try {
      await requireSame(database);
    } catch (error) {
      await detach(database);
      throw error;
    }
    attached = { database, version };
    open.add(database);
    for (const one of open) {
      if (one === database || one === served) continue;
      await detach(one);
      open.delete(one);
    }
    return database;
  };
  const database = await next();
  const { stored, identity: own } = await settingsOf(database);
  dataPath = absoluteDataPath(location, stored);
  if (dataPath !== stored) {
    await connection.run(`DETACH ${database}`);
    await attach(database, file === undefined ? target : join(scratch, `${database}.ducklake`));
  }
  return {
    ...{ dataPath, identity: own, current: next },
    serve(database) {
      served = database;
    },
  };
}

async function versionOf(file: string): Promise<string> {
  const found = [file, `${file}.wal`].map((path) => stat(path, { bigint: true }).catch(() => undefined));
  return (await Promise.all(found)).map((of) => of && `${of.ino}:${of.size}:${of.mtimeNs}`).join();
}

/** No process can write to the file while this one has it open. */
async function copyUnchanging(connection: DuckDBConnection, file: string, copy: string): Promise<void> {
  await connection.run(`ATTACH ${quoteText(file)} AS lake_file (READ_ONLY)`);
  try {
    await copyFile(file, copy);
    await copyFile(`${file}.wal`, `${copy}.wal`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  } finally {
    await connection.run('DETACH lake_file');
  }
}
