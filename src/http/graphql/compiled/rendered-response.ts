import { createHash } from 'node:crypto';
import type { Owner } from '../../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import { bytesOf, type Coding, type Encodings, encode } from '../../../results/encodings.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import { chooseCoding } from '../../message/content-coding.ts';
import type { RequestHead } from '../../message/head.ts';
import type { MadeOf, Reply } from '../../message/reply.ts';
import { cachingOf, replyGraphql } from '../graphql-reply.ts';
import { chooseMediaType, type GraphqlMediaType } from '../media-type.ts';
import type { OperationRequest } from './operation-request.ts';

/** Measured: what an entry takes besides its body. */
const overheadBytes = 1_024;

/** Hashed at once: some milliseconds, on processors without instructions for it. */
const bytesPerStep = 1_000_000;

/** A response body that is sent again while the results that it was made of are the same. */
export class RenderedResponse {
  #encodings: Encodings;
  /** Whether it has been compressed, or is being compressed. */
  isCompressed = false;
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
    return bytesOf(this.#encodings) + overheadBytes;
  }

  /** Compresses it off the event loop. */
  async compress(): Promise<void> {
    this.isCompressed = true;
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
  reply({ method, headers }: RequestHead, results: readonly CachedResult[]): Reply {
    const accepted = headers['accept-encoding'];
    const coding = accepted === undefined ? 'identity' : chooseCoding(this.#encodings, accepted);
    const mediaType = chooseMediaType(headers.accept);
    if (method === 'GET') return this.#reply(mediaType, coding, cachingOf(method, results, this.#digest));
    const byCoding = this.#postReplies.get(mediaType) ?? new Map<Coding, Reply>();
    this.#postReplies.set(mediaType, byCoding);
    const known = byCoding.get(coding);
    if (known !== undefined) return known;
    const reply = this.#reply(mediaType, coding, cachingOf(method, results, undefined));
    byCoding.set(coding, reply);
    return reply;
  }

  /** undefined for a response that says how its results were obtained. */
  madeOf(method: string, { fields }: OperationRequest): MadeOf | undefined {
    if (fields.some(({ writer }) => writer.readsCacheStatus)) return undefined;
    const digest = this.#digest;
    const isDated = method === 'GET' && digest !== undefined;
    return {
      encodings: this.#encodings,
      headersAt: isDated ? (results) => cachingOf(method, results, digest) : undefined,
    };
  }

  #reply(mediaType: GraphqlMediaType, coding: Coding, caching: Reply['headers']): Reply {
    const body = this.#encodings[coding] ?? this.#encodings.identity;
    const headers = {
      'content-type': `${mediaType}; charset=utf-8`,
      ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
    };
    return replyGraphql({ body, headers }, caching);
  }
}
