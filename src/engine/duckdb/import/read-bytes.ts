import { open } from 'node:fs/promises';

const chunkBytes = 8 << 20;

/** The bytes of a file from one offset to another, in big pieces; fewer where the file ends before. */
export async function* readBytes(
  path: string,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  const handle = await open(path);
  try {
    for (let at = from; at < to; ) {
      const { bytesRead, buffer } = await handle.read(
        Buffer.allocUnsafe(Math.min(chunkBytes, to - at)),
        0,
        Math.min(chunkBytes, to - at),
        at,
      );
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}
