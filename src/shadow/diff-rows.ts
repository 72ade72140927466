import { type HashedRows, hashesPerRow } from './hash-rows.ts';

/** The places of rows that only one of two results has. */
export interface RowDifference {
  readonly onlyA: readonly number[];
  readonly onlyB: readonly number[];
}

/** Floating-point numbers may differ by this fraction of the larger one: sums depend on the order of the rows. */
const tolerance = 1e-9;

/** The most pairs of rows that are compared with each other; if there are more, the rows count as different. */
const maxPairs = 1_000_000;

/** Rows that are grouped in a turn of the event loop. */
const stepRows = 5_000;

/**
 * Compares two results as multisets of rows. If max rows has cut one of them, its other rows are unknown: only as many rows of
 * the other result are compared.
 */
export function* diffRows(a: HashedRows, b: HashedRows): Generator<void, RowDifference> {
  const limit = Math.min(
    a.truncated ? a.count : Number.POSITIVE_INFINITY,
    b.truncated ? b.count : Number.POSITIVE_INFINITY,
  );
  const groupsA = yield* groupRows(a, Math.min(limit, a.count));
  const groupsB = yield* groupRows(b, Math.min(limit, b.count));
  const match = a.columns.floats.length === 0 ? dropEqualCount : matchFloats;
  const onlyA: number[] = [];
  const onlyB: number[] = [];
  let count = 0;
  for (const key of groupsA.keys()) {
    const rest = match(a, groupsA.rowsOf(key), b, groupsB.rowsOf(key));
    for (const row of rest.onlyA) onlyA.push(row);
    for (const row of rest.onlyB) onlyB.push(row);
    count += 1;
    if (count % stepRows === 0) yield;
  }
  for (const key of groupsB.keys()) {
    if (!groupsA.has(key)) for (const row of groupsB.rowsOf(key)) onlyB.push(row);
  }
  return { onlyA: onlyA.sort(byNumber), onlyB: onlyB.sort(byNumber) };
}

/** Rows with equal hashes. Most groups are one row, which has no array of its own. */
interface RowGroups {
  keys(): Iterable<number>;
  has(key: number): boolean;
  rowsOf(key: number): readonly number[];
}

function* groupRows(rows: HashedRows, count: number): Generator<void, RowGroups> {
  const last = new Map<number, number>();
  /** For each row, the previous row of its group; -1 for the first one. */
  const previous = new Int32Array(count);
  for (let at = 0; at < count; at += 1) {
    const key = keyOf(rows, at);
    previous[at] = last.get(key) ?? -1;
    last.set(key, at);
    if (at % stepRows === stepRows - 1) yield;
  }
  return {
    keys: () => last.keys(),
    has: (key) => last.has(key),
    rowsOf(key) {
      const found: number[] = [];
      for (let at = last.get(key) ?? -1; at >= 0; at = previous[at] ?? -1) found.push(at);
      return found.reverse();
    },
  };
}

const byNumber = (a: number, b: number) => a - b;

/** A number of 53 bits from all hashes of a row. */
function keyOf({ hashes, columns }: HashedRows, at: number): number {
  const width = hashesPerRow(columns);
  let high = 0x9747b28c;
  let low = 0x811c9dc5;
  for (let place = at * width; place < (at + 1) * width; place += 1) {
    const hash = hashes[place] ?? 0;
    high = Math.imul((high ^ hash) + 0x7f4a7c15, 0x85ebca6b);
    low = Math.imul(low ^ (hash >>> 5) ^ (hash << 7), 0xc2b2ae35);
    high ^= high >>> 15;
    low ^= low >>> 13;
  }
  return (high >>> 0) * 2 ** 21 + ((low >>> 0) & 0x1fffff);
}

type MatchRows = (
  a: HashedRows,
  rowsA: readonly number[],
  b: HashedRows,
  rowsB: readonly number[],
) => RowDifference;

