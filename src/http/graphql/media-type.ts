import { elementsOf, partsOf } from '../message/list-header.ts';

export type GraphqlMediaType = 'application/json' | 'application/graphql-response+json';

/**
 * The media type of a GraphQL response, as Yoga chooses it: the first range in `Accept` that one of both types matches;
 * JSON if the range matches both.
 *
 * @param accept as received; `checkMediaTypes` has found a range that matches
 */
export function chooseMediaType(accept: string | undefined): GraphqlMediaType {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'application/json';
  for (const range of elementsOf(accept.replaceAll(/\s/g, ''))) {
    const [type, ...parameters] = partsOf(range);
    const charset = parameters.find((parameter) => parameter.includes('charset='));
    if (charset !== undefined && charset !== 'charset=utf-8') continue;
    if (matches(type, 'application/json')) return 'application/json';
    if (matches(type, 'application/graphql-response+json')) return 'application/graphql-response+json';
  }
  return 'application/json';
}

function matches(range: string, type: GraphqlMediaType): boolean {
  const [group, subtype] = range.split('/');
  const [typeGroup, typeSubtype] = type.split('/');
  return (group === '*' || group === typeGroup) && (subtype === '*' || subtype === typeSubtype);
}
