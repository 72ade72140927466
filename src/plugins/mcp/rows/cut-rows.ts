import { splitRows } from '../../../formats/cell-texts.ts';
import type { Rows } from '../../../formats/rows.ts';
import { rowTexts } from '../../../engine/rows-document.ts';
import { type CellWriter, csvCell } from './cells.ts';
import { linesNotice, rowLines } from './row-lines.ts';

/** What an answer may have. A model cannot change it. */
export interface AnswerLimits {
  readonly maxRows: number;
  /** Of the text of an answer, and of its structured rows. */
  readonly maxBytes: number;
}

/** The first rows of a result, as many as an answer may have. */
export interface CutRows {
  /** With a line of names: CSV. */
  readonly text: string;
  /** What the names mean, if there are records. */
  readonly notice: string | undefined;
  /** The same rows as a JSON array. */
  readonly json: string;
  readonly count: number;
}

/** Bytes of a document that are split at once. */
const partBytes = 32 * 1024;

/**
 * Takes rows until one of them would exceed a limit, in steps of less than a millisecond; rows are never cut in two.
 *
 * @param from which row comes first, from 0
 */
export function* cutRows(
  { identity }: Pick<Rows, 'identity'>,
  writers: readonly CellWriter[],
  { maxRows, maxBytes }: AnswerLimits,
  from = 0,
): Generator<undefined, CutRows> {
  const names = writers.map(({ name }) => name);
  const isNested = writers.some((writer) => writer.isNested);
  const lines = isNested ? [] : [`${names.map(csvCell).join(',')}\n`];
  /** The cells of rows that are written when all are known. */
  const nested: (readonly (string | undefined)[])[] = [];
  const objects: string[] = [];
  let textBytes = Buffer.byteLength(lines[0] ?? '');
  // The brackets, and a comma for each row.
  let jsonBytes = 2;
  let at = 0;
  const cut = (): CutRows => {
    if (!isNested) return { text: lines.join(''), notice: undefined, ...jsonOf(objects) };
    let { length: count } = objects;
    for (;;) {
      const { names: first, lines: rest } = rowLines(writers, nested.slice(0, count));
      const text = `${[first, ...rest].join('\n')}\n`;
      // Names that few rows have may take more than they spare.
      if (count === 0 || Buffer.byteLength(text) <= maxBytes)
        return { text, notice: linesNotice(first), ...jsonOf(objects.slice(0, count)) };
      count = Math.floor(count * 0.9);
    }
  };
  for (const part of rowTexts(identity, partBytes)) {
    for (const row of splitRows(part, names)) {
      at += 1;
      if (at <= from) continue;
      if (objects.length === maxRows) return cut();
      const cells = writers.map((writer, place) => jsonCell(writer, row[place]));
      const line = isNested ? '' : csvLine(writers, row);
      const object = `{${members(names, cells)}}`;
      textBytes += Buffer.byteLength(line);
      jsonBytes += Buffer.byteLength(object) + 1;
      if (textBytes > maxBytes || jsonBytes > maxBytes) return cut();
      if (isNested) nested.push(row.map((cell, at) => (writers[at]?.isNested ? cells[at] : cell)));
      else lines.push(line);
      objects.push(object);
    }
    yield undefined;
  }
  return cut();
}

const jsonOf = (objects: readonly string[]) => ({
  json: `[${objects.join(',')}]`,
  count: objects.length,
});

const csvLine = (writers: readonly CellWriter[], row: readonly (string | undefined)[]): string =>
  `${writers.map((writer, place) => csvCell(writer.text(row[place]))).join(',')}\n`;

const jsonCell = (writer: CellWriter, cell: string | undefined): string | undefined =>
  cell === undefined ? undefined : writer.json(cell);

const members = (names: readonly string[], cells: readonly (string | undefined)[]): string =>
  cells
    .flatMap((cell, place) => (cell === undefined ? [] : [`${JSON.stringify(names[place])}:${cell}`]))
    .join(',');
