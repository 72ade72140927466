import { cpus } from 'node:os';
import { join } from 'node:path';

/** What settings and options of DuckDB are if nobody sets them. */
export const duckdbDefaults = { refreshSeconds: 5, memoryLimit: '1GB', threads: cpus().length } as const;

/** In the data folder; hidden folders are not scanned for data. */
export const storeFolder = '.querygate';

/** The database of the rows that are imported from a folder; of the demo, it is in memory. */
export const storeFileOf = (dataDir: string | undefined): string =>
  dataDir === undefined ? ':memory:' : join(dataDir, storeFolder, 'store.duckdb');
