/** Around the rows of a document. */
const [beginning, ending] = ['{"result":[', ']}'];

const quote = 0x22;
const backslash = 0x5c;

/**
 * Reads the rows of a document one by one, as bytes. It stops after as many bytes as it may read, also within a row: a result
 * may have hundreds of megabytes, and a row may be one of them.
 */
export class RowCursor {
  readonly #bytes: Buffer;
  readonly #last: number;
  #at = beginning.length;
  #depth = 0;
  #isInText = false;
  /** The first byte of the row that it reads or has read. */
  start = beginning.length;
  /** The one after its last byte, when `next` has returned true. */
  end = beginning.length;

  /** @param document `{"result":[…]}`, in UTF-8 */
  constructor(document: Buffer) {
    this.#bytes = document;
    this.#last = document.byteLength - ending.length;
  }

  /** Whether there are no more rows. */
  get hasEnded(): boolean {
    return this.#at >= this.#last;
  }

  /** How many bytes of an unfinished row were read. */
  get unfinishedBytes(): number {
    return this.#at - this.start;
  }

  /** Reads the next row, or goes on with one. @param most bytes to be read @returns whether it has got to the end of the row */
  next(most: number): boolean {
    const bytes = this.#bytes;
    const limit = Math.min(this.#last, this.#at + most);
    let at = this.#at;
    let depth = this.#depth;
    if (depth === 0) this.start = at;
    while (at < limit) {
      if (this.#isInText) {
        while (at < limit && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
        if (at >= limit) break;
        this.#isInText = false;
        at += 1;
        continue;
      }
      const byte = bytes[at];
      at += 1;
      if (byte === quote) this.#isInText = true;
      else if (byte === 0x7b || byte === 0x5b) depth += 1;
      else if (byte === 0x7d || byte === 0x5d) {
        depth -= 1;
        if (depth > 0) continue;
        this.end = at;
        // The next row begins after a comma.
        this.#at = at + 1;
        this.#depth = 0;
        return true;
      }
    }
    this.#at = at;
    this.#depth = depth;
    return false;
  }
}
