import type { Rows, RowsDocument } from './engine.ts';

const start = '{"result":[';
const end = ']}';

/** Bytes of a document that are parsed at once: about two milliseconds of work. */
export const defaultPartBytes = 256 * 1024;

/** The document of rows in texts of some length: each is some milliseconds of work. @param length in characters */
export function* documentTexts(rows: readonly string[], length: number): Generator<string> {
  let from = 0;
  let sum = 0;
  for (let at = 0; at < rows.length; at += 1) {
    sum += rows[at]?.length ?? 0;
    if (sum < length) continue;
    yield `${from === 0 ? start : ','}${rows.slice(from, at + 1).join(',')}`;
    from = at + 1;
    sum = 0;
  }
  yield `${from === 0 ? start : from < rows.length ? ',' : ''}${rows.slice(from).join(',')}${end}`;
}

/** Rows that are bytes already. They become texts when `rows` are read, which a result on its way to callers does not need. */
export class DocumentRows implements Rows {
  readonly document: RowsDocument;
  readonly truncated: boolean;
  #rows: readonly string[] | undefined;

  constructor(document: RowsDocument, truncated: boolean) {
    this.document = document;
    this.truncated = truncated;
  }

  get rows(): readonly string[] {
    this.#rows ??= [...rowTexts(Buffer.concat(this.document.parts), 0)];
    return this.#rows;
  }
}

export const rowCountOf = (result: Rows): number => result.document?.rowCount ?? result.rows.length;

/**
 * The rows of a document in parts, as JSON text with commas between them; none if it has no rows.
 *
 * @param partBytes how many bytes a part has at least, unless it is the last one; 0 for parts of one row
 * @throws TypeError if it is not such a document
 */
export function* rowTexts(document: Buffer, partBytes = defaultPartBytes): Generator<string> {
  const last = document.byteLength - end.length;
  if (document.toString('latin1', 0, start.length) !== start || document.toString('latin1', last) !== end) {
    throw new TypeError('a document that is not {"result":[…]}');
  }
  for (let from = start.length; from < last; ) {
    const to = rowsEnd(document, from, from + partBytes, last);
    yield document.toString('utf8', from, to);
    // The next row begins after a comma.
    from = to + 1;
  }
}

const quote = 0x22;
const backslash = 0x5c;

/**
 * Where the first row ends that reaches beyond a place. In UTF-8 no byte of any other character equals one of these.
 *
 * @param from where a row begins
 * @param limit where the last row ends
 */
function rowsEnd(bytes: Buffer, from: number, beyond: number, limit: number): number {
  let depth = 0;
  for (let at = from; at < limit; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      for (at += 1; at < limit && bytes[at] !== quote; at += 1) if (bytes[at] === backslash) at += 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
      if (depth === 0 && at >= beyond) return at + 1;
    }
  }
  return limit;
}
