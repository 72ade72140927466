import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { lineLongerThan, linesOf } from '@querygate/text';

const chunkBytes = 1 << 21;

/**
 * The bytes of a file from one offset to another, in big chunks; fewer if the file ends before. A chunk is valid until
 * the next is read.
 */
export async function* readBytes(
  path: string,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  if (to <= from) return;
  const handle = await open(path);
  try {
    // All chunks share this memory: new pages would cost more than the copying.
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, to - from));
    for (let at = from; at < to; ) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, to - at), at);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

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
