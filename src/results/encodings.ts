import { promisify } from 'node:util';
import { gzip, gzipSync, zstdCompress, zstdCompressSync } from 'node:zlib';

/** The content codings that a document may be sent in, in order of preference. */
export const codings = ['zstd', 'gzip', 'identity'] as const;

export type Coding = (typeof codings)[number];

/** A document in each coding that it is sent in; compressed ones only of documents worth compressing. */
export type Encodings = Readonly<Partial<Record<Coding, Buffer>>> & { readonly identity: Buffer };

/** Documents of fewer bytes fit one network packet, and compressing them gains nothing. */
export const minCompressedBytes = 1_400;

/** Up to this number of bytes, handing a document to another thread takes longer than compressing it: some 0.1 ms. */
const maxSyncBytes = 8_192;

const inOwnMemory = (compressed: (bytes: Buffer) => Promise<Buffer>) => async (bytes: Buffer) =>
  toOwnMemory(await compressed(bytes));

/** Off the event loop. */
export const compress = {
  zstd: inOwnMemory(promisify(zstdCompress)),
  gzip: inOwnMemory(promisify(gzip)),
};

/** The document in every coding; compression runs off the event loop, unless the document is small. */
export async function encode(identity: Buffer): Promise<Encodings> {
  if (identity.byteLength < minCompressedBytes) return { identity };
  if (identity.byteLength <= maxSyncBytes) return new SmallEncodings(identity);
  const [zstd, gzip] = await Promise.all([compress.zstd(identity), compress.gzip(identity)]);
  return { zstd, gzip, identity };
}

/** Each coding is made for the first caller that accepts it: most results are refreshed before there is one. */
class SmallEncodings {
  readonly identity: Buffer;
  #zstd: Buffer | undefined;
  #gzip: Buffer | undefined;

  constructor(identity: Buffer) {
    this.identity = identity;
  }

  get zstd(): Buffer {
    this.#zstd ??= toOwnMemory(zstdCompressSync(this.identity));
    return this.#zstd;
  }

  get gzip(): Buffer {
    this.#gzip ??= toOwnMemory(gzipSync(this.identity));
    return this.#gzip;
  }

  /** With both codings, of text that compresses to a half at least. */
  get bytes(): number {
    return 2 * this.identity.byteLength;
  }
}

/** The memory that all codings take, in bytes. */
export function bytesOf(encodings: Encodings): number {
  if (encodings instanceof SmallEncodings) return encodings.bytes;
  return Object.values(encodings).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Copies a buffer that is part of a larger one, as zlib's are: it would keep the whole of it in memory. */
export function toOwnMemory(bytes: Buffer): Buffer {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : copyOf(bytes);
}

/** The same bytes in memory of their own. */
export const copyOf = (bytes: Buffer): Buffer => Buffer.from(Uint8Array.prototype.slice.call(bytes).buffer);
