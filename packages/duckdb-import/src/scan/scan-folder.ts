import type { DuckDBConnection } from '@duckdb/node-api';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import type { Manifest, ManifestEntry } from '../store/manifest.ts';
import type { DataFile, DataFolder } from './data-files.ts';
import { type Changes, findChanges, newFiles } from './find-changes.ts';
import { findFiles } from './remote-files.ts';
import type { UnreadableFiles } from './unreadable-files.ts';

/** A data folder, and how it differs from the manifest. */
export interface Scan extends Changes {
  /** Those of `missing` that two scans have not found. */
  readonly gone: ReadonlySet<ManifestEntry>;
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
 * renamed may be found under neither name: what must not wait for another sync to miss it is missing in two scans. So must
 * not a file in whose place another one has come: both would have rows until then.
 *
 * @param isFinal true if what is missing is forgotten at once
 * @returns an error if the folder cannot be read
 */
export async function scanFolder(
  options: ScanOptions,
  isFinal: boolean,
): Promise<Scan | { readonly error: unknown }> {
  try {
    const first = await scanOnce(options);
    const tables = new Set(newFiles(first).map(({ file }) => file.table));
    if (!first.missing.some(({ footer, table }) => isFinal || footer !== undefined || tables.has(table)))
      return { ...first, gone: new Set() };
    const scan = await scanOnce(options);
    return { ...scan, gone: new Set(scan.missing).intersection(new Set(first.missing)) };
  } catch (error) {
    return { error };
  }
}

async function scanOnce({
  connection,
  dataDir,
  manifest,
  tables,
  unreadable,
}: ScanOptions): Promise<Omit<Scan, 'gone'>> {
  const folder = await findFiles(connection, dataDir, tables);
  const files = [...folder.tables.values()].flatMap((ofTable) => ofTable.files);
  unreadable.keepUnchanged(files);
  const changes = findChanges(files, [...manifest.entries.values()]);
  const changed = changes.changed.filter(({ file }) => unreadable.problemOf(file) === undefined);
  return { ...changes, changed, folder, files };
}
