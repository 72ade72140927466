import { LRUCache } from 'lru-cache';
import { bytesOf, type Coding, codings, encode, type Encodings } from '../../results/encodings.ts';
import { elementsOf, partsOf, weightOf } from './list-header.ts';
import type { Reply } from './reply.ts';

/**
 * The coding of a result that a caller accepts by its `Accept-Encoding` and that costs least.
 *
 * @see RFC 9110, 12.5.3
 */
export function chooseCoding(
  encodings: Readonly<Partial<Record<Coding, unknown>>>,
  accepted: string,
): Coding {
  if (!('zstd' in encodings)) return 'identity';
  const known = chosen.get(accepted) ?? bestCoding(codings, accepted);
  if (accepted.length <= maxChosenLength) chosen.set(accepted, known);
  return known;
}

/** Clients send the same few values again and again. */
const chosen = new LRUCache<string, Coding>({ max: 100 });
const maxChosenLength = 1_024;

/** The coding in which a caller gets a body. @param accepted its `Accept-Encoding` */
export const codingFor = (encodings: Encodings, accepted: string | undefined): Coding =>
  accepted === undefined ? 'identity' : chooseCoding(encodings, accepted);

/** A body in one of its codings, with the headers that describe it. */
export function codedBody(
  encodings: Encodings,
  coding: Coding,
): Pick<Reply, 'headers'> & { readonly body: Buffer } {
  const body = encodings[coding] ?? encodings.identity;
  const length = String(body.byteLength);
  return {
    headers:
      coding === 'identity'
        ? { 'content-length': length }
        : { 'content-length': length, 'content-encoding': coding },
    body,
  };
}

/** A body that is sent again and again, compressed once and off the event loop if that is worth it. */
export class CodedBody {
  readonly #encodings: Encodings;

  private constructor(encodings: Encodings) {
    this.#encodings = encodings;
  }

  static async of(body: Buffer): Promise<CodedBody> {
    return new CodedBody(await encode(body));
  }

  /** Its size in memory. */
  get bytes(): number {
    return bytesOf(this.#encodings);
  }

  /** The body as a caller gets it, with the headers that describe it. @param accepted `Accept-Encoding` */
  in(accepted: string | undefined): ReturnType<typeof codedBody> {
    return codedBody(this.#encodings, codingFor(this.#encodings, accepted));
  }
}

/** The first of the codings, in order of preference, that a caller prefers by its `Accept-Encoding`. */
export function bestCoding<Name extends string>(
  available: readonly Name[],
  accepted: string,
): Name | 'identity' {
  const weights = new Map(
    elementsOf(accepted).map((element) => {
      const [coding, ...parameters] = partsOf(element);
      return [coding === formerGzip ? 'gzip' : coding, weightOf(parameters)];
    }),
  );
  const weightIn = (coding: Name) =>
    weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? leastWeight : 0);
  const [best = 'identity'] = available
    .filter((coding) => weightIn(coding) > 0)
    .sort((a, b) => weightIn(b) - weightIn(a));
  return best;
}

/** Means the same. @see RFC 9110, 8.4.1.3 */
const formerGzip = 'x-gzip';

/** `identity` is always accepted, but a caller that names a coding prefers that one. */
const leastWeight = 0.000_1;
