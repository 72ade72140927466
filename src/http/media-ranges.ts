import { LRUCache } from 'lru-cache';
import { elementsOf, partsOf, weightOf } from './message/list-header.ts';

/** An element of `Accept`. */
export interface MediaRange {
  /** In lower case, as in `text/*`. */
  readonly type: string;
  /** In lower case, as in `version=1`. */
  readonly parameters: readonly string[];
  /** 0 for what the caller does not want. */
  readonly weight: number;
  readonly place: number;
}

/** 3: the type itself, 2: `text/*`, 1: any, 0: the range does not match. */
export type Specificity = 0 | 1 | 2 | 3;

/** One of several things that a caller accepts, with the range that says so. */
export interface Accepted<Offer> extends MediaRange {
  readonly offer: Offer;
  readonly specificity: Specificity;
}

/**
 * Finds which of several things a caller accepts, in their order: the most specific range decides for each.
 *
 * @param accept the header as received, not empty
 * @see RFC 9110, 12.5.1
 */
export function acceptedOf<Offer>(
  offers: readonly Offer[],
  accept: string,
  specificityFor: (range: MediaRange, offer: Offer) => Specificity,
): readonly Accepted<Offer>[] {
  const ranges = elementsOf(accept).map(parseRange);
  return offers.flatMap((offer) => {
    const [best] = ranges
      .map((range) => ({ ...range, offer, specificity: specificityFor(range, offer) }))
      .filter(({ specificity }) => specificity > 0)
      .sort((a, b) => b.specificity - a.specificity || b.weight - a.weight);
    return best === undefined || best.weight <= 0 ? [] : [best];
  });
}

function parseRange(text: string, place: number): MediaRange {
  const [type, ...parameters] = partsOf(text);
  return { type, parameters, weight: weightOf(parameters), place };
}

/** How specifically a range names a thing with one or more media types. */
export function specificityOf({ type }: MediaRange, mediaTypes: readonly string[]): Specificity {
  if (mediaTypes.length === 0) return 0;
  if (type === '*/*') return 1;
  if (mediaTypes.includes(type)) return 3;
  return mediaTypes.some((one) => type === `${one.split('/', 1)[0]}/*`) ? 2 : 0;
}

/** Longer headers are read again each time. */
const maxKeptLength = 1_024;

/**
 * Reads `Accept`, and keeps what was read: clients send the same few values again and again.
 *
 * @param ofJson for callers who accept JSON or anything, as most do
 */
export function acceptReader<T>(ofJson: T, read: (accept: string) => T): (accept: string | undefined) => T {
  const known = new LRUCache<string, { readonly value: T }>({ max: 100 });
  return (accept) => {
    if (accept === undefined || accept === '*/*' || accept === 'application/json') return ofJson;
    const kept = known.get(accept) ?? { value: read(accept) };
    if (accept.length <= maxKeptLength) known.set(accept, kept);
    return kept.value;
  };
}
