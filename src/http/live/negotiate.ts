import { LRUCache } from 'lru-cache';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { followSeconds, type SavedQuery } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import { variesByFormat } from '../message/cache-headers.ts';
import { elementsOf, partsOf } from '../message/list-header.ts';
import type { RequestHeaders } from '../message/head.ts';
import { httpLimits } from '../message/http-limits.ts';

export const eventStreamType = 'text/event-stream';

/** What a client that prefers a stream of events gets: whole results, or changed rows. */
export type EventStream = 'whole' | 'rows';

/**
 * What of a stream a caller accepts; undefined if it prefers something else, or names no stream.
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
    const q = Number(parameterOf(parameters, 'q') ?? 1);
    return { type, delta: parameterOf(parameters, 'delta'), weight: Number.isNaN(q) ? 0 : q };
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

const parameterOf = (parameters: readonly string[], name: string): string | undefined =>
  parameters
    .find((one) => one.startsWith(`${name}=`))
    ?.slice(name.length + 1)
    .replaceAll('"', '');

/** Whether a caller who must get a stream has named it, preferred or not. */
export const namesStream = (accept = ''): boolean =>
  elementsOf(accept).some((element) => partsOf(element)[0] === eventStreamType);

/**
 * How many seconds a caller is ready to wait for another result than the one that it has; undefined if it does not wait.
 *
 * @see RFC 7240, "wait"
 */
export function waitSeconds(headers: RequestHeaders): number | undefined {
  const { prefer } = headers;
  if (prefer === undefined || headers['if-none-match'] === undefined) return undefined;
  const [, seconds] = /(?:^|[,;])\s*wait\s*=\s*"?(\d+)"?\s*(?:[,;]|$)/i.exec(prefer) ?? [];
  const requested = Number(seconds ?? 0);
  return requested > 0 ? Math.min(requested, httpLimits.maxWaitMs / 1000) : undefined;
}

/**
 * Of a response with events: nothing between us and the client may keep, delay or change it. One object for all, from which
 * the lines of the head are made once.
 */
export const streamHeaders = {
  'content-type': `${eventStreamType}; charset=utf-8`,
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  vary: variesByFormat,
} as const;

export const isFollowable = ({ caching }: SavedQuery): boolean => followSeconds(caching) !== undefined;

/** @throws GatewayError NOT_ACCEPTABLE if the result of a query cannot be followed */
export function requireFollowable({ query, sql }: BoundQuery): void {
  if (sql !== undefined)
    throw new GatewayError(
      'NOT_ACCEPTABLE',
      'The result of your own SQL cannot be followed; request it again instead',
    );
  if (isFollowable(query)) return;
  throw new GatewayError(
    'NOT_ACCEPTABLE',
    `${query.name} cannot be followed, for its header has neither cache_warming nor live; request it again instead`,
  );
}

/** A part of a result, or another order of its rows, was to be followed. */
export const onlyWhole = (): GatewayError =>
  new GatewayError('NOT_ACCEPTABLE', 'Row arguments and pages of rows cannot be followed; leave them out');
