import { stringEnd } from './parse-json.ts';

/** The cells of one row as JSON text, in the order of the columns; undefined where the row has no cell. */
export type CellTexts = readonly (string | undefined)[];

/**
 * Splits rows into cells without parsing the cells: a number keeps all its digits, and a nested value its text.
 *
 * @param rows JSON objects with commas between them
 * @param columns the names of the columns
 * @throws TypeError if it is not JSON text as results have it
 */
export function splitRows(rows: string, columns: readonly string[]): readonly CellTexts[] {
  const places = new Map(columns.map((name, at) => [name, at]));
  return splitObjects(rows).map((row) => splitObject(row, places, columns.length));
}

/** The texts of JSON values that have commas between them. */
export function splitObjects(text: string): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = valueEnd(text, at);
    parts.push(text.slice(at, end));
    // Behind the comma.
    at = end + 1;
  }
  return parts;
}

/** The texts of the elements of a JSON array. */
export function splitList(list: string): readonly string[] {
  const parts: string[] = [];
  for (let at = afterSpace(list, 1); at < list.length && list[at] !== ']'; ) {
    const end = valueEnd(list, at);
    parts.push(list.slice(at, end));
    at = afterSpace(list, end);
    if (list[at] === ',') at = afterSpace(list, at + 1);
  }
  return parts;
}

/**
 * The texts of the members of a JSON object that have a place, at their places.
 *
 * @param count of the places
 */
export function splitObject(row: string, places: ReadonlyMap<string, number>, count: number): CellTexts {
  const cells = new Array<string | undefined>(count).fill(undefined);
  for (let at = afterSpace(row, 1); row[at] === '"'; ) {
    const nameEnd = textEnd(row, at);
    const place = places.get(textOf(row.slice(at, nameEnd)));
    const from = afterSpace(row, expected(row, afterSpace(row, nameEnd), ':'));
    const end = valueEnd(row, from);
    if (place !== undefined) cells[place] = row.slice(from, end);
    at = afterSpace(row, end);
    if (row[at] === ',') at = afterSpace(row, at + 1);
  }
  return cells;
}

/** The text in a JSON string. */
export function textOf(json: string): string {
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}

const quote = 0x22;
const comma = 0x2c;

const isOpening = (code: number) => code === 0x7b || code === 0x5b;
const isClosing = (code: number) => code === 0x7d || code === 0x5d;
const isSpace = (code: number) => code <= 0x20;

function valueEnd(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === quote) return textEnd(text, from);
  if (!isOpening(first)) {
    let end = from;
    while (end < text.length && !isAfterValue(text.charCodeAt(end))) end += 1;
    return end;
  }
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = textEnd(text, at) - 1;
    else if (isOpening(code)) depth += 1;
    else if (isClosing(code)) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  throw new TypeError('a row that does not end');
}

/** How many brackets of a JSON text are inside each other, at most. */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = textEnd(json, at) - 1;
    else if (isOpening(code)) {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (isClosing(code)) depth -= 1;
  }
  return deepest;
}

const isAfterValue = (code: number) => code === comma || isClosing(code) || isSpace(code);

function textEnd(text: string, from: number): number {
  const end = stringEnd(text, from);
  if (end === undefined) throw new TypeError('a text that does not end');
  return end;
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function expected(text: string, at: number, mark: string): number {
  if (text[at] !== mark) throw new TypeError(`a row without ${mark} at ${at}`);
  return at + 1;
}
