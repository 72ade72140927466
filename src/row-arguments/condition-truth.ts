import { type CellValue, compareValues } from './cell-values.ts';
import { type LikeMatcher, likeCost, likeMatcher } from './like-pattern.ts';
import type { RankedColumn } from './ranked-column.ts';
import type { Comparison, Condition } from './row-arguments.ts';

/** The three values of SQL, so that AND is the least, OR the greatest, and NOT the difference from TRUE. */
const [isFalse, isUnknown, isTrue] = [0, 1, 2] as const;

type LikeComparison = Extract<Comparison, { readonly kind: 'like' }>;
type RankComparison = Exclude<Comparison, LikeComparison>;

/** The columns that have been read. */
export type ColumnNamed = (name: string) => RankedColumn;

/** Evaluates a condition, a part of it after another. @returns the places of the rows for which it is true */
export function* rowsThatMatch(
  condition: Condition,
  column: ColumnNamed,
  rowCount: number,
): Generator<void, Uint32Array<ArrayBuffer>> {
  return placesOfTrue(yield* truthOf(condition, column, rowCount));
}

function* truthOf(condition: Condition, column: ColumnNamed, rowCount: number): Generator<void, Uint8Array> {
  switch (condition.kind) {
    case 'not': {
      const truth = yield* truthOf(condition.condition, column, rowCount);
      negate(truth);
      return truth;
    }
    case 'and':
    case 'or': {
      const isAnd = condition.kind === 'and';
      const [first, ...others] = condition.conditions;
      if (first === undefined) return new Uint8Array(rowCount).fill(isAnd ? isTrue : isFalse);
      const truth = yield* truthOf(first, column, rowCount);
      for (const one of others) {
        combine(truth, yield* truthOf(one, column, rowCount), isAnd);
      }
      return truth;
    }
    default: {
      yield;
      const { values, ranks } = column(condition.column);
      const byRank =
        condition.kind === 'like' ? yield* truthOfLike(condition, values) : truthOfRanks(condition, values);
      return truthOfRows(byRank, ranks, rowCount);
    }
  }
}

// Loops over rows are functions of their own: in a generator they take several times as long.

function placesOfTrue(truth: Uint8Array): Uint32Array<ArrayBuffer> {
  const rows = new Uint32Array(truth.length);
  let count = 0;
  for (let row = 0; row < truth.length; row += 1) {
    if (truth[row] !== isTrue) continue;
    rows[count] = row;
    count += 1;
  }
  return rows.subarray(0, count);
}

function negate(truth: Uint8Array): void {
  for (let row = 0; row < truth.length; row += 1) truth[row] = isTrue - (truth[row] as number);
}

/** Puts into `truth` what AND, or OR, gives of both. */
function combine(truth: Uint8Array, other: Uint8Array, isAnd: boolean): void {
  for (let row = 0; row < truth.length; row += 1) {
    const a = truth[row] as number;
    const b = other[row] as number;
    truth[row] = a < b === isAnd ? a : b;
  }
}

function truthOfRows(byRank: Uint8Array, ranks: Uint32Array, rowCount: number): Uint8Array {
  const truth = new Uint8Array(rowCount);
  for (let row = 0; row < rowCount; row += 1) truth[row] = byRank[ranks[row] as number] as number;
  return truth;
}

/** Characters that are compared in one step: some milliseconds. */
const stepCharacters = 1_000_000;

function* truthOfLike(
  { pattern }: LikeComparison,
  values: readonly CellValue[],
): Generator<void, Uint8Array> {
  const truth = new Uint8Array(values.length + 1);
  truth[0] = isUnknown;
  const matches = likeMatcher(pattern);
  const length = stepCharacters / likeCost(pattern);
  for (let next = 0; next < values.length; ) {
    next = matchSome(matches, values, { from: next, length, truth });
    yield;
  }
  return truth;
}

/** @returns the place of the next value */
function matchSome(
  matches: LikeMatcher,
  values: readonly CellValue[],
  { from, length, truth }: { readonly from: number; readonly length: number; readonly truth: Uint8Array },
): number {
  let at = from;
  for (let read = 0; at < values.length && read < length; at += 1) {
    const text = String(values[at]);
    truth[at + 1] = matches(text) ? isTrue : isFalse;
    // A short value takes some time, too.
    read += text.length + 20;
  }
  return at;
}

/** Of NULL, at 0, and of each distinct value, at its rank. */
function truthOfRanks(comparison: RankComparison, values: readonly CellValue[]): Uint8Array {
  const truth = new Uint8Array(values.length + 1);
  truth[0] = isUnknown;
  switch (comparison.kind) {
    case 'isNull':
      truth.fill(comparison.isNull ? isFalse : isTrue);
      truth[0] = comparison.isNull ? isTrue : isFalse;
      break;
    case 'in':
      // Nothing is in a list without values, not even NULL.
      if (comparison.values.length === 0) truth[0] = isFalse;
      for (const value of comparison.values) {
        const rank = rankFrom(values, value);
        if (values[rank - 1] !== undefined && compareValues(values[rank - 1] as CellValue, value) === 0)
          truth[rank] = isTrue;
      }
      break;
    default: {
      const from = rankFrom(values, comparison.value);
      const found = values[from - 1];
      const isFound = found !== undefined && compareValues(found, comparison.value) === 0;
      const after = isFound ? from + 1 : from;
      const fill = (first: number, end: number) => truth.fill(isTrue, first, end);
      const end = truth.length;
      if (comparison.kind === 'eq') fill(from, after);
      else if (comparison.kind === 'lt') fill(1, from);
      else if (comparison.kind === 'lte') fill(1, after);
      else if (comparison.kind === 'gt') fill(after, end);
      else if (comparison.kind === 'gte') fill(from, end);
      else {
        fill(1, from);
        fill(after, end);
      }
    }
  }
  return truth;
}

/** The rank of the first value that is not less; one more than the last rank if all are. */
function rankFrom(values: readonly CellValue[], value: CellValue): number {
  let [from, to] = [0, values.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compareValues(values[middle] as CellValue, value) < 0) from = middle + 1;
    else to = middle;
  }
  return from + 1;
}
