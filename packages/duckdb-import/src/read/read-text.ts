import { createReadStream } from 'node:fs';
import { lineLongerThan, linesOf } from '@querygate/text';

/** The longest line of a data file, without its newline. DuckDB reads no JSON of more than 16 MiB. */
export const maxLineBytes = 16_000_000;

export const lineTooLong = lineLongerThan(maxLineBytes);

/**
 * The lines of a UTF-8 text file, without their newlines.
 *
 * @throws Error if a line is too long
 */
export const readLines = (path: string): AsyncGenerator<string> =>
  linesOf(createReadStream(path, 'utf8'), maxLineBytes);
