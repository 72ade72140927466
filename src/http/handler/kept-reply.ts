import { bytesOf, type Coding, type Encodings, encode } from '../../results/encodings.ts';
import type { CachedResult } from '../../results/get-result.ts';
import type { ResultDocument } from '../../results/result-document.ts';
import { codedBody, codingFor } from '../message/content-coding.ts';
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
  /** Whether it is to be compressed for the next caller who accepts that. */
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

  /** What it takes in memory. */
  get bytes(): number {
    return overheadBytes + (this.#encodings === undefined ? 0 : bytesOf(this.#encodings));
  }

  /** @param accepted `Accept-Encoding` */
  replyAt(results: readonly CachedResult[], accepted: string | undefined): Reply {
    const [first] = results;
    const encodings = this.#encodings ?? first?.document.encodings;
    if (encodings === undefined) throw new TypeError('a reply without a body was kept');
    const coding = codingFor(encodings, accepted);
    const key = first?.document ?? this;
    const known = this.#recent.get(key)?.[coding];
    const now = first?.obtainedAt ?? 0;
    if (known !== undefined && now >= known.from && now < known.until) return known.reply;
    const { headers, body } = codedBody(encodings, coding);
    const reply = {
      status: this.#status,
      headers: { ...this.#headers, ...headers, ...this.#headersAt?.(results) },
      body,
      logFields: this.#logFields,
    };
    const until = this.#headersAt === undefined ? Number.POSITIVE_INFINITY : nextSecond(results, now);
    this.#recent.set(key, { ...this.#recent.get(key), [coding]: { from: now, until, reply } });
    return reply;
  }

  /** Compresses the body off the event loop, once. @returns undefined if there is nothing to do */
  compress(): Promise<void> | undefined {
    if (!this.#isPlain || this.#encodings === undefined) return undefined;
    this.#isPlain = false;
    return encode(this.#encodings.identity).then((encodings) => {
      this.#encodings = encodings;
    });
  }
}

/** When the first of the results is a second older. */
function nextSecond(results: readonly CachedResult[], now: number): number {
  return results.reduce((next, { document: { begunAt } }) => {
    const seconds = Math.floor(Math.max(0, now - begunAt) / 1000) + 1;
    return Math.min(next, begunAt + seconds * 1000);
  }, Number.POSITIVE_INFINITY);
}
