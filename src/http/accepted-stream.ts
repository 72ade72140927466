import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';
import { variesByFormat } from './message/cache-headers.ts';
import { elementsOf, parameterOf, partsOf, weightOf } from './message/list-header.ts';

/** The media type of events. */
export const eventStreamType = 'text/event-stream';

/** A client that prefers a stream of events gets whole results, or changed rows. */
export type EventStream = 'whole' | 'rows';

/**
 * The stream that a caller accepts; undefined if it prefers something else, or names no stream.
 *
 * @param accept the header as received
 * @throws GatewayError NOT_ACCEPTABLE for another `delta` than rows
 */
export function acceptedStream(accept: string | undefined): EventStream | undefined {
  // Most clients accept JSON, or anything.
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return undefined;
  const known = parsed.get(accept);
  if (known !== undefined) return known === 'none' ? undefined : known;
  const stream = parse(accept);
  if (accept.length <= maxParsedLength) parsed.set(accept, stream ?? 'none');
  return stream;
}

const parsed = new LRUCache<string, EventStream | 'none'>({ max: 100 });
const maxParsedLength = 1_024;

function parse(accept: string): EventStream | undefined {
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
}

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
