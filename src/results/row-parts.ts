import { defaultPartBytes, rowTexts } from '../engine-contract/rows-document.ts';
import { parseRows, type ResultDocument } from './result-document.ts';
import { parseRowJson } from '../engine-contract/row-json.ts';

/** A row of a result, its cells by the names of their columns. */
export type Row = Readonly<Record<string, unknown>>;

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
  for (const text of rowTexts(identity, partBytes)) yield parseRowJson(`[${text}]`) as readonly Row[];
}
