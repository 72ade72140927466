import { createHash } from 'node:crypto';
import type { Owner } from '../../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import { type Coding, type Encodings, encode } from '../../../results/result-document.ts';
import { cacheHeaders, variesBy, variesByFormat } from '../../message/cache-headers.ts';
import { chooseCoding } from '../../message/content-coding.ts';
import type { RequestHead } from '../../message/head.ts';
import type { Reply } from '../../message/reply.ts';
import { chooseMediaType, type GraphqlMediaType } from '../media-type.ts';

/** Measured: what an entry takes besides its body. */
const overheadBytes = 1_024;

/** Hashed at once: some milliseconds, on processors without instructions for it. */
const bytesPerStep = 1_000_000;

/** Headers of every response to POST. */
export const postHeaders = { 'cache-control': 'private, no-store', vary: variesBy } as const;

/** A response body that is sent again while the results that it was made of are the same. */
export class RenderedResponse {
  #encodings: Encodings;
  #isCompressed = false;
  /** SHA-256 of the body; made when the first GET needs it. */
  #digest: string | undefined;
  #hashing: Promise<void> | undefined;
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

  /** Hashes the body, once, a large one in steps: replies to GET have an ETag. */
  hash(turns: LoopTurns, owner: Owner): Promise<void> {
    this.#hashing ??= this.#hashInSteps(turns, owner);
    return this.#hashing;
  }

  async #hashInSteps(turns: LoopTurns, owner: Owner): Promise<void> {
    const { identity } = this.#encodings;
    const hash = createHash('sha256');
    for (let at = 0; at < identity.byteLength; at += bytesPerStep) {
      const turn = turns.next(owner);
      if (turn !== undefined) await turn;
      hash.update(identity.subarray(at, at + bytesPerStep));
    }
    this.#digest = hash.digest('base64url');
  }

  /** @param results that the response was made of; for GET, `hash` must have been awaited */
  reply({ method, headers }: RequestHead, results: readonly CachedResult[], now: () => Date): Reply {
    const accepted = headers['accept-encoding'];
    const coding = accepted === undefined ? 'identity' : chooseCoding(this.#encodings, accepted);
    const mediaType = chooseMediaType(headers.accept);
    if (method !== 'GET') return this.#replyToPost(mediaType, coding);
    if (results.length === 0) return this.#reply(mediaType, coding, { 'cache-control': 'no-store' });
    if (this.#digest === undefined) throw new Error('a body that was not hashed');
    const caching = { ...cacheHeaders(results, this.#digest, now()), vary: variesByFormat };
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
