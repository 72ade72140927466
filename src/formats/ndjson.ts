import { splitObjects } from '@querygate/text';
import type { Renderer } from './renderer.ts';
import { type Rows, textParts } from './rows.ts';

export const ndjson: Renderer = {
  names: ['ndjson', 'jsonl'],
  contentType: 'application/x-ndjson; charset=utf-8',
  mediaTypes: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
  fileExtension: 'ndjson',
  parts: ndjsonParts,
};

/** Rows as in the JSON document, byte for byte, a line each; in parts. */
function* ndjsonParts(rows: Pick<Rows, 'identity'>): Generator<string> {
  for (const part of textParts(rows)) {
    // A value of type JSON may have line breaks between its parts; inside of strings they are escaped.
    const text = /[\r\n]/.test(part) ? part.replaceAll(/[\r\n]/g, ' ') : part;
    yield `${splitObjects(text).join('\n')}\n`;
  }
}
