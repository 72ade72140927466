import { join } from 'node:path';

/** The moment that all questions are asked at. */
export const now = new Date('2026-11-20T18:20:30.250Z');

/** The streams that the shipped queries scan; they hold the rows that a set is named for. */
export const hotTables = ['edge_logs', 'function_edge_logs'] as const;
export type HotTable = (typeof hotTables)[number];

/** The other streams hold so many rows, whatever the set. */
export const rowsElsewhere = 5000;

export const dayMicros = 86_400_000_000;
const longestDays = 90;
const rowsPerDay = 10_000_000 / longestDays;

/** Made-up logs of one size, and where everything made of them stands. */
export interface Dataset {
  /** As it was asked for: `1M`. */
  readonly name: string;
  /** Rows of each hot stream. */
  readonly rows: number;
  /** Microseconds that the set reaches back. */
  readonly spanMicros: number;
  readonly folder: string;
  readonly dataDir: string;
  /** The product's own. */
  readonly storeFile: string;
  /** The hand-made flat tables. */
  readonly flatFile: string;
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
  };
}

export const isSize = (name: string) => /^[1-9]\d{0,2}[kM]$/.test(name);

function rowsOf(name: string): number {
  return Number.parseInt(name, 10) * (name.endsWith('M') ? 1_000_000 : 1000);
}
