import type { Call } from '../../call/gate.ts';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { GatewayError, type GatewayErrorOptions } from '../../errors.ts';
import type { Renderer } from '../../formats/renderer.ts';
import { json, type Renderers } from '../../formats/renderers.ts';
import { memoize } from '../../memoize.ts';
import { parameterOf } from '../message/list-header.ts';
import {
  acceptedOf,
  acceptReader,
  type MediaRange,
  type Specificity,
  specificityOf,
} from '../media-ranges.ts';
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
    const offered = renderers.all.filter((one) => problemWith(one) === undefined);
    const names = offered.flatMap((one) => one.names).join(', ');
    const types = offered.flatMap(({ mediaTypes }) => mediaTypes.slice(0, 1)).join(', ');
    const available = `available by media type in Accept: ${types}; as extension or as ?${formatParameter}=: ${names}`;
    return new GatewayError('NOT_ACCEPTABLE', `${problem}; ${available}`, options);
  };
  switch (ofUrl) {
    case undefined: {
      const chosen = acceptedBy(renderers)(accept).find((one) => problemWith(one) === undefined);
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

/** For a result that cannot be followed: nothing if the caller accepts a form of its rows too. @see RFC 9110, 15.5.7 */
export const orRows =
  (renderers: Renderers, { bound: { query, sql }, caller }: Call) =>
  (error: unknown): undefined => {
    const isRefused = error instanceof GatewayError && error.code === 'NOT_ACCEPTABLE';
    const offers = isRefused ? acceptedBy(renderers)(caller.head.headers.accept) : [];
    if (!offers.some((one) => one.unavailable?.(query, sql !== undefined) === undefined)) throw error;
  };

const onlyJson: readonly Renderer[] = [json];

/**
 * The forms that a caller accepts, the preferred ones first: those of greater weight, then those that it names, then those
 * that it names earlier. JSON comes first among equals.
 *
 * @see RFC 9110, 12.5.1
 */
const acceptedBy = memoize((renderers: Renderers) =>
  acceptReader(onlyJson, (accept) => {
    if (accept.trim() === '') return onlyJson;
    return acceptedOf(renderers.all, accept, specificityFor)
      .toSorted((a, b) => b.weight - a.weight || b.specificity - a.specificity || a.place - b.place)
      .map(({ offer }) => offer);
  }),
);

function specificityFor(range: MediaRange, { mediaTypes, version: ours }: Renderer): Specificity {
  const specificity = specificityOf(range, mediaTypes);
  const version = parameterOf(range.parameters, 'version');
  return specificity < 3 || version === undefined || ours === undefined || version === ours ? specificity : 0;
}
