import { type HashedRows, hashesPerRow } from './hash-rows.ts';
import { matchFloats, type RowDifference, rounded } from './match-floats.ts';

/** Rows that are grouped in a turn of the event loop. */
const stepRows = 5_000;

/**
 * Compares two results as multisets of rows. If max rows has cut one of them, its other rows are unknown: as many rows of the
 * other result may be without an equal. If both are cut, as many first rows of each are compared.
 */
export function* diffRows(a: HashedRows, b: HashedRows): Generator<void, RowDifference> {
  const limit = a.truncated && b.truncated ? Math.min(a.count, b.count) : Number.POSITIVE_INFINITY;
  const first = yield* matchGroups(a, placesOf(a, limit), b, placesOf(b, limit), keyOfAll, dropEqualCount);
  // Numbers that are almost equal may have been rounded in two directions.
  const { onlyA, onlyB } =
    a.columns.floats.length === 0
      ? first
      : yield* matchGroups(a, first.onlyA, b, first.onlyB, keyOfExact, matchFloats);
  const cutFromB = a.truncated || !b.truncated ? 0 : a.count - b.count;
  const cutFromA = b.truncated || !a.truncated ? 0 : b.count - a.count;
  return { onlyA: without(onlyA, cutFromB), onlyB: without(onlyB, cutFromA) };
}

/** The places in their order, without so many of the last ones. */
const without = (places: readonly number[], count: number): readonly number[] =>
  places.toSorted(byNumber).slice(0, Math.max(0, places.length - Math.max(0, count)));

const placesOf = ({ count }: HashedRows, limit: number) => Array(Math.min(limit, count)).keys();

const byNumber = (a: number, b: number) => a - b;

/** Pairs the rows of a group, and gives those that are left. */
type MatchRows = (
  a: HashedRows,
  rowsA: readonly number[],
  b: HashedRows,
  rowsB: readonly number[],
) => Generator<void, RowDifference>;

function* matchGroups(
  a: HashedRows,
  rowsA: Iterable<number>,
  b: HashedRows,
  rowsB: Iterable<number>,
  keyOf: KeyOf,
  match: MatchRows,
): Generator<void, RowDifference> {
  const groupsA = yield* groupRows(a, rowsA, keyOf);
  const groupsB = yield* groupRows(b, rowsB, keyOf);
  const onlyA: number[] = [];
  const onlyB: number[] = [];
  let count = 0;
  for (const key of groupsA.keys()) {
    const rest = yield* match(a, groupsA.rowsOf(key), b, groupsB.rowsOf(key));
    for (const row of rest.onlyA) onlyA.push(row);
    for (const row of rest.onlyB) onlyB.push(row);
    count += 1;
    if (count % stepRows === 0) yield;
  }
  for (const key of groupsB.keys()) {
    if (!groupsA.has(key)) for (const row of groupsB.rowsOf(key)) onlyB.push(row);
    count += 1;
    if (count % stepRows === 0) yield;
  }
  return { onlyA, onlyB };
}

/** Rows with equal keys. Most groups are one row, which has no array of its own. */
interface RowGroups {
  keys(): Iterable<number>;
  has(key: number): boolean;
  rowsOf(key: number): readonly number[];
}

function* groupRows(rows: HashedRows, places: Iterable<number>, keyOf: KeyOf): Generator<void, RowGroups> {
  const last = new Map<number, number>();
  /** For each row, the previous row of its group; -1 for the first one. */
  const previous = new Int32Array(rows.count);
  let count = 0;
  for (const at of places) {
    const key = keyOf(rows, at);
    previous[at] = last.get(key) ?? -1;
    last.set(key, at);
    count += 1;
    if (count % stepRows === 0) yield;
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

/** A number of 53 bits from the cells of a row. */
type KeyOf = (rows: HashedRows, at: number) => number;

const keyOfExact: KeyOf = (rows, at) => keyOf(rows, at, false);

/** The same for rows that differ by less than the tolerance, unless a number is rounded in another direction. */
const keyOfAll: KeyOf = (rows, at) => keyOf(rows, at, true);

const float = new Float64Array(1);
const halves = new Uint32Array(float.buffer);

function keyOf({ hashes, floats, columns }: HashedRows, at: number, withFloats: boolean): number {
  const width = hashesPerRow(columns);
  let high = 0x9747b28c;
  let low = 0x811c9dc5;
  const add = (hash: number) => {
    high = Math.imul((high ^ hash) + 0x7f4a7c15, 0x85ebca6b);
    low = Math.imul(low ^ (hash >>> 5) ^ (hash << 7), 0xc2b2ae35);
    high ^= high >>> 15;
    low ^= low >>> 13;
  };
  for (let place = at * width; place < (at + 1) * width; place += 1) add(hashes[place] ?? 0);
  if (withFloats) {
    const { length } = columns.floats;
    for (let place = at * length; place < (at + 1) * length; place += 1) {
      float[0] = rounded(floats[place] ?? Number.NaN);
      add(halves[0] ?? 0);
      add(halves[1] ?? 0);
    }
  }
  return (high >>> 0) * 2 ** 21 + ((low >>> 0) & 0x1fffff);
}

// biome-ignore lint/correctness/useYield: it takes no time.
function* dropEqualCount(
  _a: HashedRows,
  rowsA: readonly number[],
  _b: HashedRows,
  rowsB: readonly number[],
): Generator<void, RowDifference> {
  const equal = Math.min(rowsA.length, rowsB.length);
  return { onlyA: rowsA.slice(equal), onlyB: rowsB.slice(equal) };
}
