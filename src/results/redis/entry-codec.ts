import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import {
  type Coding,
  codings,
  digestOf,
  type Encodings,
  type ResultDocument,
  toOwnMemory,
} from '../result-document.ts';

/** To be raised when older gateways can no longer read what newer ones write. */
export const format = 'querygate/1';

/**
 * A result as Redis stores it. It is text, because Keyv's values are text:
 *
 *     querygate/1 <fencing token> <head as JSON>\n<encodings, one after the other, in base64>
 *
 * A document that is stored compressed is not stored uncompressed too.
 *
 * @param fencingToken precedes the head so that a script in Redis can compare it
 */
export function encodeEntry(
  { computedAt, metadata, encodings, digest }: ResultDocument,
  fencingToken: string,
): string {
  const stored = codings.filter((coding) => coding !== 'identity' || encodings.zstd === undefined);
  const parts = stored.flatMap((coding) =>
    encodings[coding] === undefined ? [] : [[coding, encodings[coding]] as const],
  );
  const lengths = Object.fromEntries(parts.map(([coding, bytes]) => [coding, bytes.byteLength]));
  const head = JSON.stringify({ computedAt, facts: metadata, lengths, digest });
  const body = Buffer.concat(parts.map(([, bytes]) => bytes)).toString('base64');
  return `${format} ${fencingToken} ${head}\n${body}`;
}

/** @returns undefined for everything but the complete and unchanged text of `encodeEntry` */
export async function decodeEntry(text: string): Promise<ResultDocument | undefined> {
  const end = text.indexOf('\n');
  const match = new RegExp(`^${format} \\d+ (?<head>\\{.*\\})$`).exec(text.slice(0, end));
  const head = headSchema.safeParse(parseJson(match?.groups?.head ?? ''));
  if (end < 0 || !head.success) return undefined;

  const { lengths, facts, computedAt, digest } = head.data;
  const parts = splitBody(Buffer.from(text.slice(end + 1), 'base64'), lengths);
  const identity = parts.identity ?? (await decompress(parts.zstd));
  if (identity === undefined || digestOf(identity) !== digest) return undefined;
  return { computedAt, metadata: facts, encodings: { ...parts, identity }, digest };
}

/** No longer document is ever written: a small foreign text must not expand to a large document. */
const maxBytes = 512 * 1024 * 1024;

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

const headSchema = z.object({
  computedAt: z.int(),
  facts: z.object({ rowCount: z.int().min(0), truncated: z.boolean(), cost: cost.optional() }),
  lengths: z.object({ zstd: length.optional(), gzip: length.optional(), identity: length.optional() }),
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

async function decompress(bytes: Buffer | undefined): Promise<Buffer | undefined> {
  if (bytes === undefined) return undefined;
  try {
    return toOwnMemory(await decompressZstd(bytes, { maxOutputLength: maxBytes }));
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
