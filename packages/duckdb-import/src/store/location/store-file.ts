import { join } from 'node:path';
import { isRemote } from '../remote-path.ts';

/** In the data folder; hidden folders are not scanned for data. */
export const storeFolder = '.querygate';

/** The path of the database of the rows that are imported from a folder; without one, and for a lake or bucket, they are kept in memory. */
export const storeFileOf = (dataDir: string | undefined): string =>
  dataDir === undefined || /^ducklake:/.test(dataDir) || isRemote(dataDir)
    ? ':memory:'
    : join(dataDir, storeFolder, 'store.duckdb');
