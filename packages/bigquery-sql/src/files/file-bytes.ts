import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import zlib from 'node:zlib';

const chunkBytes = 1 << 21;

/**
 * The bytes of a file from one offset to another, in big chunks; fewer if the file ends before. A chunk is valid until
 * the next is read.
 */
export async function* readBytes(
  path: string,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  if (to <= from) return;
  const handle = await open(path);
  try {
    // All chunks share this memory: new pages would cost more than the copying.
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

/** A file whose bytes may be compressed. */
interface PackedFile {
  readonly path: string;
  readonly compression: 'gz' | 'zst' | undefined;
}

/** The compression that the ending of a path says. */
export function compressionOf(path: string): PackedFile['compression'] {
  const ending = /\.(gz|zst)$/i.exec(path)?.[1]?.toLowerCase();
  return ending === 'gz' || ending === 'zst' ? ending : undefined;
}

/**
 * The bytes of a file that may be compressed; a chunk is valid until the next. Node decompresses, because DuckDB accepts a
 * truncated file as a complete one.
 *
 * @throws Error if it is truncated, or not compressed
 */
export async function* decompress({ path, compression }: PackedFile): AsyncGenerator<Buffer> {
  if (compression === undefined) {
    yield* readBytes(path);
    return;
  }
  const { size } = await stat(path);
  // The rotation of logs leaves files of 0 bytes, in which nothing was compressed.
  for (let at = 0; at < size; ) {
    const small = compression === 'zst' ? await smallFrames(path, at) : undefined;
    if (small && small.read > 0) {
      if (small.bytes.length > 0) yield small.bytes;
      at += small.read;
      continue;
    }
    const read = yield* decompressFrom(path, compression, at);
    // A stream of gzip ends with the last of its members, and one of Zstandard with any frame.
    at = compression === 'gz' ? size : at + read;
  }
}

/** The most bytes of a small frame, as it is and decompressed. */
const smallBytes = 1 << 14;

/** The small frames that are decompressed in one turn of the event loop, which takes about two milliseconds. */
const framesPerTurn = 64;

/**
 * Decompresses the small frames from an offset on, of which a file may have one for each row: a stream for each would take
 * many times as long.
 *
 * @returns their bytes, and how many bytes of the file they are: none if the first is a large one, or cannot be read
 */
async function smallFrames(
  path: string,
  from: number,
): Promise<{ readonly bytes: Buffer; readonly read: number }> {
  const parts: Buffer[] = [];
  let read = 0;
  for await (const chunk of readBytes(path, from, from + smallBytes)) {
    while (read < chunk.length && parts.length < framesPerTurn) {
      const frame = decompressFrame(chunk.subarray(read));
      if (frame === undefined) break;
      parts.push(frame.buffer);
      read += frame.engine.bytesWritten;
    }
    break;
  }
  return { bytes: Buffer.concat(parts), read };
}

interface Frame {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** @returns undefined if the bytes do not begin with a whole small frame */
function decompressFrame(bytes: Buffer): Frame | undefined {
  try {
    const options = { info: true, chunkSize: 1 << 12, maxOutputLength: smallBytes };
    // The types of Node lack the form of `info`.
    return zlib.zstdDecompressSync(bytes, options) as unknown as Frame;
  } catch {
    return undefined;
  }
}

/** @returns how many bytes of the file were decompressed */
async function* decompressFrom(
  path: string,
  compression: 'gz' | 'zst',
  start: number,
): AsyncGenerator<Buffer, number> {
  // Frames after the first may be many and small, and bytes after a frame are read again.
  const chunkSize = start === 0 ? 1 << 20 : 1 << 16;
  const decompressor =
    compression === 'gz' ? zlib.createGunzip({ chunkSize }) : zlib.createZstdDecompress({ chunkSize });
  const source = createReadStream(path, { start, highWaterMark: chunkSize });
  source.once('error', (error) => decompressor.destroy(error));
  try {
    for await (const chunk of source.pipe(decompressor)) yield chunk;
  } catch (cause) {
    throw new Error(`cannot be decompressed: ${cause instanceof Error ? cause.message : cause}`, { cause });
  } finally {
    source.destroy();
    decompressor.destroy();
  }
  return decompressor.bytesWritten;
}
