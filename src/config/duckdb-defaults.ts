import { availableParallelism } from 'node:os';

/** The values of DuckDB's settings and options that are not set. */
export const duckdbDefaults = {
  refreshSeconds: 5,
  memoryLimit: '1GB',
  /** Fewer than the machine has where a container or `taskset` limits them. */
  threads: availableParallelism(),
  /** The limits for one text of SQL of a caller. */
  sandbox: { memoryBytes: 256_000_000, diskBytes: 256_000_000, processorMs: 10_000 },
} as const;
