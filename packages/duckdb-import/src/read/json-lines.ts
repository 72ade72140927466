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
  const splitter = new ValueSplitter();
  for await (const chunk of chunks) {
    isLines ??= isObjectText(firstLineOf(chunk));
    yield isLines ? chunk : splitter.split(chunk);
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

class ValueSplitter {
  #depth = 0;
  /** Undefined before the first value. */
  #isArray: boolean | undefined;
  #inString = false;
  #isEscaped = false;
  /** True within a value. */
  #isOpen = false;
  #isClosed = false;
  /** True after a comma between values. */
  #isAfterComma = false;

  /** A chunk of the text, without newlines inside of a value and with one after each. */
  split(chunk: Buffer): Buffer {
    const out = Buffer.allocUnsafe(chunk.length * 2);
    let length = 0;
    const endValue = () => {
      if (this.#isOpen) out[length++] = newline;
      this.#isOpen = false;
    };
    for (const byte of chunk) {
      if (this.#inString) {
        this.#inString = this.#isEscaped || byte !== quoteMark;
        this.#isEscaped = !this.#isEscaped && byte === backslash;
        out[length++] = byte;
      } else if (this.#isArray === undefined && isBeforeValues(byte)) {
        if (byte === openBracket) this.#isArray = true;
      } else if (byte <= space) {
        if (this.#depth > 0) out[length++] = space;
        else endValue();
      } else if (this.#depth === 0 && this.#isArray && (byte === comma || byte === closeBracket)) {
        this.#isClosed ||= byte === closeBracket;
        // A comma after which no value comes is a line that is not JSON.
        if (this.#isAfterComma) {
          out[length++] = comma;
          this.#isOpen = true;
        }
        this.#isAfterComma = byte === comma;
        endValue();
      } else {
        this.#isArray ??= false;
        this.#isAfterComma = false;
        this.#isOpen = true;
        this.#inString = byte === quoteMark;
        out[length++] = byte;
        if (byte === openBrace || byte === openBracket) this.#depth += 1;
        const isLast = byte === closeBrace || byte === closeBracket;
        if (isLast) this.#depth -= 1;
        if (isLast && this.#depth === 0) endValue();
      }
    }
    return out.subarray(0, length);
  }

  /** @throws Error if the text ends within a value */
  end(): void {
    if (this.#depth > 0 || this.#inString || (this.#isArray && !this.#isClosed))
      throw new Error(
        `not JSON: ${this.#depth < 0 ? 'it has a closing bracket too many' : 'the text ends within a value'}`,
      );
  }
}

/** True for the bracket of an array, and for the bytes of a byte order mark. */
const isBeforeValues = (byte: number) =>
  byte === openBracket || byte === 0xef || byte === 0xbb || byte === 0xbf;
