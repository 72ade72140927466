import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { followSeconds, type SavedQuery } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import type { RequestHead } from '../../http/message/head.ts';
import { liveLimits } from './live-limits.ts';

/**
 * How many seconds a caller is ready to wait for another result than the one that it has; undefined if it does not wait.
 *
 * @see RFC 7240, "wait"
 */
export function waitSeconds({ headers }: Pick<RequestHead, 'headers'>): number | undefined {
  const { prefer } = headers;
  if (prefer === undefined || headers['if-none-match'] === undefined) return undefined;
  const [, seconds] = /(?:^|[,;])\s*wait\s*=\s*"?(\d+)"?\s*(?:[,;]|$)/i.exec(prefer) ?? [];
  const requested = Number(seconds ?? 0);
  return requested > 0 ? Math.min(requested, liveLimits.maxWaitMs / 1000) : undefined;
}

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
