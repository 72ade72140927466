import { acceptedStream, type EventStream, eventStreamType } from '../accepted-stream.ts';
import { elementsOf, isInUtf8, partsOf } from '../message/list-header.ts';
import {
  acceptedOf,
  acceptReader,
  type MediaRange,
  type Specificity,
  specificityOf,
} from '../media-ranges.ts';

export type GraphqlMediaType = 'application/json' | 'application/graphql-response+json';

const mediaTypes: readonly GraphqlMediaType[] = ['application/json', 'application/graphql-response+json'];

/**
 * The media type of a GraphQL response: the one that the caller gives more weight, and the one that its ranges match first of
 * equal ones. JSON if a range matches both, and undefined if the caller accepts neither.
 *
 * @see GraphQL over HTTP, "Accept"; RFC 9110, 12.5.1
 */
export const acceptedMediaType = acceptReader<GraphqlMediaType | undefined>('application/json', (accept) => {
  if (accept.trim() === '') return 'application/json';
  const [best] = acceptedOf(mediaTypes, accept, specificityFor).toSorted(
    (a, b) => b.weight - a.weight || a.place - b.place,
  );
  return best?.offer;
});

/** The same, and JSON for an error of a caller who accepts neither. */
export const chooseMediaType = (accept: string | undefined): GraphqlMediaType =>
  acceptedMediaType(accept) ?? 'application/json';

function specificityFor(range: MediaRange, mediaType: GraphqlMediaType): Specificity {
  return isInUtf8(range.parameters) ? specificityOf(range, [mediaType]) : 0;
}

/**
 * The stream that a caller of GraphQL accepts, among the types that GraphQL sends; undefined if it prefers a response.
 * @throws GatewayError as `acceptedStream` does
 */
export function acceptedEvents(accept: string | undefined): EventStream | undefined {
  if (accept === undefined || !accept.toLowerCase().includes(eventStreamType)) return undefined;
  return acceptedStream(elementsOf(accept).filter(isOfGraphql).join(','));
}

const ranges: ReadonlySet<string> = new Set(['*/*', 'application/*', ...mediaTypes, eventStreamType]);

const isOfGraphql = (element: string): boolean => ranges.has(partsOf(element)[0]);
