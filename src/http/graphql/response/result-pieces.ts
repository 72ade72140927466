import type { ExecutionResult } from 'graphql';
import { type BinaryText, toBinaryText } from '../execution/binary-text.ts';
import { copyMargin, Written } from '../execution/written.ts';

type Piece = BinaryText | Written;

/** Characters of text that are put together in one step: less than a millisecond of work. */
const stepLength = 64 * 1024;

/** Bytes of short pieces that are written in one step: likewise. */
const writtenLength = 1_000_000;

/** The JSON text of a result in pieces: text, and what its leaves write. */
export class ResultPieces {
  readonly #pieces: Piece[] = [];
  #text = '';

  /** The pieces of a result, in steps. */
  static *of(result: ExecutionResult): Generator<void, ResultPieces> {
    const pieces = new ResultPieces();
    yield* pieces.#collect(Object.assign(Object.create(null), result));
    pieces.#flush();
    return pieces;
  }

  /** How many bytes they have together. */
  get byteLength(): number {
    return this.#pieces.reduce((sum, piece) => sum + byteLengthOf(piece), 0);
  }

  /**
   * Writes them in steps.
   *
   * @param memory has `copyMargin` bytes more than are written
   */
  *write(memory: Buffer): Generator<void, Buffer> {
    const out = { bytes: memory, view: new DataView(memory.buffer, memory.byteOffset, memory.byteLength) };
    let at = 0;
    let stepEnd = writtenLength;
    for (const piece of this.#pieces) {
      const steps = typeof piece === 'string' ? undefined : piece.write(out, at);
      if (typeof piece === 'string') memory.write(piece, at, 'latin1');
      else if (steps) yield* steps;
      at += byteLengthOf(piece);
      if (at < stepEnd) continue;
      stepEnd = at + writtenLength;
      yield;
    }
    if (at > memory.byteLength - copyMargin) throw new Error('a body that is longer than its memory');
    return memory.subarray(0, at);
  }

  /** Objects lead to lists, of which the elements are short. */
  *#collect(value: unknown): Generator<void> {
    const parts = partsOf(value);
    if (parts === undefined) return this.#append(value);
    for (const [start, part] of parts) {
      this.#text += start;
      if (!Array.isArray(value)) yield* this.#collect(part);
      else this.#append(part);
      if (this.#text.length < stepLength) continue;
      this.#flush();
      yield;
    }
    this.#text += endOf(value, parts);
  }

  #append(value: unknown): void {
    const parts = partsOf(value);
    if (parts !== undefined) {
      for (const [start, part] of parts) {
        this.#text += start;
        this.#append(part);
      }
      this.#text += endOf(value, parts);
    } else if (value instanceof Written) {
      this.#flush();
      this.#pieces.push(value);
    } else this.#text += JSON.stringify(value);
  }

  #flush(): void {
    if (this.#text !== '') this.#pieces.push(toBinaryText(this.#text));
    this.#text = '';
  }
}

const byteLengthOf = (piece: Piece): number => (typeof piece === 'string' ? piece.length : piece.byteLength);

/** The parts of a list, or of an object that an executor has made, each with the text before it. Others are values of scalars. */
function partsOf(value: unknown): readonly (readonly [start: string, part: unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((element, at) => [at === 0 ? '[' : ',', element]);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== null) return undefined;
  // A large number in JSON.
  if (JSON.isRawJSON(value)) return undefined;
  return Object.entries(value).map(([key, member], at) => [
    `${at === 0 ? '{' : ','}${JSON.stringify(key)}:`,
    member,
  ]);
}

function endOf(value: unknown, { length }: readonly unknown[]): string {
  if (Array.isArray(value)) return length === 0 ? '[]' : ']';
  return length === 0 ? '{}' : '}';
}
