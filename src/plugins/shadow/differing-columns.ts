import { type HashedRows, hashesPerRow } from './hash-rows.ts';
import { rounded } from './match-floats.ts';

/** Cells that are compared in a turn of the event loop. */
const stepCells = 5_000;

/** The names of the columns in which rows of one result differ from rows of another; none if one has no rows. */
export function* differingColumns(
  a: HashedRows,
  rowsA: readonly number[],
  b: HashedRows,
  rowsB: readonly number[],
): Generator<void, readonly string[]> {
  if (rowsA.length === 0 || rowsB.length === 0) return [];
  const names = [...a.columns.exact, ...a.columns.floats];
  const columns: string[] = [];
  for (const [place, name] of names.entries())
    if (!(yield* hasSameValues(a, rowsA, b, rowsB, place))) columns.push(name);
  if (columns.length > 0) return columns;
  // Each column has the same values, but in other rows: compare row by row.
  for (const [place, name] of names.entries()) {
    yield;
    const differs = rowsA.some((row, at) => {
      const other = rowsB[at];
      return other !== undefined && cellOf(a, row, place) !== cellOf(b, other, place);
    });
    if (differs) columns.push(name);
  }
  return columns;
}

/**
 * True if a column has the same values, in any order, in rows of two results. If one has fewer rows: true if the other
 * has all of its values.
 */
function* hasSameValues(
  a: HashedRows,
  rowsA: readonly number[],
  b: HashedRows,
  rowsB: readonly number[],
  place: number,
): Generator<void, boolean> {
  const [few, many] = rowsA.length <= rowsB.length ? [rowsA, rowsB] : [rowsB, rowsA];
  const [ofFew, ofMany] = rowsA.length <= rowsB.length ? [a, b] : [b, a];
  const counts = new Map<number, number>();
  for (const [at, row] of many.entries()) {
    const cell = cellOf(ofMany, row, place);
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
    if (at % stepCells === stepCells - 1) yield;
  }
  for (const [at, row] of few.entries()) {
    const cell = cellOf(ofFew, row, place);
    const count = counts.get(cell) ?? 0;
    if (count === 0) return false;
    counts.set(cell, count - 1);
    if (at % stepCells === stepCells - 1) yield;
  }
  return true;
}

/** A number that is equal for equal cells of a column: the hash, or a floating-point number that is rounded. */
function cellOf({ columns, hashes, floats }: HashedRows, row: number, place: number): number {
  const { exact, floats: names } = columns;
  const number =
    place < exact.length ? Number.NaN : (floats[row * names.length + place - exact.length] ?? Number.NaN);
  return Number.isNaN(number) ? (hashes[row * hashesPerRow(columns) + place] ?? 0) : rounded(number);
}
