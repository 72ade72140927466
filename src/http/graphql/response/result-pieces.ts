import type { ExecutionResult } from 'graphql';
import { type BinaryText, copyMargin, toBinaryText, Written } from '../execution/written.ts';

type Piece = BinaryText | Written;

/** Characters of text that are put together in one step: less than a millisecond of work. */
const stepLength = 64 * 1024;

/** Bytes of short pieces that are written in one step: likewise. */
const writtenLength = 1_000_000;

/** The JSON text of a result in pieces: text, and what its leaves write. */
export class ResultPieces {
  readonly #pieces: Piece[] = [];
  #text = '';

  static *of(result: ExecutionResult): Generator<void, ResultPieces> {
    const pieces = new ResultPieces();
    yield* pieces.#collect(Object.assign(Object.create(null), result));
    pieces.#flush();
    return pieces;
  }

  get byteLength(): number {
    return this.#pieces.reduce((sum, piece) => sum + byteLengthOf(piece), 0);
  }

  /** Writes them in steps. @param memory has `copyMargin` bytes more than are written */
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

  *#collect(result: unknown): Generator<void> {
    const left: Part[] = [['', result]];
    for (let part = left.pop(); part !== undefined; part = left.pop()) {
      const [start, value] = part;
      this.#text += start;
      const parts = partsOf(value);
      if (parts !== undefined) for (const one of parts.reverse()) left.push(one);
      else if (value instanceof Written) {
        this.#flush();
        this.#pieces.push(value);
      } else if (value !== undefined) this.#text += JSON.stringify(value);
      if (this.#text.length < stepLength) continue;
      this.#flush();
      yield;
    }
  }

  #flush(): void {
    if (this.#text !== '') this.#pieces.push(toBinaryText(this.#text));
    this.#text = '';
  }
}

const byteLengthOf = (piece: Piece): number => (typeof piece === 'string' ? piece.length : piece.byteLength);

/** A part of a list or an object with the text before it; of the end, which is text alone, the value is undefined. */
type Part = readonly [start: string, value: unknown];

/** The parts of a list, or of an object that an executor has made. Others are values of scalars. */
function partsOf(value: unknown): Part[] | undefined {
  if (Array.isArray(value)) {
    const elements = value.map((element, at): Part => [at === 0 ? '[' : ',', element]);
    return [...elements, [elements.length === 0 ? '[]' : ']', undefined]];
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== null) return undefined;
  // A large number in JSON.
  if (JSON.isRawJSON(value)) return undefined;
  const members = Object.entries(value).map(([key, member], at): Part => {
    return [`${at === 0 ? '{' : ','}${JSON.stringify(key)}:`, member];
  });
  return [...members, [members.length === 0 ? '{}' : '}', undefined]];
}
