import { type Coding, codings } from '../../results/encodings.ts';
import { elementsOf, partsOf } from './list-header.ts';

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
  return bestCoding(
    codings.filter((coding) => coding in encodings),
    accepted,
  );
}

/** The first of the codings, in order of preference, that a caller prefers by its `Accept-Encoding`. */
export function bestCoding<Name extends string>(
  available: readonly Name[],
  accepted: string,
): Name | 'identity' {
  const weights = new Map(elementsOf(accepted).map(parseWeight));
  const weightOf = (coding: Name) =>
    weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? leastWeight : 0);
  const [best = 'identity'] = available
    .filter((coding) => weightOf(coding) > 0)
    .sort((a, b) => weightOf(b) - weightOf(a));
  return best;
}

/** `identity` is always accepted, but a caller that names a coding prefers that one. */
const leastWeight = 0.000_1;

function parseWeight(part: string): readonly [string, number] {
  const [coding, ...parameters] = partsOf(part);
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return [coding, Number.isNaN(weight) ? 0 : weight];
}
