import { readFileSync } from 'node:fs';
import { commandError, inputText } from '@querygate/bigquery-sql/command';
import { decodeUtf8, NotUtf8 } from '@querygate/text';

/**
 * The text of a file, or of standard input.
 *
 * @param file undefined or `-` for standard input
 * @param what what the text is, for messages
 */
export async function readInput(file: string | undefined, what: string): Promise<string> {
  if (file !== undefined && file !== '-') {
    try {
      return decodeUtf8(readFileSync(file));
    } catch (error) {
      if (error instanceof NotUtf8) throw commandError(`${file}:${error.line} ${error.message}`);
      throw commandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  if (process.stdin.isTTY) throw commandError(`expected ${what} in a file or on standard input`);
  const chunks = await Array.fromAsync(process.stdin as AsyncIterable<Buffer>);
  const text = inputText(Buffer.concat(chunks));
  if (text.trim() === '')
    throw commandError(`expected ${what} on standard input, which is empty; a file may be named instead`);
  return text;
}
