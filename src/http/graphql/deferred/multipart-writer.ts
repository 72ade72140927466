import type { Owner } from '../../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import { Frame } from '../../message/stream/frame.ts';
import type { Sink } from '../../message/stream/stream-body.ts';
import type { JsonPieces } from './incremental-payloads.ts';

/** Bytes that are copied at once: less than a millisecond of work. */
const stepLength = 1_000_000;

const partStart = '\r\nContent-Type: application/json; charset=utf-8\r\n\r\n';

/** A part is whole for a client when it has the boundary after it. JSON has no line break in it, and so no boundary. */
const boundary = '\r\n---';

/** Writes JSON texts as the parts of a `multipart/mixed` body whose boundary is `-`. @see RFC 2046, 5.1 */
export class MultipartWriter {
  readonly #sink: Sink;
  readonly #turns: LoopTurns;
  readonly #owner: Owner;
  /** Set it when nothing can be written any more. */
  isClosed = false;
  parts = 0;
  bytes = 0;

  constructor(sink: Sink, turns: LoopTurns, owner: Owner) {
    this.#sink = sink;
    this.#turns = turns;
    this.#owner = owner;
  }

  /** Writes a part. Call it again only when it has resolved. */
  async write(pieces: JsonPieces): Promise<void> {
    const start = this.parts === 0 ? boundary.trimStart() + partStart : partStart;
    await this.#turns.run(this.#owner, this.#writeInSteps([start, ...pieces, boundary]));
    this.parts += 1;
  }

  end(): void {
    this.#send(['--\r\n']);
    this.#sink.end();
  }

  *#writeInSteps(pieces: JsonPieces): Generator<void, void> {
    let waiting: (string | Uint8Array)[] = [];
    let length = 0;
    for (const piece of pieces.flatMap(inSteps)) {
      waiting.push(piece);
      length += piece.length;
      if (length < stepLength) continue;
      this.#send(waiting);
      waiting = [];
      length = 0;
      yield;
    }
    this.#send(waiting);
  }

  #send(pieces: JsonPieces): void {
    if (this.isClosed) return;
    const frame = new Frame(pieces);
    this.bytes += frame.bytes.byteLength;
    this.#sink.write(frame);
  }
}

function inSteps(piece: string | Uint8Array): JsonPieces {
  if (typeof piece === 'string' || piece.byteLength <= stepLength) return [piece];
  const count = Math.ceil(piece.byteLength / stepLength);
  return Array.from({ length: count }, (_, at) => piece.subarray(at * stepLength, (at + 1) * stepLength));
}
