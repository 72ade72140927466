import { bytesOf, type Coding, type Encodings, encode } from '../../../results/encodings.ts';

/** Measured: what an entry takes besides its body. */
const overheadBytes = 1_024;

/** The rows of a result in another format, as a whole body that is sent again while the rows are the same. */
export class ConvertedRows {
  #encodings: Encodings;
  #compressing: Promise<void> | undefined;

  constructor(identity: Buffer) {
    this.#encodings = { identity };
  }

  /** What it takes in memory. */
  get bytes(): number {
    return bytesOf(this.#encodings) + overheadBytes;
  }

  get encodings(): Encodings {
    return this.#encodings;
  }

  body(coding: Coding): Buffer {
    return this.#encodings[coding] ?? this.#encodings.identity;
  }

  /**
   * Compresses it off the event loop, once. Not every caller accepts a coding, and then it would be work for nothing.
   *
   * @param onGrown called when it has grown
   */
  compress(onGrown: () => void): Promise<void> {
    this.#compressing ??= encode(this.#encodings.identity).then((encodings) => {
      this.#encodings = encodings;
      onGrown();
    });
    return this.#compressing;
  }
}
