import { splitObject } from '@querygate/text';
import { type CellWriter, csvCell } from './cells.ts';
import { RowCursor } from './row-cursor.ts';
import { linesNotice, rowLines } from './row-lines.ts';

/** The size that an answer may have. A model cannot change it. */
export interface AnswerLimits {
  readonly maxRows: number;
  /** Of the text of an answer, and of its structured rows. */
  readonly maxBytes: number;
}

/** The first rows of a result, as many as an answer may have. */
export interface CutRows {
  /** With a line of names: CSV. */
  readonly text: string;
  /** Explains the names, if there are records. */
  readonly notice: string | undefined;
  /** The same rows as a JSON array. */
  readonly json: string;
  readonly count: number;
  /** Where the last one of them ends in the document; 0 without rows. */
  readonly end: number;
}

/** Bytes of a document that are read in one step: less than a millisecond of work. */
const stepBytes = 64 * 1024;

/** A byte of text may have come as an escape, as in `\\u0041`. */
const longestEscape = 6;

/**
 * Takes rows until one of them would exceed a limit, in steps of some milliseconds; rows are never cut in two. One that is far
 * too long is not even read to its end.
 *
 * @param from which row comes first, from 0
 */
export function* cutRows(
  { identity }: { readonly identity: Buffer },
  writers: readonly CellWriter[],
  { maxRows, maxBytes }: AnswerLimits,
  from = 0,
): Generator<undefined, CutRows> {
  const names = writers.map(({ name }) => name);
  const places = new Map(names.map((name, place) => [name, place]));
  const isNested = writers.some((writer) => writer.isNested);
  const lines = isNested ? [] : [`${names.map(csvCell).join(',')}\n`];
  const maxRowBytes = longestEscape * (maxBytes + JSON.stringify(names).length);
  /** The cells of rows that are written when all are known. */
  const nested: (readonly (string | undefined)[])[] = [];
  const objects: string[] = [];
  const ends: number[] = [];
  let textBytes = Buffer.byteLength(lines[0] ?? '');
  // The brackets, and a comma for each row.
  let jsonBytes = 2;
  let at = 0;
  let readBytes = 0;
  const rows = new RowCursor(identity);
  while (!rows.hasEnded) {
    if (!rows.next(stepBytes)) {
      if (at >= from && rows.unfinishedBytes > maxRowBytes) break;
      yield undefined;
      continue;
    }
    at += 1;
    if (rows.end - readBytes > stepBytes) {
      readBytes = rows.end;
      yield undefined;
    }
    if (at <= from) continue;
    if (objects.length === maxRows) break;
    const row = splitObject(identity.toString('utf8', rows.start, rows.end), places, names.length);
    const cells = yield* jsonCells(writers, row, maxBytes);
    if (cells === undefined) break;
    const line = isNested ? '' : csvLine(writers, row);
    const object = `{${members(names, cells)}}`;
    textBytes += Buffer.byteLength(line);
    jsonBytes += Buffer.byteLength(object) + 1;
    if (textBytes > maxBytes || jsonBytes > maxBytes) break;
    if (isNested) nested.push(row.map((cell, at) => (writers[at]?.isNested ? cells[at] : cell)));
    else lines.push(line);
    objects.push(object);
    ends.push(rows.end);
  }
  const taken = (count: number) => ({
    json: `[${objects.slice(0, count).join(',')}]`,
    count,
    end: ends[count - 1] ?? 0,
  });
  if (!isNested) return { text: lines.join(''), notice: undefined, ...taken(objects.length) };
  let { length: count } = objects;
  for (;;) {
    const { names: first, lines: rest } = yield* rowLines(writers, nested.slice(0, count));
    const text = `${[first, ...rest].join('\n')}\n`;
    // Cells of a few rows may take more than they spare.
    if (count === 0 || Buffer.byteLength(text) <= maxBytes)
      return { text, notice: linesNotice(first), ...taken(count) };
    count = Math.floor(count * 0.9);
    yield undefined;
  }
}

const csvLine = (writers: readonly CellWriter[], row: readonly (string | undefined)[]): string =>
  `${writers.map((writer, place) => csvCell(writer.text(row[place]))).join(',')}\n`;

/** @returns undefined if one of them is longer than so many bytes */
function* jsonCells(
  writers: readonly CellWriter[],
  row: readonly (string | undefined)[],
  maxBytes: number,
): Generator<undefined, readonly (string | undefined)[] | undefined> {
  const cells: (string | undefined)[] = [];
  for (const [place, writer] of writers.entries()) {
    const cell = row[place];
    const json = cell === undefined ? undefined : yield* writer.json(cell, maxBytes);
    if (cell !== undefined && json === undefined) return undefined;
    cells.push(json);
  }
  return cells;
}

const members = (names: readonly string[], cells: readonly (string | undefined)[]): string =>
  cells
    .flatMap((cell, place) => (cell === undefined ? [] : [`${JSON.stringify(names[place])}:${cell}`]))
    .join(',');
