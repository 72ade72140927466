import { createHash } from 'node:crypto';
import type { CachedResult } from '../../../results/get-result.ts';
import { type Coding, type Encodings, encode } from '../../../results/result-document.ts';
import { cacheHeaders, variesBy } from '../../cache-headers.ts';
import { chooseCoding } from '../../content-coding.ts';
import type { RequestHead } from '../../head.ts';
import type { Reply } from '../../reply.ts';
import { chooseMediaType, type GraphqlMediaType } from '../media-type.ts';

/** Measured: what an entry takes besides its body. */
const overheadBytes = 1_024;

/** Headers of every response to POST. */
export const postHeaders = { 'cache-control': 'private, no-store', vary: variesBy } as const;

/** A response body that is sent again while the results that it was made of are the same. */
export class RenderedResponse {
  #encodings: Encodings;
  #isCompressed = false;
  /** SHA-256 of the body; made when the first GET needs it. */
  #digest: string | undefined;
  /** Replies to POST are equal for all requests. */
  readonly #postReplies = new Map<GraphqlMediaType, Map<Coding, Reply>>();

  constructor(identity: Buffer) {
    this.#encodings = { identity };
  }

  /** What it takes in memory. */
  get bytes(): number {
    return Object.values(this.#encodings).reduce((sum, bytes) => sum + bytes.byteLength, overheadBytes);
  }

  /** Whether it has been compressed, or is being compressed. */
  get isCompressed(): boolean {
    return this.#isCompressed;
  }

  /** Compresses it off the event loop. */
  async compress(): Promise<void> {
    this.#isCompressed = true;
    this.#encodings = await encode(this.#encodings.identity);
  }

  /** @param results that the response was made of */
  reply({ method, headers }: RequestHead, results: readonly CachedResult[], now: () => Date): Reply {
    const accepted = headers['accept-encoding'];
    const coding = accepted === undefined ? 'identity' : chooseCoding(this.#encodings, accepted);
    const mediaType = chooseMediaType(headers.accept);
    if (method !== 'GET') return this.#replyToPost(mediaType, coding);
    if (results.length === 0) return this.#reply(mediaType, coding, { 'cache-control': 'no-store' });
    this.#digest ??= createHash('sha256').update(this.#encodings.identity).digest('base64url');
    const caching = { ...cacheHeaders(results, this.#digest, now()), vary: `${variesBy}, Accept` };
    return this.#reply(mediaType, coding, caching);
  }

  #replyToPost(mediaType: GraphqlMediaType, coding: Coding): Reply {
    const byCoding = this.#postReplies.get(mediaType) ?? new Map<Coding, Reply>();
    this.#postReplies.set(mediaType, byCoding);
    const reply = byCoding.get(coding) ?? this.#reply(mediaType, coding, postHeaders);
    byCoding.set(coding, reply);
    return reply;
  }

  #reply(mediaType: GraphqlMediaType, coding: Coding, caching: Reply['headers']): Reply {
    const body = this.#encodings[coding] ?? this.#encodings.identity;
    const headers = {
      'content-type': `${mediaType}; charset=utf-8`,
      'content-length': String(body.byteLength),
      ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
      ...caching,
    };
    return { status: 200, headers, body };
  }
}
