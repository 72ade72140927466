import { splitObjects } from './cell-texts.ts';
import { type Rows, textParts } from './rows.ts';

/** Rows as in the JSON document, byte for byte, a line each; in parts. */
export function* ndjsonParts(rows: Pick<Rows, 'identity'>): Generator<string> {
  for (const part of textParts(rows)) {
    // A value of type JSON may have line breaks between its parts; inside of strings they are escaped.
    const text = /[\r\n]/.test(part) ? part.replaceAll(/[\r\n]/g, ' ') : part;
    yield `${splitObjects(text).join('\n')}\n`;
  }
}
