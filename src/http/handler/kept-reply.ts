import { bytesOf, type Coding, type Encodings, encode } from '../../results/encodings.ts';
import type { ObtainedResult } from '../../results/get-result.ts';
import type { ResultDocument } from '../../results/result-document.ts';
import { chooseCoding, codedBody } from '../message/content-coding.ts';
import type { MadeOf, Reply } from '../message/reply.ts';

/** A reply as it is sent until its headers change. */
interface Recent {
  /** By `elapsedMs`, like the next one. */
  readonly from: number;
  readonly until: number;
  readonly reply: Reply;
}

/** Measured: what a reply takes in memory besides its body. */
const overheadBytes = 1_024;

/** A reply that is sent again while the results that it was made of are current: the same object until its headers change. */
export class KeptReply {
  readonly #status: number;
  readonly #headers: Reply['headers'];
  readonly #logFields: Reply['logFields'];
  readonly #headersAt: MadeOf['headersAt'];
  /** undefined: those of the one result. They must not stay in memory longer than it. */
  #encodings: Encodings | undefined;
  /** True if it is to be compressed for the next caller who accepts that. */
  #isPlain: boolean;
  /** By a document, with which it is given up; a reply that is made of none has one for itself. */
  readonly #recent = new WeakMap<ResultDocument | KeptReply, Partial<Record<Coding, Recent>>>();

  constructor(reply: Reply, { encodings, headersAt, isPacked }: MadeOf, isOfDocument: boolean) {
    const { 'content-length': _length, 'content-encoding': _coding, ...headers } = reply.headers;
    this.#status = reply.status;
    this.#headers = headers;
    this.#logFields = reply.logFields;
    this.#headersAt = headersAt;
    this.#encodings = isOfDocument ? undefined : encodings;
    this.#isPlain = !isOfDocument && isPacked !== true && !('zstd' in encodings);
  }

  /** Its size in memory. */
  get bytes(): number {
    return overheadBytes + (this.#encodings === undefined ? 0 : bytesOf(this.#encodings));
  }

  /**
   * The reply to a request that found it.
   *
   * @param accepted `Accept-Encoding`
   * @param onGrown called when it takes more memory
   * @returns a promise for the first caller who accepts a coding: for others to compress it would be work for nothing
   */
  reply(
    results: readonly ObtainedResult[],
    accepted: string | undefined,
    onGrown: () => void,
  ): Reply | Promise<Reply> {
    if (this.#isPlain && accepted !== undefined) return this.#compress(results, accepted, onGrown);
    const first = results[0]?.result;
    const encodings = this.#encodings ?? first?.document.encodings;
    if (encodings === undefined) throw new TypeError('a reply without a body was kept');
    const coding = accepted === undefined ? 'identity' : chooseCoding(encodings, accepted);
    const key = first?.document ?? this;
    const known = this.#recent.get(key)?.[coding];
    const now = first?.obtainedAt ?? 0;
    if (known !== undefined && now >= known.from && now < known.until) return known.reply;
    const reply = this.#write(results, encodings, coding);
    const until = this.#headersAt === undefined ? Number.POSITIVE_INFINITY : nextSecond(results, now);
    this.#recent.set(key, { ...this.#recent.get(key), [coding]: { from: now, until, reply } });
    return reply;
  }

  #write(obtained: readonly ObtainedResult[], encodings: Encodings, coding: Coding): Reply {
    const { headers, body } = codedBody(encodings, coding);
    const dated = this.#headersAt?.(obtained.map(({ result }) => result));
    const status = this.#status;
    return { status, headers: { ...this.#headers, ...headers, ...dated }, body, logFields: this.#logFields };
  }

  /** Compresses the body off the event loop, once. */
  async #compress(results: readonly ObtainedResult[], accepted: string, onGrown: () => void): Promise<Reply> {
    this.#isPlain = false;
    if (this.#encodings !== undefined) this.#encodings = await encode(this.#encodings.identity);
    onGrown();
    return this.reply(results, accepted, onGrown);
  }
}

/** When the first of the results is a second older, or its relative default a second nearer to its change. */
function nextSecond(results: readonly ObtainedResult[], now: number): number {
  return results.reduce((next, { result: { document, defaultsUntil } }) => {
    const { begunAt } = document;
    const seconds = Math.floor(Math.max(0, now - begunAt) / 1000) + 1;
    const older = begunAt + seconds * 1000;
    const nearer =
      defaultsUntil === undefined ? older : defaultsUntil - Math.floor((defaultsUntil - now) / 1000) * 1000;
    return Math.min(next, older, nearer);
  }, Number.POSITIVE_INFINITY);
}
