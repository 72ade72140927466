import { LRUCache } from 'lru-cache';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { GatewayError, type GatewayErrorOptions } from '../../errors.ts';
import type { Renderer } from '../../formats/renderer.ts';
import { json, type Renderers } from '../../formats/renderers.ts';
import { memoize } from '../../memoize.ts';
import { elementsOf, parameterOf, partsOf, weightOf } from '../message/list-header.ts';
import type { FormatOfUrl } from '../message/prepared-request.ts';

/** The parameter that names a format. */
export const formatParameter = 'format';

/**
 * The form of a response. Ask only for callers who may query the endpoint: the answer says that it exists.
 *
 * @param accept the header as received
 * @throws GatewayError NOT_ACCEPTABLE; INVALID_PARAMETER if the parameter is repeated
 */
export function chooseRenderer(
  renderers: Renderers,
  ofUrl: FormatOfUrl | undefined,
  accept: string | undefined,
  { query, sql }: BoundQuery,
): Renderer {
  const problemWith = (one: Renderer) => one.unavailable?.(query, sql !== undefined);
  const refuse = (problem: string, options: GatewayErrorOptions = {}) => {
    const names = renderers.all.filter((one) => problemWith(one) === undefined).flatMap((one) => one.names);
    const available = `available as extension, as ?${formatParameter}= or by media type in Accept: ${names.join(', ')}`;
    return new GatewayError('NOT_ACCEPTABLE', `${problem}; ${available}`, options);
  };
  switch (ofUrl) {
    case undefined: {
      const chosen = acceptedBy(renderers, accept).find((one) => problemWith(one) === undefined);
      if (chosen === undefined) throw refuse('Accept: it names no media type that is available here');
      return chosen;
    }
    case 'repeated parameter':
      throw new GatewayError('INVALID_PARAMETER', `${formatParameter}: given more than once; send it once`, {
        parameter: formatParameter,
      });
    case 'unknown parameter':
      throw refuse(`${formatParameter}: there is no such format`, { parameter: formatParameter });
    case 'unknown extension':
      throw refuse('The path ends in the extension of no format');
  }
  const problem = problemWith(ofUrl);
  if (problem !== undefined) throw refuse(`${query.name} ${problem}`);
  return ofUrl;
}

const onlyJson: readonly Renderer[] = [json];

function acceptedBy(renderers: Renderers, accept: string | undefined): readonly Renderer[] {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return onlyJson;
  const parsed = parsedBy(renderers);
  const preferred = parsed.get(accept) ?? preferredBy(renderers, accept);
  if (accept.length <= maxParsedLength) parsed.set(accept, preferred);
  return preferred;
}

/** Clients send the same few values again and again. */
const parsedBy = memoize((_: Renderers) => new LRUCache<string, readonly Renderer[]>({ max: 100 }));
const maxParsedLength = 1_024;

interface MediaRange {
  readonly type: string;
  readonly version: string | undefined;
  readonly weight: number;
  readonly place: number;
}

/** 3: the type itself, 2: `text/*`, 1: any, 0: the range does not match. */
type Specificity = 0 | 1 | 2 | 3;

/**
 * The forms that a caller accepts, the preferred ones first: those of greater weight, then those that it names, then those
 * that it names earlier. JSON comes first among equals.
 *
 * @see RFC 9110, 12.5.1
 */
function preferredBy(renderers: Renderers, accept: string): readonly Renderer[] {
  const ranges = elementsOf(accept).map(parseRange);
  if (accept.trim() === '') return onlyJson;
  return renderers.all
    .flatMap((format) => {
      const matches = ranges.map((range) => ({ ...range, specificity: specificityOf(range, format) }));
      const [best] = matches
        .filter(({ specificity }) => specificity > 0)
        .sort((a, b) => b.specificity - a.specificity || b.weight - a.weight);
      return best === undefined || best.weight <= 0 ? [] : [{ format, ...best }];
    })
    .sort((a, b) => b.weight - a.weight || b.specificity - a.specificity || a.place - b.place)
    .map(({ format }) => format);
}

function parseRange(text: string, place: number): MediaRange {
  const [type, ...parameters] = partsOf(text);
  return { type, version: parameterOf(parameters, 'version'), weight: weightOf(parameters), place };
}

function specificityOf({ type, version }: MediaRange, { mediaTypes, version: ours }: Renderer): Specificity {
  if (mediaTypes.length === 0) return 0;
  if (type === '*/*') return 1;
  if (mediaTypes.includes(type))
    return version === undefined || ours === undefined || version === ours ? 3 : 0;
  return mediaTypes.some((one) => type === `${one.split('/', 1)[0]}/*`) ? 2 : 0;
}
