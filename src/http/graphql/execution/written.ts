/** Bytes of UTF-8 as characters of Node's `latin1`: joined as any string, and copied without being encoded. */
export type BinaryText = string;

export function toBinaryText(text: string): BinaryText {
  return isAscii.test(text) ? text : Buffer.from(text).toString('latin1');
}

const isAscii = /^[\0-\x7f]*$/;

/** Where a response is written. */
export interface OutputBytes {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** Bytes beyond what is written that `Written.write` may overwrite. */
export const copyMargin = 7;

/** A leaf of a result that is bytes of JSON: how many there are is known before they are written. */
export class Written {
  readonly byteLength: number;
  /** Writes them, many of them in steps of about a millisecond. @param out has `copyMargin` bytes more than are written */
  readonly write: (out: OutputBytes, at: number) => Generator<void> | void;

  constructor(byteLength: number, write: Written['write']) {
    this.byteLength = byteLength;
    this.write = write;
  }
}

/** Bytes that are copied at once: less than a millisecond of work. */
const stepLength = 1_000_000;

/** Bytes that are there already. */
export const writtenBytes = (bytes: Uint8Array): Written =>
  new Written(bytes.byteLength, function* (out, at) {
    for (let from = 0; from < bytes.byteLength; from += stepLength) {
      out.bytes.set(bytes.subarray(from, from + stepLength), at + from);
      yield;
    }
  });
