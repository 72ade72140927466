import { GatewayError } from '../errors.ts';
import { acceptReader } from './media-ranges.ts';
import { variesByFormat } from './message/cache-headers.ts';
import { elementsOf, parameterOf, partsOf, weightOf } from './message/list-header.ts';

/** The media type of events. */
export const eventStreamType = 'text/event-stream';

/** A client that prefers a stream of events gets whole results, or changed rows. */
export type EventStream = 'whole' | 'rows';

/**
 * The stream that a caller accepts; undefined if it prefers something else, or names no stream.
 *
 * @throws GatewayError NOT_ACCEPTABLE for another `delta` than rows
 */
export const acceptedStream = acceptReader<EventStream | undefined>(undefined, (accept) => {
  const ranges = elementsOf(accept).map((element) => {
    const [type, ...parameters] = partsOf(element);
    return { type, delta: parameterOf(parameters, 'delta'), weight: weightOf(parameters) };
  });
  const most = Math.max(...ranges.map(({ weight }) => weight));
  const preferred = ranges.find(({ weight }) => weight === most);
  if (preferred?.type !== eventStreamType || most <= 0) return undefined;
  if (preferred.delta === undefined) return 'whole';
  if (preferred.delta === 'rows') return 'rows';
  throw new GatewayError(
    'NOT_ACCEPTABLE',
    `Accept: delta must be rows, as in ${eventStreamType};delta=rows, or be left out`,
  );
});

/** True if a caller who must get a stream has named it, preferred or not. */
export const namesStream = (accept = ''): boolean =>
  elementsOf(accept).some((element) => {
    const [type, ...parameters] = partsOf(element);
    return type === eventStreamType && weightOf(parameters) > 0;
  });

/** Ends an operation of GraphQL over SSE. `EventSource` passes on only events that have data. */
export const completeEvent = 'event: complete\ndata: \n\n';

/**
 * The headers of a response with events: nothing between us and the client may keep, delay or change it. One object for all,
 * from which the lines of the head are made once.
 */
export const streamHeaders = {
  'content-type': `${eventStreamType}; charset=utf-8`,
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  vary: variesByFormat,
} as const;
