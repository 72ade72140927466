import type { HashedRows } from './hash-rows.ts';

/** The places of rows that only one of two results has. */
export interface RowDifference {
  readonly onlyA: readonly number[];
  readonly onlyB: readonly number[];
}

/** Floating-point numbers may differ by this fraction of the larger one: sums depend on the order of the rows. */
const tolerance = 1e-9;

/** The most pairs of rows that are compared with each other; if there are more, the rows count as different. */
const maxPairs = 1_000_000;

/** Pairs of rows that are compared, and rows that are sorted, in a turn of the event loop. */
const stepPairs = 50_000;
const stepRows = 5_000;

/** So that round numbers are not at a border of those for which `rounded` is equal. */
const offset = Math.E / 3;

const float = new Float64Array(1);
const halves = new Uint32Array(float.buffer);

/**
 * A number that is equal for numbers that are almost equal, except at a border. Numbers for which it is equal are within the
 * tolerance: of the 52 bits of the fraction, 30 are kept.
 */
export function rounded(number: number): number {
  // The sum with 0 is not -0.
  float[0] = number * offset + 0;
  halves[0] = (halves[0] ?? 0) & ~0x3fffff;
  return float[0] ?? 0;
}

/** Pairs rows whose other columns are equal with rows whose floating-point numbers are close. @returns those that are left */
export function* matchFloats(
  a: HashedRows,
  rowsA: readonly number[],
  b: HashedRows,
  rowsB: readonly number[],
): Generator<void, RowDifference> {
  if (rowsA.length === 0 || rowsB.length === 0) return { onlyA: rowsA, onlyB: rowsB };
  const sortedA = yield* sortRows(a, rowsA);
  const sortedB = yield* sortRows(b, rowsB);
  const restA: number[] = [];
  const restB: number[] = [];
  let [i, j] = [0, 0];
  for (;;) {
    const [rowA, rowB] = [sortedA[i], sortedB[j]];
    if (rowA === undefined && rowB === undefined) break;
    const isPair = rowA !== undefined && rowB !== undefined && isClose(a, rowA, b, rowB);
    const isNextA = rowB === undefined || (rowA !== undefined && compareFloats(a, rowA, b, rowB) < 0);
    if (!isPair && isNextA && rowA !== undefined) restA.push(rowA);
    if (!isPair && !isNextA && rowB !== undefined) restB.push(rowB);
    if (isPair || isNextA) i += 1;
    if (isPair || !isNextA) j += 1;
    if ((i + j) % stepRows === 0) yield;
  }
  return yield* matchEach(a, restA, b, restB);
}

/** In parts that are merged, so that no turn of the event loop is long. */
function* sortRows(rows: HashedRows, places: readonly number[]): Generator<void, readonly number[]> {
  const order = (x: number, y: number) => compareFloats(rows, x, rows, y);
  if (places.length <= stepRows) return places.toSorted(order);
  const middle = places.length >>> 1;
  const left = yield* sortRows(rows, places.slice(0, middle));
  const right = yield* sortRows(rows, places.slice(middle));
  yield;
  const merged: number[] = [];
  let [i, j] = [0, 0];
  for (;;) {
    const [one, other] = [left[i], right[j]];
    if (one === undefined && other === undefined) return merged;
    if (other === undefined || (one !== undefined && order(one, other) <= 0)) {
      merged.push(one ?? 0);
      i += 1;
    } else {
      merged.push(other);
      j += 1;
    }
    if (merged.length % stepRows === 0) yield;
  }
}

/** Rows that were sorted in another order because their first numbers differ a little. */
function* matchEach(
  a: HashedRows,
  rowsA: readonly number[],
  b: HashedRows,
  rowsB: readonly number[],
): Generator<void, RowDifference> {
  if (rowsA.length * rowsB.length > maxPairs) return { onlyA: rowsA, onlyB: rowsB };
  const onlyA: number[] = [];
  const onlyB = [...rowsB];
  let pairs = 0;
  for (const row of rowsA) {
    const found = onlyB.findIndex((other) => isClose(a, row, b, other));
    if (found >= 0) onlyB.splice(found, 1);
    else onlyA.push(row);
    pairs += rowsB.length;
    if (pairs < stepPairs) continue;
    pairs = 0;
    yield;
  }
  return { onlyA, onlyB };
}

function compareFloats(a: HashedRows, rowA: number, b: HashedRows, rowB: number): number {
  const width = a.columns.floats.length;
  for (let place = 0; place < width; place += 1) {
    const x = a.floats[rowA * width + place] ?? Number.NaN;
    const y = b.floats[rowB * width + place] ?? Number.NaN;
    if (x !== y && !(Number.isNaN(x) && Number.isNaN(y))) return x < y ? -1 : 1;
  }
  return 0;
}

function isClose(a: HashedRows, rowA: number, b: HashedRows, rowB: number): boolean {
  const width = a.columns.floats.length;
  for (let place = 0; place < width; place += 1) {
    const x = a.floats[rowA * width + place] ?? Number.NaN;
    const y = b.floats[rowB * width + place] ?? Number.NaN;
    if (!areClose(x, y)) return false;
  }
  return true;
}

/** A cell that is not a finite number is NaN here; its hash says what it is, and the hashes are equal. */
const areClose = (x: number, y: number): boolean =>
  x === y ||
  (Number.isNaN(x) && Number.isNaN(y)) ||
  Math.abs(x - y) <= tolerance * Math.max(Math.abs(x), Math.abs(y));
