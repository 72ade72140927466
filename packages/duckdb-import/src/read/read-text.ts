import { decompress } from '@querygate/bigquery-sql/command';
import { lineLongerThan } from '@querygate/text';
import { kindOf } from '../scan/data-files.ts';

/** The longest line of a data file, without its newline. DuckDB reads no JSON of more than 16 MiB. */
export const maxLineBytes = 16_000_000;

export const lineTooLong = lineLongerThan(maxLineBytes);

/**
 * The lines of a UTF-8 text file, which may be compressed, without their newlines.
 *
 * @throws Error if a line is too long
 */
export async function* readLines(path: string): AsyncGenerator<string> {
  for await (const line of splitLines(decompress({ path, compression: kindOf(path)?.compression }))) {
    if (line.length > maxLineBytes) throw new Error(lineTooLong);
    yield line.toString();
  }
}

/**
 * Lines as bytes, without their newlines. Of a line that is too long, only its beginning is kept.
 *
 * @param chunks whose memory may be used again for the next one
 */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, at)]);
      parts = [];
      length = 0;
      start = at + 1;
    }
    if (length <= maxLineBytes) parts.push(Buffer.from(chunk.subarray(start)));
    length += chunk.length - start;
  }
  if (length > 0) yield Buffer.concat(parts);
}

/** True if a line has no row: it has only what DuckDB leaves out, and no other control characters. */
export const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 32 || (byte >= 9 && byte <= 13));

/** DuckDB's reason for a row of CSV or JSON that is not UTF-8, as what must be, and how to make it so. */
export const withEncodingAdvice = (reason: string): string =>
  reason.replace(
    /Invalid unicode \(byte sequence mismatch\) detected.*|invalid UTF-8 encoding in string\.?/s,
    'must be UTF-8: iconv -f latin1 -t utf-8',
  );
