import { createRequire } from 'node:module';
import { TextDecoder } from 'node:util';

/** Of the library, but not of its documented interface: another version may not have it. */
const accessors = '@duckdb/node-api/lib/vectors/dataAccessors.js';

/**
 * Makes the library read texts as they are: its decoder takes a byte-order mark at the beginning of a value for one of a
 * file, and drops it. A version without this decoder is left as it is.
 */
export function keepByteOrderMarks(): void {
  let library: { textDecoder?: TextDecoder };
  try {
    library = createRequire(import.meta.url)(accessors);
  } catch {
    return;
  }
  if (library.textDecoder?.ignoreBOM === false)
    library.textDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
}
