import { createReadStream } from 'node:fs';

/** The lines of a UTF-8 text file, without their newlines. Not `readline`: it also ends lines at U+2028. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
