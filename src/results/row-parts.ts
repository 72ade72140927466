import { parseJson } from '@querygate/bigquery-sql/text';
import { parseRows, type ResultDocument } from './result-document.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Bytes of a document that are parsed at once: about two milliseconds of work. */
const defaultPartBytes = 256 * 1024;

/**
 * The rows of a document in order, parsed in parts: a large document takes too long for one turn of the event loop.
 *
 * @throws SyntaxError | TypeError if it is not a document as `buildDocument` writes it
 */
export function* rowParts(
  document: ResultDocument,
  partBytes: number = defaultPartBytes,
): Generator<readonly Row[]> {
  const { identity } = document.encodings;
  if (identity.byteLength <= partBytes) {
    yield parseRows(document);
    return;
  }
  for (const text of rowTexts(identity, partBytes)) yield parseJson(`[${text}]`) as readonly Row[];
}

/**
 * The rows of a document in parts, as JSON text with commas between them; none if it has no rows.
 *
 * @param identity the document without a coding
 * @throws TypeError if it is not a document as `buildDocument` writes it
 */
export function* rowTexts(identity: Buffer, partBytes: number = defaultPartBytes): Generator<string> {
  const last = identity.byteLength - end.length;
  if (identity.toString('latin1', 0, start.length) !== start || identity.toString('latin1', last) !== end) {
    throw new TypeError('a document that is not {"result":[…]}');
  }
  for (let from = start.length; from < last; ) {
    const to = rowsEnd(identity, from, from + partBytes, last);
    yield identity.toString('utf8', from, to);
    // The next row begins after a comma.
    from = to + 1;
  }
}

const start = '{"result":[';
const end = ']}';

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
