import { ownerOf } from '../../../keys/principal.ts';
import type { Catalog } from '../../../catalog/model/saved-query.ts';
import { publicNames } from '../../../catalog/model/versions.ts';
import { GatewayError } from '../../../errors.ts';
import { memoize } from '../../../memoize.ts';
import { etagOf } from '../../live/events.ts';
import type { Live } from '../../live/live.ts';
import { requireFollowable, streamHeaders } from '../../live/negotiate.ts';
import { matchesEtag } from '../../message/cache-headers.ts';
import type { RequestHead } from '../../message/head.ts';
import type { Reply } from '../../message/reply.ts';
import { logOf } from '../../message/request-trace.ts';
import type { Admission } from '../../../call/caller.ts';
import type { SubscriptionRequest } from '../compiled/operation-request.ts';
import { errorAt, withoutHttp } from '../compiled/partial-reply.ts';
import { asEvents, subscriptionStreams } from './events-reply.ts';
import { buildResultEvents, type ResultEventsOptions } from './result-events.ts';

interface FollowOperationOptions extends ResultEventsOptions {
  readonly live: Live;
}

/**
 * Answers a subscription with a stream of its results.
 *
 * @throws GatewayError for what passes, so that clients try again: RATE_LIMITED, OVERLOADED and so on
 */
export function buildFollowOperation(options: FollowOperationOptions) {
  const { live, gate, obtain, budget, turns, log } = options;
  const variantOf = buildResultEvents(options);
  return async (operation: SubscriptionRequest, head: RequestHead, admission: Admission): Promise<Reply> => {
    const { principal } = admission;
    const [field] = operation.fields;
    if (field === undefined) throw new TypeError('a subscription without a field');
    const { endpoint, nodes, responseKey } = field;
    const name = nodes[0]?.name.value ?? '';
    try {
      const call = await gate.open(endpoint, { head, admission });
      requireFollowable(call.bound);
      const { document } = await obtain.whole(call, true);
      const lastId = head.headers['last-event-id'];
      const isKnown = lastId !== undefined && matchesEtag(etagOf(document.digest), lastId);
      const request = {
        endpoint,
        resolve: (catalog: Catalog) => queriesByField(catalog).get(name),
        variant: variantOf(operation, field, principal),
        knownDigest: isKnown ? document.digest : undefined,
      };
      const body = live.stream(head, admission, [{ request, call, document }], subscriptionStreams);
      return { status: 200, headers: streamHeaders, body };
    } catch (error) {
      if (error instanceof GatewayError && error.retryAfterSeconds !== undefined) throw error;
      const shown = withoutHttp(errorAt(error, nodes, [responseKey], logOf(head, log)));
      const body = JSON.stringify({ errors: [shown] });
      return asEvents({ status: 200, headers: {}, body }, { owner: ownerOf(principal), budget, turns });
    }
  };
}

const queriesByField = memoize(
  (catalog: Catalog) => new Map(publicNames(catalog).map(({ field, query }) => [field, query])),
);
