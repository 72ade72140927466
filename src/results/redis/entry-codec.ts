import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import {
  type Coding,
  codings,
  content,
  digestOf,
  type Encodings,
  own,
  type ResultDocument,
} from '../result-document.ts';

/** Rises when older gateways could no longer read what newer ones write. */
export const format = 'querygate/1';

/**
 * A content as Redis keeps it: text, because Keyv's values are text.
 *
 *     querygate/1 <fence> <head as JSON>\n<forms, one after the other, in base64>
 *
 * Where the document is kept compressed, it is not kept plain too.
 *
 * @param fence rises with every run of one key; it stands first so that Redis itself can refuse an older one
 */
export function storedText(
  { computedAt, metadata: facts, encodings: forms, digest }: ResultDocument,
  fence: string,
): string {
  const kept = codings.filter((coding) => coding !== 'identity' || forms.zstd === undefined);
  const parts = kept.flatMap((coding) =>
    forms[coding] === undefined ? [] : [[coding, forms[coding]] as const],
  );
  const lengths = Object.fromEntries(parts.map(([coding, bytes]) => [coding, bytes.byteLength]));
  const head = JSON.stringify({ computedAt, facts, lengths, digest });
  return `${format} ${fence} ${head}\n${Buffer.concat(parts.map(([, bytes]) => bytes)).toString('base64')}`;
}

/** @returns undefined for anything but what `storedText` wrote, whole */
export async function parseStored(text: string): Promise<ResultDocument | undefined> {
  const end = text.indexOf('\n');
  const found = new RegExp(`^${format} \\d+ (?<head>\\{.*\\})$`).exec(text.slice(0, end));
  const head = headSchema.safeParse(parseJson(found?.groups?.head ?? ''));
  if (end < 0 || !head.success) return undefined;

  const { lengths, facts, computedAt, digest } = head.data;
  const parts = cut(Buffer.from(text.slice(end + 1), 'base64'), lengths);
  const identity = parts.identity ?? (await unzip(parts.zstd));
  if (identity === undefined || digestOf(identity) !== digest) return undefined;
  return content({ computedAt, metadata: facts, encodings: { ...parts, identity }, digest });
}

/** Nothing that is longer was ever written: a small foreign text must not become a large document. */
const longest = 512 * 1024 * 1024;

const length = z.int().min(0).max(longest);

/** JSON leaves out what an engine did not say. */
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

function cut(
  bytes: Buffer,
  lengths: Readonly<Partial<Record<Coding, number | undefined>>>,
): Partial<Encodings> {
  let at = 0;
  const parts = codings.flatMap((coding) => {
    const size = lengths[coding];
    if (size === undefined) return [];
    const part = own(bytes.subarray(at, at + size));
    at += size;
    return [[coding, part] as const];
  });
  return at === bytes.byteLength ? Object.fromEntries(parts) : {};
}

const decompress = promisify(zstdDecompress);

async function unzip(bytes: Buffer | undefined): Promise<Buffer | undefined> {
  if (bytes === undefined) return undefined;
  try {
    return own(await decompress(bytes, { maxOutputLength: longest }));
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
