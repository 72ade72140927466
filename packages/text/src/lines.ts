/**
 * The lines of a text, without their newlines. Not `readline`: it also ends lines at U+2028, which JSON may contain.
 *
 * @param chunks parts of the text, as a stream with an encoding has them
 * @throws Error if a line is longer than `maxLength`
 */
export async function* linesOf(
  chunks: AsyncIterable<unknown>,
  maxLength = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const [first = '', ...lines] = String(chunk).split('\n');
    const last = lines.pop();
    rest += first;
    if (rest.length > maxLength) throw new Error(lineLongerThan(maxLength));
    if (last === undefined) continue;
    yield rest;
    yield* lines;
    rest = last;
  }
  if (rest !== '') yield rest;
}

/** The problem of a line that is longer, in characters. */
export const lineLongerThan = (maxLength: number): string => `the line is longer than ${maxLength / 1e6} MB`;
