import { type CellValue, compareValues } from './cell-values.ts';
import { matchesLike } from './like-pattern.ts';
import type { RankedColumn } from './ranked-column.ts';
import type { Comparison, Condition } from './row-arguments.ts';

/** The three values of SQL, so that AND is the least, OR the greatest, and NOT the difference from TRUE. */
const [isFalse, isUnknown, isTrue] = [0, 1, 2] as const;

/** The columns that have been read. */
export type ColumnNamed = (name: string) => RankedColumn;

/** Evaluates a condition, a part of it after another. @returns of each row whether it is true */
export function* rowsThatMatch(
  condition: Condition,
  column: ColumnNamed,
  rowCount: number,
): Generator<void, (row: number) => boolean> {
  const truth = yield* truthOf(condition, column, rowCount);
  return (row) => truth[row] === isTrue;
}

function* truthOf(condition: Condition, column: ColumnNamed, rowCount: number): Generator<void, Uint8Array> {
  switch (condition.kind) {
    case 'not': {
      const truth = yield* truthOf(condition.condition, column, rowCount);
      for (let row = 0; row < rowCount; row += 1) truth[row] = isTrue - (truth[row] as number);
      return truth;
    }
    case 'and':
    case 'or': {
      const isAnd = condition.kind === 'and';
      const [first, ...others] = condition.conditions;
      if (first === undefined) return new Uint8Array(rowCount).fill(isAnd ? isTrue : isFalse);
      const truth = yield* truthOf(first, column, rowCount);
      for (const one of others) {
        const other = yield* truthOf(one, column, rowCount);
        for (let row = 0; row < rowCount; row += 1) {
          const [a, b] = [truth[row] as number, other[row] as number];
          truth[row] = a < b === isAnd ? a : b;
        }
      }
      return truth;
    }
    default: {
      yield;
      const { values, ranks } = column(condition.column);
      const byRank = truthOfRanks(condition, values);
      const truth = new Uint8Array(rowCount);
      for (let row = 0; row < rowCount; row += 1) truth[row] = byRank[ranks[row] as number] as number;
      return truth;
    }
  }
}

/** Of NULL, at 0, and of each distinct value, at its rank. */
function truthOfRanks(comparison: Comparison, values: readonly CellValue[]): Uint8Array {
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
    case 'like':
      for (const [at, value] of values.entries())
        truth[at + 1] = matchesLike(comparison.pattern, String(value)) ? isTrue : isFalse;
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
