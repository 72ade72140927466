import { cellTimestamp } from '../../../files/timestamps.ts';
import type { ResultColumn } from '../../../catalog/model/header-types.ts';
import { plainText } from '../../../formats/rows.ts';
import { isNested } from '../../../formats/shape.ts';
import { mayHide, textOf, visibleText } from '@querygate/text';

/** How the cells of a column are written for models. */
export interface CellWriter {
  readonly name: string;
  /** Cells are text in both, and not compared as numbers. */
  readonly isText: boolean;
  /** True if this text is the Base64 of the value. */
  readonly isBytes: boolean;
  /** True if a cell is a list, a record or any JSON. */
  readonly isNested: boolean;
  /**
   * As JSON, in steps of some milliseconds.
   *
   * @returns undefined if it is longer than so many bytes, of which no more is made
   */
  json(cell: string, maxBytes: number): Generator<undefined, string | undefined>;
  /** A single value as text, without quotes; undefined for NULL. */
  text(cell: string | undefined): string | undefined;
}

/** Characters of a cell that are written in one step. */
const stepLength = 64 * 1024;

/** Cells are JSON text, as results have them. Moments become text, and what is hidden in a text becomes visible. */
export function cellWriter(column: ResultColumn): CellWriter {
  const nested = isNested(column);
  const isTimestamp = !nested && column.type === 'timestamp';
  const changes = nested && hasMoments(column);
  return {
    name: column.name,
    isNested: nested,
    isText: !nested && !numbers.has(column.type ?? ''),
    isBytes: column.type === 'bytes',
    *json(cell, maxBytes) {
      const isLong = cell.length > stepLength;
      if (isLong) yield undefined;
      if (isTimestamp && cell !== 'null') return JSON.stringify(cellTimestamp(cell));
      if (nested)
        return changes || isLong || mayHide(cell) ? yield* nestedJson(cell, column, maxBytes) : cell;
      return visibleJson(cell);
    },
    text(cell) {
      const text = plainText(cell);
      if (text === undefined) return undefined;
      return isTimestamp ? cellTimestamp(text) : visibleText(text);
    },
  };
}

/** Timestamps too: they are integers, before they are written. */
const numbers: ReadonlySet<string> = new Set(['integer', 'float', 'numeric', 'timestamp']);

/** True if a list or a record has points in time, as far as its fields are known. */
const hasMoments = ({ type, fields = [] }: ResultColumn): boolean =>
  type === 'timestamp' || fields.some(hasMoments);

/** Texts, names with their colons, brackets and numbers of JSON. */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]|-?\d[\d.eE+-]*/g;

/** Tokens of a cell that are read in one step: if all are moments, some milliseconds of work. */
const stepTokens = 1024;

/** Lists, records and any JSON: only moments and hidden characters change, so that other numbers keep their digits. */
function* nestedJson(
  cell: string,
  column: ResultColumn,
  maxBytes: number,
): Generator<undefined, string | undefined> {
  const parts: string[] = [];
  const outer: (ResultColumn | undefined)[] = [];
  let at: ResultColumn | undefined = column;
  let [read, written, count] = [0, 0, 0];
  for (const match of cell.matchAll(tokens)) {
    const [token, text, colon] = match;
    let changed = token;
    if (text !== undefined) {
      if (colon !== undefined) at = outer.at(-1)?.fields?.find(({ name }) => name === textOf(text));
      changed = visibleJson(text) + (colon ?? '');
    } else if (token === '[' || token === '{') outer.push(at);
    else if (token === ']' || token === '}') at = outer.pop();
    else if (at?.type === 'timestamp') changed = `"${cellTimestamp(token)}"`;
    if (changed !== token) {
      const part = cell.slice(read, match.index) + changed;
      parts.push(part);
      written += part.length;
      read = match.index + token.length;
    }
    count += 1;
    if (count % stepTokens > 0) continue;
    if (written > maxBytes) return undefined;
    yield undefined;
  }
  return parts.join('') + cell.slice(read);
}

/** A text, or another value. */
const visibleJson = (json: string): string =>
  mayHide(json) ? JSON.stringify(visibleText(JSON.parse(json) as string)) : json;

/** @see RFC 4180; lines end in one character, of which there are fewer tokens */
export function csvCell(text: string | undefined): string {
  if (text === undefined) return '';
  return text === '' || /[",\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
