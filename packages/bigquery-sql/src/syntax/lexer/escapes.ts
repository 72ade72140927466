import { SyntaxProblem } from '../syntax-problem.ts';

/** The kind of a literal, which decides which escapes it may have, and what they mean. */
type EscapeMode = 'string' | 'bytes' | 'name';

const simple: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
  '?': 63,
  '"': 34,
  "'": 39,
  '`': 96,
};

interface Escape {
  readonly code: number;
  readonly length: number;
}

/** The body of a string or a name without its escapes. `offset` is where the body starts. */
export function decodeText(body: string, offset: number, mode: 'string' | 'name'): string {
  if (!body.includes('\\')) return body;
  let text = '';
  for (const part of partsOf(body, offset, mode)) {
    text += typeof part === 'string' ? part : String.fromCodePoint(part);
  }
  return text;
}

/** The body of a bytes literal: characters are UTF-8, an escape is one byte. */
export function decodeBytes(body: string, offset: number): Uint8Array {
  const chunks: Buffer[] = [];
  for (const part of partsOf(body, offset, 'bytes')) {
    chunks.push(typeof part === 'string' ? Buffer.from(part, 'utf8') : Buffer.from([part]));
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** Plain text and the codes of escapes, in turns. */
function* partsOf(body: string, offset: number, mode: EscapeMode): Generator<string | number> {
  let at = 0;
  for (let next = body.indexOf('\\'); next >= 0; next = body.indexOf('\\', at)) {
    if (next > at) yield body.slice(at, next);
    const { code, length } = readEscape(body, next, offset, mode);
    yield code;
    at = next + length;
  }
  if (at < body.length) yield body.slice(at);
}

function readEscape(body: string, at: number, offset: number, mode: EscapeMode): Escape {
  const letter = body[at + 1] ?? '';
  const code = simple[letter];
  if (code !== undefined) return { code, length: 2 };
  const coded = readCode(body, at, letter, mode);
  if (coded) return coded;
  const shown = body.slice(at, at + 2).replace(/[\r\n]/, 'line break');
  throw new SyntaxProblem(offset + at, `expected an escape sequence of GoogleSQL, found "${shown}"`);
}

function readCode(body: string, at: number, letter: string, mode: EscapeMode): Escape | undefined {
  switch (letter) {
    case 'x':
    case 'X':
      return codeOf(body, at + 2, 2, 16, 0xff);
    case 'u':
      return mode === 'bytes' ? undefined : codeOf(body, at + 2, 4, 16, 0xffff);
    case 'U':
      return mode === 'bytes' ? undefined : codeOf(body, at + 2, 8, 16, 0x10ffff);
    default:
      return codeOf(body, at + 1, 3, 8, 0xff);
  }
}

const digitsOf = { 8: /^[0-7]+$/, 16: /^[\da-fA-F]+$/ } as const;

function codeOf(body: string, from: number, count: number, radix: 8 | 16, max: number): Escape | undefined {
  const digits = body.slice(from, from + count);
  if (digits.length < count || !digitsOf[radix].test(digits)) return undefined;
  const code = Number.parseInt(digits, radix);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return code > max || isSurrogate ? undefined : { code, length: (radix === 8 ? 1 : 2) + count };
}
