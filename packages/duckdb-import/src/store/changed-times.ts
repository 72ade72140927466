import { randomUUID } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quote } from '@querygate/bigquery-sql/types';
import { boundsOf } from './files/may-have-rows.ts';
import type { PlacedFile } from './files/placed-file.ts';
import { readRows } from './statements.ts';
import { isOfFiles, type TableInStore } from './table-in-store.ts';

/** From `from` on, before `until`, in microseconds since the epoch. */
export interface TimeRange {
  readonly from: number;
  readonly until: number;
}

/** A table, and its column of time. */
interface TimedTable {
  readonly name: string;
  readonly time: string;
}

/** Of which times rows were added or removed; undefined: perhaps of any. */
export type Changed = readonly TimeRange[] | undefined;

const hourMicros = 3_600_000_000;

/** The hours of a table that are known apart. */
const maxHours = 20_000;

/** The state of the rows when a table has changed last: at all, in an hour, and before a time. */
interface TableChanges {
  anywhere: number;
  readonly hours: Map<number, number>;
  before: { readonly until: number; readonly count: number };
}

/**
 * Of which hours the rows of tables have changed, since when. It belongs to a process: the state of another one is not known.
 */
export class ChangedTimes {
  readonly #id = randomUUID();
  readonly #tables = new Map<string, TableChanges>();
  #count = 0;

  /** Names the rows as they are now, or as they were shortly before. */
  get state(): string {
    return `${this.#id} ${this.#count}`;
  }

  /** Notes that the rows of a table have changed, once statements see them. */
  record(table: string, changed: Changed): void {
    if (changed?.length === 0) return;
    this.#count += 1;
    const changes = this.#tables.get(table) ?? {
      anywhere: 0,
      hours: new Map(),
      before: { until: Number.NEGATIVE_INFINITY, count: 0 },
    };
    this.#tables.set(table, changes);
    for (const range of changed ?? [{ from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }])
      this.#recordRange(changes, range);
  }

  #recordRange(changes: TableChanges, { from, until }: TimeRange): void {
    const [first, last] = [Math.floor(from / hourMicros), Math.ceil(until / hourMicros)];
    if (last - first + changes.hours.size <= maxHours) {
      for (let hour = first; hour < last; hour += 1) changes.hours.set(hour, this.#count);
    } else if (from === Number.NEGATIVE_INFINITY && Number.isFinite(until)) {
      changes.before = { until: Math.max(until, changes.before.until), count: this.#count };
    } else {
      changes.anywhere = this.#count;
      changes.hours.clear();
    }
  }

  /**
   * The times of the rows of some tables that have changed since a state.
   *
   * @param timeOf the columns of time of the tables as they are
   * @returns undefined if they are not known
   */
  since(
    state: string,
    tables: readonly TimedTable[],
    timeOf: (table: string) => string | undefined,
  ): readonly TimeRange[] | undefined {
    const [id, text] = state.split(' ');
    const count = Number(text);
    if (id !== this.#id || !Number.isInteger(count)) return undefined;
    const ranges: TimeRange[] = [];
    for (const { name, time } of tables) {
      const changes = this.#tables.get(name);
      if (timeOf(name)?.toLowerCase() !== time.toLowerCase() || (changes?.anywhere ?? 0) > count)
        return undefined;
      if (changes === undefined) continue;
      const { before, hours } = changes;
      if (before.count > count) ranges.push({ from: Number.NEGATIVE_INFINITY, until: before.until });
      for (const [hour, changedAt] of hours)
        if (changedAt > count) ranges.push({ from: hour * hourMicros, until: (hour + 1) * hourMicros });
    }
    return merge(ranges);
  }
}

function merge(ranges: readonly TimeRange[]): readonly TimeRange[] {
  const merged: TimeRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last === undefined || range.from > last.until) merged.push(range);
    else merged[merged.length - 1] = { from: last.from, until: Math.max(last.until, range.until) };
  }
  return merged;
}

/** Where DuckDB numbers the rows that a transaction has added. */
const firstOwnRow = 36_028_797_018_960_000n;

/** The hours of the rows that a transaction has added to a table. */
export const addedTimes = (
  connection: DuckDBConnection,
  table: TableInStore,
  rows: number,
): Promise<Changed> => timesWhere(connection, table, `rowid >= ${firstOwnRow}`, rows);

/** The hours of the rows of files. */
export const timesOfFiles = (
  connection: DuckDBConnection,
  table: TableInStore,
  files: ReadonlySet<number>,
): Promise<Changed> => timesWhere(connection, table, isOfFiles(files), files.size === 0 ? 0 : undefined);

/** The times of the rows of files that are read where they are. */
export function timesOfPlaced(files: readonly PlacedFile[], time: string | undefined): Changed {
  const bounds = files.map((file) => (time === undefined ? undefined : boundsOf(file, time)));
  const known = bounds.filter((of) => of !== undefined);
  if (known.length < bounds.length) return undefined;
  return known.map(([least, greatest]) => ({ from: Number(least), until: Number(greatest) + 1 }));
}

/** @param expected how many rows there must be, if it is known */
async function timesWhere(
  connection: DuckDBConnection,
  { rows, time }: TableInStore,
  where: string,
  expected?: number,
): Promise<Changed> {
  if (expected === 0) return [];
  if (time === undefined) return undefined;
  const found = await readRows(
    connection,
    `SELECT floor(epoch_us(${quote(time)}) / ${hourMicros})::DOUBLE AS hour,
    count(*)::DOUBLE FROM ${rows} WHERE ${where} GROUP BY hour`,
  );
  const hours = found.map(([hour, count]) => [hour, Number(count)] as const);
  const counted = hours.reduce((sum, [, count]) => sum + count, 0);
  if ((expected ?? counted) !== counted || hours.some(([hour]) => hour === null)) return undefined;
  return hours.map(([hour]) => ({ from: Number(hour) * hourMicros, until: (Number(hour) + 1) * hourMicros }));
}
