import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip, zstdCompress } from 'node:zlib';
import type { Cost, Rows } from '../engine/engine.ts';

/** Small things that are told beside the rows. They are kept with them, as JSON. */
export interface ResultMetadata {
  readonly rowCount: number;
  /** True where max rows cut the result. */
  readonly truncated: boolean;
  /** What computing the rows cost; only from engines that are paid for. */
  readonly cost?: Cost | undefined;
}

/** How a document may be written on the wire, the best first. */
export const codings = ['zstd', 'gzip', 'identity'] as const;

export type Coding = (typeof codings)[number];

/** The document in every form that is kept; the compressed ones only where they are worth it. */
export type Encodings = Readonly<Partial<Record<Coding, Buffer>>> & { readonly identity: Buffer };

/**
 * The rows of one run, serialised and compressed once for all callers. The document is `{"result":[…]}` in UTF-8, as REST
 * sends it; GraphQL reads its rows from there.
 */
export interface ResultDocument {
  /** When the run began, in milliseconds since the epoch. */
  readonly computedAt: number;
  readonly metadata: ResultMetadata;
  readonly encodings: Encodings;
  /** Of the document: equal for equal rows, whenever they were computed. */
  readonly digest: string;
  /** Of the content: two with one version are the same in everything, so that what is made of one serves for both. */
  readonly version: string;
}

/** Below this many bytes an answer fits one packet, and compression saves nothing. */
const worthCompressing = 1_400;

const compress = { zstd: promisify(zstdCompress), gzip: promisify(gzip) };

/** @param computedAt when the run began, in milliseconds since the epoch */
export async function buildDocument(
  { rows, truncated, cost }: Rows,
  computedAt: number,
): Promise<ResultDocument> {
  const text = `{"result":[${rows.join(',')}]}`;
  // Not from Node's pool: a small buffer that is kept would keep its whole slab.
  const identity = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  identity.write(text);
  const facts = { rowCount: rows.length, truncated, ...(cost && { cost }) };
  return content({
    computedAt,
    metadata: facts,
    encodings: await compressed(identity),
    digest: digestOf(identity),
  });
}

export function content(parts: Omit<ResultDocument, 'version'>): ResultDocument {
  const { digest, computedAt, metadata: facts } = parts;
  return { ...parts, version: digestOf(JSON.stringify([digest, computedAt, facts])) };
}

export function digestOf(document: Buffer | string): string {
  return createHash('sha256').update(document).digest('base64url');
}

/** What a content takes in memory, in bytes. */
export function sizeOf({ encodings: forms }: ResultDocument): number {
  return codings.reduce((sum, coding) => sum + (forms[coding]?.byteLength ?? 0), 0);
}

export function parseRows({
  encodings: forms,
}: ResultDocument): readonly Readonly<Record<string, unknown>>[] {
  return (JSON.parse(forms.identity.toString()) as { result: Record<string, unknown>[] }).result;
}

export async function compressed(identity: Buffer): Promise<Encodings> {
  if (identity.byteLength < worthCompressing) return { identity };
  const [zstd, gzip] = await Promise.all([compress.zstd(identity), compress.gzip(identity)]);
  return { zstd: own(zstd), gzip: own(gzip), identity };
}

/** Zlib's buffers are parts of larger ones. */
export function own(bytes: Buffer): Buffer {
  return bytes.byteLength === bytes.buffer.byteLength
    ? bytes
    : Buffer.from(Uint8Array.prototype.slice.call(bytes).buffer);
}
