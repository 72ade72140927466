import { join } from 'node:path';

/** In the data folder; hidden folders are not scanned for data. */
export const storeFolder = '.querygate';

/** The path of the database of the rows that are imported from a folder; without a folder, rows are kept in memory only. */
export const storeFileOf = (dataDir: string | undefined): string =>
  dataDir === undefined ? ':memory:' : join(dataDir, storeFolder, 'store.duckdb');
