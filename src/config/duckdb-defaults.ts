import { cpus } from 'node:os';

/** The values of DuckDB's settings and options that are not set. */
export const duckdbDefaults = {
  refreshSeconds: 5,
  memoryLimit: '1GB',
  threads: cpus().length,
  /** What one text of SQL of a caller may use. */
  sandbox: { memoryBytes: 256_000_000, diskBytes: 256_000_000, processorMs: 10_000 },
} as const;
