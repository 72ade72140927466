import type { DuckDBConnection } from '@duckdb/node-api';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import type { Manifest } from '../store/manifest.ts';
import type { DataFile, DataFolder } from './data-files.ts';
import { type Changes, findChanges } from './find-changes.ts';
import { findFiles } from './remote-files.ts';
import type { UnreadableFiles } from './unreadable-files.ts';

/** A data folder, and how it differs from the manifest. */
export interface Scan extends Changes {
  readonly folder: DataFolder;
  readonly files: readonly DataFile[];
}

interface ScanOptions {
  readonly connection: DuckDBConnection;
  readonly dataDir: string;
  readonly tables: readonly TableSchema[];
  readonly manifest: Manifest;
  readonly unreadable: UnreadableFiles;
}

/**
 * Scans a data folder for new, changed and missing files, without those that are known to be unreadable. A file that is being
 * renamed may be found under neither name: what must not wait for another sync to miss it is missing in two scans.
 *
 * @param isFinal true if what is missing is forgotten at once
 * @returns an error if the folder cannot be read
 */
export async function scanFolder(
  options: ScanOptions,
  isFinal: boolean,
): Promise<Scan | { readonly error: unknown }> {
  try {
    const scan = await scanOnce(options);
    return scan.missing.some(({ footer }) => isFinal || footer !== undefined)
      ? await scanOnce(options)
      : scan;
  } catch (error) {
    return { error };
  }
}

async function scanOnce({ connection, dataDir, manifest, tables, unreadable }: ScanOptions): Promise<Scan> {
  const folder = await findFiles(connection, dataDir, tables);
  const files = [...folder.tables.values()].flatMap((ofTable) => ofTable.files);
  unreadable.keepUnchanged(files);
  const changes = findChanges(files, [...manifest.entries.values()]);
  const changed = changes.changed.filter(({ file }) => unreadable.problemOf(file) === undefined);
  return { ...changes, changed, folder, files };
}
