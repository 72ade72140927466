import type { ValidatedSubscriptionArgs } from 'graphql';
import type { Gate } from '../../../call/gate.ts';
import type { Obtain } from '../../../call/obtain.ts';
import type { Catalog } from '../../../catalog/model/saved-query.ts';
import { publicNames } from '../../../catalog/model/versions.ts';
import { memoize } from '../../../memoize.ts';
import { etagOf } from '../../live/events.ts';
import type { Live } from '../../live/live.ts';
import { requireFollowable, streamHeaders } from '../../live/negotiate.ts';
import { matchesEtag } from '../../message/cache-headers.ts';
import type { Reply } from '../../message/reply.ts';
import type { Operation } from '../context.ts';
import type { FieldToFollow } from '../execution/field-to-follow.ts';
import { subscriptionStreams } from './events-reply.ts';
import { buildResultEvents, type ResultEventsOptions } from './result-events.ts';

interface FollowOptions extends ResultEventsOptions {
  readonly gate: Gate;
  readonly obtain: Obtain;
  readonly live: Live;
}

/** Answers a subscription with a stream of the results of its field. @throws GatewayError as `Gate.open` and `Obtain.whole` do */
export type FollowField = (
  field: FieldToFollow,
  subscription: ValidatedSubscriptionArgs,
  operation: Operation,
) => Promise<Reply>;

export function buildFollowField(options: FollowOptions): FollowField {
  const { live, gate, obtain } = options;
  const variantOf = buildResultEvents(options);
  return async (field, subscription, operation) => {
    const { head, admission } = operation;
    const { endpoint, fieldName } = field;
    const call = await gate.open(endpoint, { head, admission });
    requireFollowable(call.bound);
    const { document } = await obtain.whole(call, true);
    const lastId = head.headers['last-event-id'];
    const isKnown = lastId !== undefined && matchesEtag(etagOf(document.digest), lastId);
    const request = {
      endpoint,
      resolve: (catalog: Catalog) => queriesByField(catalog).get(fieldName),
      variant: variantOf(field, subscription, operation),
      knownDigest: isKnown ? document.digest : undefined,
    };
    const body = live.stream(head, admission, [{ request, call, document }], subscriptionStreams);
    return { status: 200, headers: streamHeaders, body };
  };
}

const queriesByField = memoize(
  (catalog: Catalog) => new Map(publicNames(catalog).map(({ field, query }) => [field, query])),
);
