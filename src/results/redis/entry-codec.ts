import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { type Coding, codings, type Encodings, toOwnMemory } from '../encodings.ts';
import { nextDocumentId, type ResultDocument } from '../result-document.ts';
import type { CacheCrypto } from './cache-crypto.ts';
import { format } from './format-version.ts';

/**
 * A result as Redis stores it. It is text, because Keyv's values are text:
 *
 *     querygate/2 <fencing token> <signature> <head as JSON>\n<encodings, one after the other, in base64>
 *
 * A document that is stored compressed is not stored uncompressed too. The signature covers everything but the format,
 * and the cache key: a result is valid under no other key.
 *
 * @param fencingToken comes first so that a script in Redis can compare it
 * @returns undefined for a document that is too large to be shared
 */
export function encodeEntry(
  key: string,
  document: ResultDocument,
  fencingToken: string,
  { sign }: Pick<CacheCrypto, 'sign'>,
): string | undefined {
  const { computedAt, metadata, encodings, digest } = document;
  const size = encodings.identity.byteLength;
  if (size > maxDocumentBytes(metadata.rowCount)) return undefined;
  const stored = codings.filter((coding) => coding !== 'identity' || encodings.zstd === undefined);
  const parts = stored.flatMap((coding) =>
    encodings[coding] === undefined ? [] : [[coding, encodings[coding]] as const],
  );
  const lengths = Object.fromEntries(parts.map(([coding, bytes]) => [coding, bytes.byteLength]));
  const head = JSON.stringify({ computedAt, metadata, lengths, size, digest });
  const text = `${head}\n${Buffer.concat(parts.map(([, bytes]) => bytes)).toString('base64')}`;
  return `${format} ${fencingToken} ${sign('result', key, `${fencingToken} ${text}`)} ${text}`;
}

/**
 * The document of a text of `encodeEntry` under the same key and secret. Nothing of another text is parsed or inflated.
 *
 * @param maxRows of the query: a result with more rows is not one of it
 */
export async function decodeEntry(
  key: string,
  entry: string,
  maxRows: number,
  { isSigned }: Pick<CacheCrypto, 'isSigned'>,
): Promise<Omit<ResultDocument, 'begunAt'> | undefined> {
  const match = prefix.exec(entry);
  const { fencingToken, signature = '' } = match?.groups ?? {};
  if (match === null) return undefined;
  const text = entry.slice(match[0].length);
  if (!isSigned('result', key, `${fencingToken} ${text}`, signature)) return undefined;

  const end = text.indexOf('\n');
  const head = headSchema.safeParse(parseJson(text.slice(0, end)));
  if (end < 0 || !head.success) return undefined;
  const { lengths, metadata, computedAt, size, digest } = head.data;
  if (metadata.rowCount > maxRows || size > maxDocumentBytes(metadata.rowCount)) return undefined;
  const parts = splitBody(Buffer.from(text.slice(end + 1), 'base64'), lengths);
  const identity = parts.identity ?? (await inflate(parts.zstd, size));
  if (identity?.byteLength !== size) return undefined;
  return { id: nextDocumentId(), computedAt, metadata, encodings: { ...parts, identity }, digest };
}

const prefix = new RegExp(`^${format} (?<fencingToken>\\d{1,20}) (?<signature>[\\w-]{43}) (?=\\{)`);

/** The longest document that is shared. */
const maxBytes = 64 * 1024 * 1024;

/** The most bytes of a row on average: log lines take some kilobytes. Larger documents are cached in memory only. */
const maxRowBytes = 1024 * 1024;

/** The longest document of so many rows. */
function maxDocumentBytes(rowCount: number): number {
  return Math.min(maxBytes, (rowCount + 1) * maxRowBytes);
}

/** The longest text of `encodeEntry` for so many rows: two compressed encodings in base64, and what precedes them. */
export function maxEntryLength(maxRows: number): number {
  return Math.ceil(((2 * maxDocumentBytes(maxRows)) / 3) * 4) + 4_096;
}

const length = z.int().min(0).max(maxBytes);

/** JSON omits what an engine has not reported. */
const maybe = <T extends z.ZodType>(type: T) => type.optional().transform((value) => value);

const cost = z.object({
  bytesProcessed: maybe(z.number()),
  bytesBilled: maybe(z.number()),
  slotMs: maybe(z.number()),
  cacheHit: maybe(z.boolean()),
  jobId: maybe(z.string()),
});

const column = z.object({ name: z.string(), type: maybe(z.string()), repeated: z.boolean() });

/** Beyond it a text is not the state of a result. */
const maxStateLength = 10_000;

const headSchema = z.object({
  computedAt: z.int(),
  metadata: z.object({
    rowCount: z.int().min(0),
    truncated: z.boolean(),
    cost: cost.optional(),
    dataVersion: maybe(z.string()),
    columns: z.array(column).optional(),
    state: z.string().max(maxStateLength).optional(),
  }),
  lengths: z.object({ zstd: length.optional(), gzip: length.optional(), identity: length.optional() }),
  size: length,
  digest: z.string(),
});

function splitBody(
  bytes: Buffer,
  lengths: Readonly<Partial<Record<Coding, number | undefined>>>,
): Partial<Encodings> {
  let offset = 0;
  const parts = codings.flatMap((coding) => {
    const size = lengths[coding];
    if (size === undefined) return [];
    const part = toOwnMemory(bytes.subarray(offset, offset + size));
    offset += size;
    return [[coding, part] as const];
  });
  return offset === bytes.byteLength ? Object.fromEntries(parts) : {};
}

const decompressZstd = promisify(zstdDecompress);

/** Off the event loop, in few steps: each step of the default 16 KB is a turn of the loop. */
const inflateStepBytes = 1024 * 1024;

async function inflate(bytes: Buffer | undefined, size: number): Promise<Buffer | undefined> {
  if (bytes === undefined) return undefined;
  const chunkSize = Math.max(Math.min(size, inflateStepBytes), 64);
  try {
    return toOwnMemory(await decompressZstd(bytes, { maxOutputLength: Math.max(size, 1), chunkSize }));
  } catch {
    return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
