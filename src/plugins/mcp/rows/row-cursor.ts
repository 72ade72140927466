/** Around the rows of a document. */
const [beginning, ending] = ['{"result":[', ']}'];

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;

const [none, textKind, openingKind, closingKind, betweenKind] = [0, 1, 2, 3, 4];

/** The meaning of a byte outside of a text. */
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === quote) return textKind;
  if (byte === 0x7b || byte === 0x5b) return openingKind;
  if (byte === 0x7d || byte === 0x5d) return closingKind;
  return byte === comma || byte === colon ? betweenKind : none;
});

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
  /** Of each cell of the row where its name begins and ends, and where its value does. */
  readonly cells: number[] = [];
  /** How many numbers of them are of this row. */
  length = 0;

  /** @param document `{"result":[…]}`, in UTF-8 */
  constructor(document: Buffer) {
    this.#bytes = document;
    this.#last = document.byteLength - ending.length;
  }

  /** True if there are no more rows. */
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
    const { cells } = this;
    const limit = Math.min(this.#last, this.#at + most);
    let at = this.#at;
    let depth = this.#depth;
    let { length } = this;
    if (depth === 0) {
      this.start = at;
      length = 0;
    }
    while (at < limit) {
      if (this.#isInText) {
        while (at < limit && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
        if (at >= limit) break;
        this.#isInText = false;
        at += 1;
        // The end of a name.
        if (depth === 1 && length % 4 === 1) {
          cells[length] = at;
          length += 1;
        }
        continue;
      }
      const kind = kinds[bytes[at] as number];
      at += 1;
      if (kind === none) continue;
      if (kind === textKind) {
        this.#isInText = true;
        if (depth === 1 && length % 4 === 0) {
          cells[length] = at - 1;
          length += 1;
        }
      } else if (kind === openingKind) depth += 1;
      else if (kind === closingKind) {
        if (depth === 1 && length % 4 === 3) {
          cells[length] = at - 1;
          length += 1;
        }
        depth -= 1;
        if (depth > 0) continue;
        this.end = at;
        this.length = length;
        // The next row begins after a comma.
        this.#at = at + 1;
        this.#depth = 0;
        return true;
      } else if (depth === 1) {
        // A colon is where a value begins, and a comma where it ends.
        cells[length] = length % 4 === 2 ? at : at - 1;
        length += 1;
      }
    }
    this.#at = at;
    this.#depth = depth;
    this.length = length;
    return false;
  }
}
