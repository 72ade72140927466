import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip, zstdCompress } from 'node:zlib';
import type { Cost, Rows } from '../engine/engine.ts';

/** What responses and logs say about a result besides its rows. Stored with it, as JSON. */
interface ResultMetadata {
  readonly rowCount: number;
  /** True when max rows has cut the result. */
  readonly truncated: boolean;
  /** What computing the rows cost; only from engines that charge for it. */
  readonly cost?: Cost | undefined;
}

/** The content codings that a document may be sent in, in order of preference. */
export const codings = ['zstd', 'gzip', 'identity'] as const;

export type Coding = (typeof codings)[number];

/** The document in each coding that is stored; compressed ones only for documents worth compressing. */
export type Encodings = Readonly<Partial<Record<Coding, Buffer>>> & { readonly identity: Buffer };

/**
 * The rows of one run, serialized and compressed once for all callers. The document is `{"result":[…]}` in UTF-8, as REST
 * sends it; GraphQL reads its rows from it.
 */
export interface ResultDocument {
  /** When the run began, in milliseconds since the epoch. */
  readonly computedAt: number;
  readonly metadata: ResultMetadata;
  readonly encodings: Encodings;
  /** SHA-256 of the document: equal for equal rows, whenever they were computed. */
  readonly digest: string;
}

/** Documents of fewer bytes fit one network packet, and compressing them gains nothing. */
const minCompressedBytes = 1_400;

const compress = { zstd: promisify(zstdCompress), gzip: promisify(gzip) };

/** @param computedAt when the run began, in milliseconds since the epoch */
export function buildDocument(rows: Rows, computedAt: number): Promise<ResultDocument> {
  const { truncated, cost } = rows;
  const metadata = { rowCount: rows.rows.length, truncated, ...(cost && { cost }) };
  const identity = serialize(rows);
  const digest = digestOf(identity);
  // Not an async function: while it awaits the compression, it would keep the rows in memory.
  return encode(identity).then((encodings) => ({ computedAt, metadata, encodings, digest }));
}

function serialize({ rows }: Rows): Buffer {
  const text = `{"result":[${rows.join(',')}]}`;
  // Not from Node's pool: a small buffer from there would keep its whole slab in memory.
  const identity = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  identity.write(text);
  return identity;
}

export function digestOf(document: Buffer): string {
  return createHash('sha256').update(document).digest('base64url');
}

/** What a document takes in memory, in bytes. */
export function sizeOf({ encodings }: ResultDocument): number {
  return codings.reduce((sum, coding) => sum + (encodings[coding]?.byteLength ?? 0), 0);
}

export function parseRows({ encodings }: ResultDocument): readonly Readonly<Record<string, unknown>>[] {
  return (JSON.parse(encodings.identity.toString()) as { result: Record<string, unknown>[] }).result;
}

/** The document in every coding; compression runs off the event loop. */
export async function encode(identity: Buffer): Promise<Encodings> {
  if (identity.byteLength < minCompressedBytes) return { identity };
  const [zstd, gzip] = await Promise.all([compress.zstd(identity), compress.gzip(identity)]);
  return { zstd: toOwnMemory(zstd), gzip: toOwnMemory(gzip), identity };
}

/** Copies a buffer that is part of a larger one, as zlib's are: it would keep the whole of it in memory. */
export function toOwnMemory(bytes: Buffer): Buffer {
  return bytes.byteLength === bytes.buffer.byteLength
    ? bytes
    : Buffer.from(Uint8Array.prototype.slice.call(bytes).buffer);
}
