const newline = 10;
const space = 32;
const quoteMark = 34;
const comma = 44;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/**
 * The values of a JSON text, each on a line of its own: the elements of an array, or else one value after another. A
 * text whose first line is a complete object is JSON lines already.
 *
 * @throws Error if the text ends within a value
 */
export async function* jsonLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isLines: boolean | undefined;
  const splitter = buildSplitter();
  for await (const chunk of chunks) {
    isLines ??= isObjectText(firstLineOf(chunk));
    if (isLines) yield chunk;
    else yield splitter.split(chunk);
  }
  if (isLines === false) splitter.end();
}

/** Without the byte order mark, which counts as white space. */
const firstLineOf = (chunk: Buffer): string => chunk.toString().trimStart().split('\n', 1)[0] ?? '';

/** True if a line is a whole JSON object. A line that is still being written is not, until its last byte is there. */
export function isObjectText(line: string): boolean {
  const text = line.trim();
  if (!text.startsWith('{') || !text.endsWith('}')) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

interface Splitter {
  /** A chunk of the text, without newlines inside of a value and with one after each. */
  split(chunk: Buffer): Buffer;
  /** @throws Error if the text ends within a value */
  end(): void;
}

function buildSplitter(): Splitter {
  let depth = 0;
  let isArray: boolean | undefined;
  let inString = false;
  let escaped = false;
  let isOpen = false;
  let isClosed = false;

  /** The byte to write for one outside of a string; undefined for none. */
  const convert = (byte: number): number | undefined => {
    if (byte <= space) return depth > 0 ? space : endValue();
    if (depth === 0 && isArray && byte === comma) return endValue();
    if (depth === 0 && isArray && byte === closeBracket) {
      isClosed = true;
      return endValue();
    }
    isArray ??= byte === openBracket;
    isOpen = true;
    if (byte === quoteMark) inString = true;
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    return byte;
  };
  const endValue = () => {
    if (!isOpen) return undefined;
    isOpen = false;
    return newline;
  };

  return {
    split(chunk) {
      const out = Buffer.allocUnsafe(chunk.length * 2);
      let length = 0;
      for (const byte of chunk) {
        if (inString) {
          inString = escaped || byte !== quoteMark;
          escaped = !escaped && byte === backslash;
          out[length++] = byte;
          continue;
        }
        if (isArray === undefined && (byte === openBracket || isByteOrderMark(byte))) {
          isArray = byte === openBracket ? true : undefined;
          continue;
        }
        const converted = convert(byte);
        if (converted === undefined) continue;
        out[length++] = converted;
        if (depth === 0 && (byte === closeBrace || byte === closeBracket) && isOpen) {
          out[length++] = newline;
          isOpen = false;
        }
      }
      return out.subarray(0, length);
    },
    end() {
      if (depth > 0 || inString || (isArray && !isClosed))
        throw new Error('not JSON: the text ends within a value');
    },
  };
}

/** True if a byte is one of the three of a byte order mark. */
const isByteOrderMark = (byte: number) => byte === 0xef || byte === 0xbb || byte === 0xbf;
