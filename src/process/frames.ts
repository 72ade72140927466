/** One message between two processes. The two processes decide which kinds there are, and what an id means. */
export interface Frame {
  /** From 1 to 255; 0 is used by the channel itself. */
  readonly kind: number;
  /** An unsigned integer of 32 bits, such as the number of a request. */
  readonly id: number;
  /** It may be part of a larger buffer, which it keeps in memory. */
  readonly payload: Buffer;
}

/** The length of the payload and the id with 4 bytes each, and the kind. */
const headBytes = 9;

/** The bytes that were read are not a stream of frames: the other process has failed. */
export class FrameError extends Error {}

/** The bytes before a payload of some length. */
export function frameHead(kind: number, id: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32LE(length, 0);
  head.writeUInt32LE(id, 4);
  head[8] = kind;
  return head;
}

/**
 * Reads frames from the chunks of a stream. A payload that does not arrive in one chunk is read into memory of its known
 * length: joining chunks whenever one arrives would take time in proportion to the square of their number.
 */
export class FrameReader {
  readonly #onFrame: (frame: Frame) => void;
  readonly #maxPayloadBytes: number;
  readonly #head = Buffer.alloc(headBytes);
  #headFilled = 0;
  #payload: Buffer | undefined;
  #payloadFilled = 0;

  /** @param maxPayloadBytes a longer payload is taken for a stream that is not one of frames */
  constructor(onFrame: (frame: Frame) => void, maxPayloadBytes: number) {
    this.#onFrame = onFrame;
    this.#maxPayloadBytes = maxPayloadBytes;
  }

  /** @throws FrameError; RangeError if there is no memory for a payload; what `onFrame` throws */
  read(chunk: Buffer): void {
    for (let at = 0; at < chunk.byteLength; ) {
      at += this.#payload === undefined ? this.#readHead(chunk, at) : this.#readPayload(chunk, at);
    }
  }

  /** @returns how many bytes it took: with those of the payload, if all of them are there */
  #readHead(chunk: Buffer, from: number): number {
    const taken = chunk.copy(this.#head, this.#headFilled, from, from + headBytes - this.#headFilled);
    this.#headFilled += taken;
    if (this.#headFilled < headBytes) return taken;
    this.#headFilled = 0;
    const length = this.#head.readUInt32LE(0);
    if (length > this.#maxPayloadBytes) throw new FrameError(`a frame of ${length} bytes`);
    const start = from + taken;
    if (start + length <= chunk.byteLength) {
      this.#give(chunk.subarray(start, start + length));
      return taken + length;
    }
    this.#payload = Buffer.allocUnsafeSlow(length);
    this.#payloadFilled = 0;
    return taken;
  }

  #readPayload(chunk: Buffer, from: number): number {
    const payload = this.#payload as Buffer;
    const taken = chunk.copy(payload, this.#payloadFilled, from);
    this.#payloadFilled += taken;
    if (this.#payloadFilled === payload.byteLength) {
      this.#payload = undefined;
      this.#give(payload);
    }
    return taken;
  }

  #give(payload: Buffer): void {
    this.#onFrame({ kind: this.#head[8] ?? 0, id: this.#head.readUInt32LE(4), payload });
  }
}
