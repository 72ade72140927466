import { cpus } from 'node:os';
import { join } from 'node:path';

/** The values of DuckDB's settings and options that are not set. */
export const duckdbDefaults = {
  refreshSeconds: 5,
  memoryLimit: '1GB',
  threads: cpus().length,
  /** What one text of SQL of a caller may use. */
  sandbox: { memoryBytes: 256_000_000, diskBytes: 256_000_000, processorMs: 10_000 },
} as const;

/** In the data folder; hidden folders are not scanned for data. */
export const storeFolder = '.querygate';

/** The database of the rows that are imported from a folder; that of the demo does not outlive the gateway. */
export const storeFileOf = (dataDir: string | undefined): string =>
  dataDir === undefined ? ':memory:' : join(dataDir, storeFolder, 'store.duckdb');
