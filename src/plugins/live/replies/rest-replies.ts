import { EndpointRequest } from '../../../call/endpoint-request.ts';
import { unknownQuery } from '../../../catalog/model/find-query.ts';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import type { PluginHost } from '../../../gateway/plugin.ts';
import type { FollowedRequest } from '../../../http/following.ts';
import { matchesEtag } from '../../../http/message/cache-headers.ts';
import type { Reply } from '../../../http/message/reply.ts';
import type { EventStream } from '../../../http/accepted-stream.ts';
import { memoize } from '../../../memoize.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import { endFrame, etagOf } from '../events/event-frames.ts';
import { changedRows, wholeResults } from '../events/variant.ts';
import { onlyWhole } from '../followable.ts';
import type { Live } from '../followed.ts';
import type { StreamKind } from '../stream.ts';
import { replyWithStream } from './stream-reply.ts';

const restStreams: StreamKind = { endFrame };

/** Replies of REST that follow the result of a query. */
export function buildRestReplies(live: Live, host: PluginHost) {
  const { open, obtain, turns } = host;
  const rowsOf = memoize((query: SavedQuery) => changedRows(query.rowKey, turns));
  return {
    /** @throws GatewayError NOT_ACCEPTABLE, and as REST does */
    async stream(request: FollowedRequest, events: EventStream): Promise<Reply> {
      if (!request.isWhole) throw onlyWhole();
      const variant = events === 'rows' ? rowsOf(request.call.bound.query) : wholeResults;
      return replyWithStream(live, host, request, variant, restStreams);
    },
    /**
     * Waits for another result than the caller has.
     *
     * @throws GatewayError UNAUTHENTICATED, UNKNOWN_QUERY if the query was removed, and as REST does
     */
    async wait({ head, call, resolve, reply, idle }: FollowedRequest, seconds: number): Promise<Reply> {
      const { endpoint, caller } = call;
      const applied = (result: CachedResult): Reply => {
        const { headers, ...others } = reply(result);
        return { ...others, headers: { ...headers, 'preference-applied': `wait=${seconds}` } };
      };
      const { result } = await obtain(call);
      const { document } = result;
      const { 'if-none-match': known = '' } = head.headers;
      if (!matchesEtag(etagOf(document.digest), known)) return applied(result);
      const waiting = { request: { endpoint, resolve }, call, document };
      const { principal, query } = await idle(() =>
        live.wait(head, caller.admission, waiting, seconds * 1000),
      );
      if (query === undefined) throw unknownQuery();
      const changed = query === endpoint.query ? endpoint : new EndpointRequest(query, endpoint.parameters);
      const admission = { ...caller.admission, principal, noCache: false };
      return applied((await obtain(await open(changed, { head, admission }))).result);
    },
  };
}