const dropEqualCount: MatchRows = (_a, rowsA, _b, rowsB) => {
  const equal = Math.min(rowsA.length, rowsB.length);
  return { onlyA: rowsA.slice(equal), onlyB: rowsB.slice(equal) };
};

/** Rows whose other columns are equal: each is paired with one whose floating-point numbers are close. */
const matchFloats: MatchRows = (a, rowsA, b, rowsB) => {
  const sortedA = rowsA.toSorted((x, y) => compareFloats(a, x, a, y));
  const sortedB = rowsB.toSorted((x, y) => compareFloats(b, x, b, y));
  const restA: number[] = [];
  const restB: number[] = [];
  let [i, j] = [0, 0];
  for (;;) {
    const [rowA, rowB] = [sortedA[i], sortedB[j]];
    if (rowA === undefined || rowB === undefined) break;
    if (isClose(a, rowA, b, rowB)) {
      i += 1;
      j += 1;
    } else if (compareFloats(a, rowA, b, rowB) < 0) {
      restA.push(rowA);
      i += 1;
    } else {
      restB.push(rowB);
      j += 1;
    }
  }
  restA.push(...sortedA.slice(i));
  restB.push(...sortedB.slice(j));
  return matchEach(a, restA, b, restB);
};

/** Rows that were sorted in another order because their first numbers differ a little. */
const matchEach: MatchRows = (a, rowsA, b, rowsB) => {
  if (rowsA.length * rowsB.length > maxPairs) return { onlyA: rowsA, onlyB: rowsB };
  const onlyB = [...rowsB];
  const onlyA = rowsA.filter((row) => {
    const found = onlyB.findIndex((other) => isClose(a, row, b, other));
    if (found >= 0) onlyB.splice(found, 1);
    return found < 0;
  });
  return { onlyA, onlyB };
};

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

/** The names of the columns in which rows of one result differ from rows of another; none if one has no rows. */
export function differingColumns(
  a: HashedRows,
  rowsA: readonly number[],
  b: HashedRows,
  rowsB: readonly number[],
): readonly string[] {
  if (rowsA.length === 0 || rowsB.length === 0) return [];
  const names = [...a.columns.exact, ...a.columns.floats];
  const columns = names.filter((_, place) => !hasSameValues(a, rowsA, b, rowsB, place));
  if (columns.length > 0) return columns;
  // Each column has the same values, but in other rows: compare row by row.
  return names.filter((_, place) =>
    rowsA.some((row, at) => {
      const other = rowsB[at];
      return other !== undefined && !isSameCell(a, row, b, other, place);
    }),
  );
}

/** Whether a column has the same values, in any order, in rows of two results; if one has fewer rows, whether the other has all of its values. */
function hasSameValues(
  a: HashedRows,
  rowsA: readonly number[],
  b: HashedRows,
  rowsB: readonly number[],
  place: number,
): boolean {
  const [few, many] = rowsA.length <= rowsB.length ? [rowsA, rowsB] : [rowsB, rowsA];
  const [ofFew, ofMany] = rowsA.length <= rowsB.length ? [a, b] : [b, a];
  const counts = new Map<string, number>();
  for (const row of many) {
    const cell = cellText(ofMany, row, place);
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
  }
  return few.every((row) => {
    const cell = cellText(ofFew, row, place);
    const count = counts.get(cell) ?? 0;
    counts.set(cell, count - 1);
    return count > 0;
  });
}

/** A text that is equal for equal cells of a column: the hash, with nine digits of a floating-point number. */
function cellText({ columns, hashes, floats }: HashedRows, row: number, place: number): string {
  const hash = hashes[row * hashesPerRow(columns) + place] ?? 0;
  if (place < columns.exact.length) return String(hash);
  const number = floats[row * columns.floats.length + place - columns.exact.length] ?? Number.NaN;
  return `${hash} ${number.toPrecision(9)}`;
}

const isSameCell = (a: HashedRows, rowA: number, b: HashedRows, rowB: number, place: number): boolean =>
  cellText(a, rowA, place) === cellText(b, rowB, place);
