import { readBytes } from '@querygate/bigquery-sql/command';
import { maxLineBytes } from './read-text.ts';

const newline = 10;
const carriageReturn = 13;
const space = 32;
const quoteMark = 34;
const comma = 44;

/** A row of a CSV file that is longer than a line may be. */
export interface LongRow {
  /** Number of the line on which it begins, from 1. */
  readonly line: number;
  readonly start: number;
  /** Before its line end. */
  readonly end: number;
}

/** Finds the rows that are too long. After a quote that is not closed, the rest of the file is one row. */
export async function findLongRows(path: string): Promise<readonly LongRow[]> {
  const rows: LongRow[] = [];
  const row = { line: 1, start: 0 };
  let cell: 'start' | 'unquoted' | 'quoted' = 'start';
  let line = 1;
  let offset = 0;
  let last = 0;
  const endRow = (end: number) => {
    if (end - row.start > maxLineBytes) rows.push({ ...row, end });
  };
  for await (const chunk of readBytes(path)) {
    for (const byte of chunk) {
      if (byte === newline) line += 1;
      if (cell === 'quoted') {
        // As if the cell began again: two quotes stand for one, and DuckDB accepts spaces before and after quotes.
        if (byte === quoteMark) cell = 'start';
      } else if (byte === newline) {
        endRow(last === carriageReturn ? offset - 1 : offset);
        row.line = line;
        row.start = offset + 1;
        cell = 'start';
      } else if (byte === comma) cell = 'start';
      else if (byte === quoteMark && cell === 'start') cell = 'quoted';
      else if (byte !== space) cell = 'unquoted';
      last = byte;
      offset += 1;
    }
  }
  endRow(offset);
  return rows;
}

/** The bytes of a file without some rows; their line ends are kept, and so the other rows keep their numbers. */
export async function* bytesWithoutRows(path: string, rows: readonly LongRow[]): AsyncGenerator<Buffer> {
  let from = 0;
  for (const { start, end } of rows) {
    yield* readBytes(path, from, start);
    from = end;
  }
  yield* readBytes(path, from);
}
