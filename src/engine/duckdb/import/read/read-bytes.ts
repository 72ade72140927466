import { open } from 'node:fs/promises';

const chunkBytes = 1 << 21;

/**
 * The bytes of a file from one offset to another, in big pieces; fewer where the file ends before. A piece is good until
 * the next is asked for.
 */
export async function* readBytes(
  path: string,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  if (to <= from) return;
  const handle = await open(path);
  try {
    // Always the same memory: new pages cost more than the copying.
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, to - from));
    for (let at = from; at < to; ) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, to - at), at);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}
