/** An event as bytes, which are made once and sent to many clients as they are. */
export class Frame {
  /** As one chunk of HTTP/1.1. */
  readonly chunk: Buffer;
  /** Without the framing of the chunk. */
  readonly bytes: Buffer;

  constructor(parts: readonly (string | Uint8Array)[]) {
    const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    const head = `${length.toString(16)}\r\n`;
    // Not from Node's pool: a small buffer from there would keep its whole slab in memory.
    const chunk = Buffer.allocUnsafeSlow(head.length + length + 2);
    let at = chunk.write(head);
    for (const part of parts) {
      if (typeof part === 'string') at += chunk.write(part, at);
      else {
        chunk.set(part, at);
        at += part.byteLength;
      }
    }
    chunk.write('\r\n', at);
    this.chunk = chunk;
    this.bytes = chunk.subarray(head.length, at);
  }
}
