import { expect } from 'vitest';
import type { Row } from './studio/server-route.ts';

/** The rows that a statement may return, and which of them it returns. */
export interface Expected {
  readonly rows: readonly Row[];
  /** The column that orders the rows; rows that are equal in it may swap. Without it the order is that of `rows`. */
  readonly by?: readonly [column: string, direction: 'asc' | 'desc'];
  /** True if the statement gives no order. */
  readonly unordered?: boolean;
  readonly limit?: number;
}

/** @throws AssertionError if the rows are not those that are expected, or are in another order */
export function expectRows(
  actual: readonly Row[],
  { rows, by, unordered = false, limit = Infinity }: Expected,
): void {
  const [got, all] = [actual.map(comparable), rows.map(comparable)];
  if (by === undefined && !unordered) {
    expect(got).toEqual(all);
    return;
  }
  expect(got).toHaveLength(Math.min(limit, all.length));
  const left = new Map<string, number>();
  for (const row of all) left.set(keyOf(row), (left.get(keyOf(row)) ?? 0) + 1);
  for (const row of got) {
    const count = left.get(keyOf(row)) ?? 0;
    if (count === 0) expect(all).toContainEqual(row);
    left.set(keyOf(row), count - 1);
  }
  if (by === undefined) return;
  const [column, direction] = by;
  const sorted = all.map((row) => row[column]).sort(ascending);
  if (direction === 'desc') sorted.reverse();
  expect(got.map((row) => row[column])).toEqual(sorted.slice(0, got.length));
}

/** Without NULLs and empty records, which REST leaves out or writes as `[]`; sums of floats may differ in the last digits. */
function comparable(row: Row): Row {
  return plain(row) as Row;
}

function plain(value: unknown): unknown {
  // Integers that JSON numbers cannot hold are texts for callers' SQL; the emulator has rounded them.
  if (typeof value === 'string' && /^-?\d{16,19}$/.test(value)) return plain(Number(value));
  if (typeof value === 'number') return Number(value.toPrecision(14));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== null && !(Array.isArray(field) && field.length === 0))
    .map(([name, field]) => [name, plain(field)] as const);
  return Object.fromEntries(fields.sort(([a], [b]) => ascending(a, b)));
}

const keyOf = (row: Row) => JSON.stringify(row);

const ascending = (a: unknown, b: unknown) => {
  if (a === b) return 0;
  return (a as string) < (b as string) ? -1 : 1;
};
