import { createHash } from 'node:crypto';
import type { CachedResult } from '../../../results/get-result.ts';
import { type Encodings, encode } from '../../../results/result-document.ts';
import { cacheHeaders, variesBy } from '../../cache-headers.ts';
import { chooseCoding } from '../../content-coding.ts';
import type { RequestHead } from '../../head.ts';
import type { Reply } from '../../reply.ts';
import { chooseMediaType } from '../media-type.ts';

/** One response body, kept to be sent again, with what was made of it. */
export interface RenderedResponse {
  encodings: Encodings;
  /** SHA-256 of the body; made when the first GET needs it. */
  digest: string | undefined;
  /** Whether it is encode, or being encode. */
  isCompressing: boolean;
  /** POST replies by media type and coding: they are equal for every request. */
  readonly replies: Map<string, Reply>;
}

export function renderResponse(identity: Buffer): RenderedResponse {
  return {
    encodings: { identity },
    digest: undefined,
    isCompressing: false,
    replies: new Map(),
  };
}

/** What a rendered response takes in memory, in bytes. */
export function renderedBytes({ encodings }: RenderedResponse): number {
  const overhead = 1_024;
  return Object.values(encodings).reduce((sum, bytes) => sum + bytes.byteLength, overhead);
}

/** Compresses off the event loop; resolves when the response is sent encode to callers that accept it. */
export async function compressResponse(rendered: RenderedResponse): Promise<void> {
  if (rendered.isCompressing) return;
  rendered.isCompressing = true;
  rendered.encodings = await encode(rendered.encodings.identity);
}

/** @param results that the response is made of; without errors */
export function replyRendered(
  rendered: RenderedResponse,
  { method, headers }: RequestHead,
  results: readonly CachedResult[],
  now: () => Date,
): Reply {
  const accepted = headers['accept-encoding'];
  const coding = accepted === undefined ? 'identity' : chooseCoding(rendered.encodings, accepted);
  const mediaType = chooseMediaType(headers.accept);
  if (method === 'GET') {
    const body = rendered.encodings[coding] ?? rendered.encodings.identity;
    rendered.digest ??= createHash('sha256').update(rendered.encodings.identity).digest('base64url');
    const caching =
      results.length === 0
        ? { 'cache-control': 'no-store' }
        : {
            ...cacheHeaders(results, rendered.digest, now()),
            vary: `${variesBy}, Accept`,
          };
    return { status: 200, headers: { ...bodyHeaders(mediaType, coding, body), ...caching }, body };
  }
  const key = `${mediaType} ${coding}`;
  const known = rendered.replies.get(key);
  if (known !== undefined) return known;
  const body = rendered.encodings[coding] ?? rendered.encodings.identity;
  const reply = { status: 200, headers: { ...bodyHeaders(mediaType, coding, body), ...postCaching }, body };
  rendered.replies.set(key, reply);
  return reply;
}

/** Of every response to POST. */
export const postCaching = { 'cache-control': 'private, no-store', vary: variesBy } as const;

function bodyHeaders(mediaType: string, coding: string, body: Uint8Array): Reply['headers'] {
  return {
    'content-type': `${mediaType}; charset=utf-8`,
    'content-length': String(body.byteLength),
    ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
  };
}
