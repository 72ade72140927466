import { join } from 'node:path';

/** The value of CURRENT_TIMESTAMP() in all queries. */
export const now = new Date('2026-11-20T18:20:30.250Z');

/** The streams that the shipped queries scan; a set is named for the number of their rows. */
export const hotTables = ['edge_logs', 'function_edge_logs'] as const;
export type HotTable = (typeof hotTables)[number];

/** The number of rows of each other stream, in every set. */
export const rowsElsewhere = 5000;

export const dayMicros = 86_400_000_000;
const longestDays = 90;
const rowsPerDay = 10_000_000 / longestDays;

/** Generated logs of one size, and the files that are made from them. */
export interface Dataset {
  /** As on the command line: `1M`. */
  readonly name: string;
  /** Rows of each hot stream. */
  readonly rows: number;
  /** How far the set reaches back, in microseconds. */
  readonly spanMicros: number;
  readonly folder: string;
  readonly dataDir: string;
  /** The product's store. */
  readonly storeFile: string;
  /** The flat tables for the hand-written SQL. */
  readonly flatFile: string;
  /** The hot streams as Parquet, a file for each day. */
  readonly parquetDir: string;
  /** True if they are nothing else: as lines, so many rows would not fit on most disks. */
  readonly isParquetOnly: boolean;
}

/**
 * A set of a size. Up to ten million rows all sets are equally dense and reach back 9 days per million, so that a window
 * holds the same rows whatever the size of the table; bigger ones are denser.
 */
export function dataset(dir: string, name: string): Dataset {
  const rows = rowsOf(name);
  const folder = join(dir, name);
  return {
    name,
    rows,
    spanMicros: Math.round(Math.min(rows / rowsPerDay, longestDays) * dayMicros),
    folder,
    dataDir: join(folder, 'data'),
    storeFile: join(folder, 'store', 'logs.duckdb'),
    flatFile: join(folder, 'flat.duckdb'),
    parquetDir: join(folder, 'parquet'),
    isParquetOnly: rows > 10_000_000,
  };
}

export const isSize = (name: string) => /^[1-9]\d{0,2}[kM]$/.test(name);

function rowsOf(name: string): number {
  return Number.parseInt(name, 10) * (name.endsWith('M') ? 1_000_000 : 1000);
}
