import type { OrderKey } from '../catalog/model/saved-query.ts';
import { type ColumnNamed, rowsThatMatch } from './condition-truth.ts';
import type { RankedColumn } from './ranked-column.ts';
import type { RowArguments } from './row-arguments.ts';

/** The places of the rows that the arguments keep, in their order. In steps of some milliseconds at most. */
export function* selectRows(
  { where, orderBy, offset, first }: RowArguments,
  column: ColumnNamed,
  rowCount: number,
): Generator<void, Uint32Array<ArrayBuffer>> {
  let rows = where === undefined ? allRows(rowCount) : yield* rowsThatMatch(where, column, rowCount);
  // The last key first: each sort keeps the order of rows that are equal by its key.
  for (const key of orderBy.toReversed()) {
    yield;
    rows = sortRows(rows, key, column(key.column));
  }
  return rows.slice(offset, first === undefined ? undefined : offset + first);
}

function allRows(rowCount: number): Uint32Array<ArrayBuffer> {
  const rows = new Uint32Array(rowCount);
  for (let row = 0; row < rowCount; row += 1) rows[row] = row;
  return rows;
}

/** Counts how many rows have each rank, and puts each row where those before it end. */
function sortRows(
  rows: Uint32Array<ArrayBuffer>,
  { descending, nullsFirst }: OrderKey,
  { values, ranks }: RankedColumn,
): Uint32Array<ArrayBuffer> {
  const last = values.length + 1;
  const placeOf = (rank: number) => {
    if (rank === 0) return nullsFirst ? 0 : last;
    return descending ? last - rank : rank;
  };
  const starts = new Uint32Array(last + 2);
  for (let at = 0; at < rows.length; at += 1) {
    const after = placeOf(ranks[rows[at] as number] as number) + 1;
    starts[after] = (starts[after] as number) + 1;
  }
  for (let place = 1; place < starts.length; place += 1) {
    starts[place] = (starts[place] as number) + (starts[place - 1] as number);
  }
  const sorted = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number;
    const place = placeOf(ranks[row] as number);
    const to = starts[place] as number;
    sorted[to] = row;
    starts[place] = to + 1;
  }
  return sorted;
}
