import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** The first line of a file that cannot be read, from 1, and what is said of that line alone. */
export interface BrokenRow {
  readonly line: number;
  readonly error: unknown;
}

/**
 * Finds the line for which a file of one row a line fails: DuckDB's own numbers are approximate, or count something
 * else. Reads about twice the file, so only one that is known to be broken.
 *
 * @param tryFile fails as the whole file does
 * @returns undefined where no line fails by itself
 */
export async function findBrokenRow(
  path: string,
  scratch: string,
  tryFile: (path: string) => Promise<void>,
): Promise<BrokenRow | undefined> {
  const starts = await lineStarts(path);
  const errorIn = async (from: number, to: number): Promise<unknown> => {
    const part = join(scratch, 'part.ndjson');
    const range = { start: starts[from] ?? 0, end: (starts[to] ?? 0) - 1 };
    await pipeline(createReadStream(path, range), createWriteStream(part));
    return tryFile(part).then(
      () => undefined,
      (error: unknown) => error,
    );
  };

  let from = 0;
  let to = starts.length - 1;
  if (to < 1) return undefined;
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if ((await errorIn(from, middle)) === undefined) from = middle;
    else to = middle;
  }
  const error = await errorIn(from, to);
  return error === undefined ? undefined : { line: to, error };
}

/** The byte at which each line begins, and at last the length of the file. */
async function lineStarts(path: string): Promise<readonly number[]> {
  const starts = [0];
  let length = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) starts.push(length + at + 1);
    length += chunk.length;
  }
  if (starts.at(-1) !== length) starts.push(length);
  return starts;
}
