/** Memory that is not in use, at most. */
const maxFreeBytes = 32_000_000;
const maxFreeBuffers = 64;

/** Sizes are multiples of it, so that bodies of about the same length find memory of one another. */
const granularityBytes = 16 * 1024;

/**
 * Memory of bodies that were sent, for the next bodies. Memory outside of the heap is freed by garbage collection alone,
 * and megabytes of it make collections of the whole heap frequent: they took more time than writing the bodies.
 *
 * The memory that it gives has the bytes of earlier bodies, of any key: the taker must overwrite all that is sent.
 */
export class BodyMemory {
  readonly #free: Buffer[] = [];
  #freeBytes = 0;

  /** @returns at least so many bytes, of any content */
  take(byteLength: number): Buffer {
    // The one used last is the likeliest to be in the processor's cache.
    const at = this.#free.findLastIndex((one) => one.byteLength >= byteLength && isFitting(one, byteLength));
    const [known] = at < 0 ? [] : this.#free.splice(at, 1);
    if (known === undefined) {
      return Buffer.allocUnsafeSlow(Math.ceil(byteLength / granularityBytes) * granularityBytes);
    }
    this.#freeBytes -= known.byteLength;
    return known;
  }

  /** @param memory as `take` gave it, which nothing reads or writes any more */
  giveBack(memory: Buffer): void {
    if (this.#free.includes(memory)) throw new Error('memory that was given back before');
    this.#free.push(memory);
    this.#freeBytes += memory.byteLength;
    while (this.#freeBytes > maxFreeBytes || this.#free.length > maxFreeBuffers) {
      this.#freeBytes -= this.#free.shift()?.byteLength ?? 0;
    }
  }
}

/** A small body must not occupy the memory of a large one. */
const isFitting = (memory: Buffer, byteLength: number): boolean =>
  memory.byteLength <= 2 * byteLength + granularityBytes;
