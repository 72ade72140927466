import { IncomingMessage } from 'node:http';

/** That many are taken within 10 ms; a client that writes with a buffer sends 256 KiB in less. */
const chunksInTurn = 4_096;

/** A request whose chunks arrive over several turns of the event loop, however small they are: Node takes all that it finds. */
export class MessageInTurns extends IncomingMessage {
  #chunks = 0;
  #isPaused = false;

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    const takesMore = super.push(chunk, encoding);
    this.#chunks += 1;
    if (chunk === null || this.#chunks % chunksInTurn !== 0) return takesMore;
    this.#isPaused = true;
    setImmediate(() => {
      this.#isPaused = false;
      this._read(0);
    });
    return false;
  }

  override _read(size: number): void {
    if (!this.#isPaused) super._read(size);
  }
}
