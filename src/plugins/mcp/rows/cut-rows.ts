import { splitRows } from '../../../formats/cell-texts.ts';
import type { Rows } from '../../../formats/rows.ts';
import { rowTexts } from '../../../engine/rows-document.ts';
import { type CellWriter, csvCell } from './cells.ts';

/** What an answer may have. A model cannot change it. */
export interface AnswerLimits {
  readonly maxRows: number;
  /** Of the text of an answer, and of its structured rows. */
  readonly maxBytes: number;
}

/** The first rows of a result, as many as an answer may have. */
export interface CutRows {
  /** With a line of names. */
  readonly csv: string;
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
  const lines = [`${names.map(csvCell).join(',')}\n`];
  const objects: string[] = [];
  let textBytes = Buffer.byteLength(lines[0] ?? '');
  // The brackets, and a comma for each row.
  let jsonBytes = 2;
  let at = 0;
  const cut = () => ({ csv: lines.join(''), json: `[${objects.join(',')}]`, count: objects.length });
  for (const part of rowTexts(identity, partBytes)) {
    for (const row of splitRows(part, names)) {
      at += 1;
      if (at <= from) continue;
      if (objects.length === maxRows) return cut();
      const line = `${writers.map((writer, place) => csvCell(writer.text(row[place]))).join(',')}\n`;
      const object = `{${members(writers, row)}}`;
      textBytes += Buffer.byteLength(line);
      jsonBytes += Buffer.byteLength(object) + 1;
      if (textBytes > maxBytes || jsonBytes > maxBytes) return cut();
      lines.push(line);
      objects.push(object);
    }
    yield undefined;
  }
  return cut();
}

function members(writers: readonly CellWriter[], row: readonly (string | undefined)[]): string {
  return writers
    .flatMap(({ name, json }, place) => {
      const cell = row[place];
      return cell === undefined ? [] : [`${JSON.stringify(name)}:${json(cell)}`];
    })
    .join(',');
}
