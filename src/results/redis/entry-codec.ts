import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { type Coding, codings, type Encodings, toOwnMemory } from '../encodings.ts';
import { nextDocumentId, type ResultDocument } from '../result-document.ts';
import type { CacheCrypto } from './cache-crypto.ts';
import { format } from './format-version.ts';

/**
 * A result as Redis stores it. It is text in UTF-8:
 *
 *     querygate/2 <fencing token> <signature> <head as JSON>\n<encodings, one after the other, in base64>
 *
 * A document that is stored compressed is not stored uncompressed too. The signature covers everything but the format,
 * and the cache key: a result is valid under no other key.
 *
 * @param fencingToken comes first so that a script in Redis can compare it
 * @returns undefined for a document that is too large to be shared
 */
export function* encodeEntry(
  key: string,
  document: ResultDocument,
  fencingToken: string,
  { signing }: Pick<CacheCrypto, 'signing'>,
): Generator<void, Buffer | undefined> {
  const { computedAt, metadata, encodings, digest } = document;
  const size = encodings.identity.byteLength;
  if (size > maxDocumentBytes(metadata.rowCount)) return undefined;
  const stored = codings.filter((coding) => coding !== 'identity' || encodings.zstd === undefined);
  const parts = stored.flatMap((coding) =>
    encodings[coding] === undefined ? [] : [[coding, encodings[coding]] as const],
  );
  const lengths = Object.fromEntries(parts.map(([coding, bytes]) => [coding, bytes.byteLength]));
  const head = `${JSON.stringify({ computedAt, metadata, lengths, size, digest })}\n`;
  const body = yield* joinInSteps(parts.map(([, bytes]) => bytes));
  const start = maxPrefixLength + Buffer.byteLength(head);
  const entry = Buffer.allocUnsafeSlow(start + base64Length(body.byteLength));
  entry.write(head, maxPrefixLength);
  const signed = signing('result', key).update(`${fencingToken} ${head}`);
  let end = start;
  for (let at = 0; at < body.byteLength; at += stepBytes) {
    if (at > 0) yield;
    const from = end;
    end += entry.write(body.toString('base64', at, at + stepBytes), from, 'latin1');
    signed.update(entry.subarray(from, end));
  }
  const prefixText = `${format} ${fencingToken} ${signed.digest('base64url')} `;
  const from = maxPrefixLength - prefixText.length;
  entry.write(prefixText, from, 'latin1');
  return entry.subarray(from);
}

/**
 * The document of a text of `encodeEntry` under the same key and secret. Nothing of another text is parsed or inflated.
 *
 * @param maxRows of the query: a result with more rows is not one of it
 */
export async function decodeEntry(
  key: string,
  entry: Buffer,
  maxRows: number,
  crypto: Pick<CacheCrypto, 'signing' | 'isSignature'>,
  turns: LoopTurns,
): Promise<Omit<ResultDocument, 'begunAt'> | undefined> {
  const read = await turns.compute(undefined, readEntry(key, entry, maxRows, crypto));
  if (read === undefined) return undefined;
  const { parts, size, ...facts } = read;
  const identity = parts.identity ?? (await inflate(parts.zstd, size));
  if (identity?.byteLength !== size) return undefined;
  return { id: nextDocumentId(), ...facts, encodings: { ...parts, identity } };
}

function* readEntry(
  key: string,
  entry: Buffer,
  maxRows: number,
  { signing, isSignature }: Pick<CacheCrypto, 'signing' | 'isSignature'>,
) {
  const match = prefix.exec(entry.toString('latin1', 0, maxPrefixLength + 1));
  const { fencingToken, signature = '' } = match?.groups ?? {};
  if (match === null) return undefined;
  const text = entry.subarray(match[0].length);
  const signed = signing('result', key).update(`${fencingToken} `);
  for (let at = 0; at < text.byteLength; at += stepBytes) {
    if (at > 0) yield;
    signed.update(text.subarray(at, at + stepBytes));
  }
  if (!isSignature(signed, signature)) return undefined;

  const end = text.indexOf('\n');
  const head = headSchema.safeParse(parseJson(text.toString('utf8', 0, end)));
  if (end < 0 || !head.success) return undefined;
  const { lengths, metadata, computedAt, size, digest } = head.data;
  if (metadata.rowCount > maxRows || size > maxDocumentBytes(metadata.rowCount)) return undefined;
  const parts = yield* splitBody(text.subarray(end + 1), lengths);
  return { parts, size, metadata, computedAt, digest };
}

const prefix = new RegExp(`^${format} (?<fencingToken>\\d{1,20}) (?<signature>[\\w-]{43}) (?=\\{)`);

/** Longer than what precedes the head: the format, the fencing token and the signature. */
const maxPrefixLength = 100;

/** Bytes that are copied, signed or put into base64 at once: some milliseconds of work. A multiple of 3 and 4, as base64 needs. */
const stepBytes = 1_200_000;

const base64Length = (bytes: number) => Math.ceil(bytes / 3) * 4;

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

/** Each part in memory of its own, as `toOwnMemory` gives it. */
function* splitBody(
  text: Buffer,
  lengths: Readonly<Partial<Record<Coding, number | undefined>>>,
): Generator<void, Partial<Encodings>> {
  const byteLength = codings.reduce((sum, coding) => sum + (lengths[coding] ?? 0), 0);
  if (text.byteLength !== base64Length(byteLength)) return {};
  const parts = codings.flatMap((coding) => {
    const size = lengths[coding];
    return size === undefined ? [] : [[coding, Buffer.allocUnsafeSlow(size)] as const];
  });
  let [at, written] = [0, 0];
  let step = Buffer.alloc(0);
  for (const [, part] of parts) {
    for (let filled = 0; filled < part.byteLength; ) {
      if (written === step.byteLength) {
        if (at > 0) yield;
        step = Buffer.from(text.toString('latin1', at, at + stepBytes), 'base64');
        if (step.byteLength === 0) return {};
        [at, written] = [at + stepBytes, 0];
      }
      const copied = step.copy(part, filled, written);
      [filled, written] = [filled + copied, written + copied];
    }
  }
  return written === step.byteLength ? Object.fromEntries(parts) : {};
}

/** The same bytes one after the other. */
function* joinInSteps(parts: readonly Buffer[]): Generator<void, Buffer> {
  const joined = Buffer.allocUnsafeSlow(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let start = 0;
  for (const part of parts) {
    for (let at = 0; at < part.byteLength; at += stepBytes) {
      if (start + at > 0) yield;
      part.copy(joined, start + at, at, at + stepBytes);
    }
    start += part.byteLength;
  }
  return joined;
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
