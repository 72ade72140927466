import { ownerOfCaller } from '../../call/caller.ts';
import { EndpointRequest } from '../../call/endpoint-request.ts';
import type { Call, Gate } from '../../call/gate.ts';
import type { Obtain } from '../../call/obtain.ts';
import type { FairShare } from '../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { memoize } from '../../memoize.ts';
import { unknownQuery } from '../../catalog/model/find-query.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { CachedResult } from '../../results/get-result.ts';
import { endFrame, etagOf } from '../live/events.ts';
import { type EventStream, streamHeaders } from '../live/negotiate.ts';
import type { Live } from '../live/live.ts';
import type { StreamKind } from '../live/stream.ts';
import { changedRows, wholeResults } from '../live/variant.ts';
import { matchesEtag } from '../message/cache-headers.ts';
import type { RequestHead } from '../message/head.ts';
import type { Reply } from '../message/reply.ts';
import { replyResult } from './reply-result.ts';

/** A call whose caller wants to know when the result changes. */
export interface FollowingRequest {
  readonly head: RequestHead;
  readonly call: Call;
  /** The query that the request means in another version; undefined if it means no query there. */
  readonly resolve: (catalog: Catalog) => SavedQuery | undefined;
  readonly result: CachedResult;
}

interface FollowOptions {
  readonly gate: Gate;
  readonly obtain: Obtain;
  readonly live: Live;
  readonly turns: LoopTurns;
  /** Requests in flight, by key: those that wait are not counted. */
  readonly inFlight: FairShare;
}

const restStreams: StreamKind = { endFrame };

/** Replies that follow the result of a query. */
export function buildFollow({ gate, obtain, live, turns, inFlight }: FollowOptions) {
  const rowsOf = memoize((query: SavedQuery) => changedRows(query.rowKey, turns));
  return {
    stream({ head, call, resolve, result: { document } }: FollowingRequest, accepted: EventStream): Reply {
      if (head.method === 'HEAD') return { status: 200, headers: streamHeaders, body: undefined };
      const { endpoint, bound, caller } = call;
      const variant = accepted === 'rows' ? rowsOf(bound.query) : wholeResults;
      const lastId = head.headers['last-event-id'];
      const isKnown = lastId !== undefined && matchesEtag(etagOf(document.digest), lastId);
      const knownDigest = isKnown ? document.digest : undefined;
      const request = { endpoint, resolve, variant, knownDigest };
      const body = live.stream(head, caller.admission, [{ request, call, document }], restStreams);
      return { status: 200, headers: streamHeaders, body };
    },
    /**
     * Waits for another result than the caller has.
     *
     * @throws GatewayError UNAUTHENTICATED, UNKNOWN_QUERY if the query was removed, and as `Gate.open` and `Obtain.whole` do
     */
    async wait({ head, call, resolve, result }: FollowingRequest, seconds: number): Promise<Reply> {
      const { document } = result;
      const { endpoint, caller } = call;
      const { 'if-none-match': known = '' } = head.headers;
      if (!matchesEtag(etagOf(document.digest), known)) return replyResult(result, head.headers);
      const owner = ownerOfCaller(caller);
      inFlight.giveBack(owner);
      const { principal, query } = await live
        .wait(head, caller.admission, { request: { endpoint, resolve }, call, document }, seconds * 1000)
        .finally(() => inFlight.take(owner));
      if (query === undefined) throw unknownQuery();
      const changed = query === endpoint.query ? endpoint : new EndpointRequest(query, endpoint.parameters);
      const admission = { ...caller.admission, principal, noCache: false };
      const later = await obtain.whole(await gate.open(changed, { head, admission }));
      const reply = replyResult(later, head.headers);
      return { ...reply, headers: { ...reply.headers, 'preference-applied': `wait=${seconds}` } };
    },
  };
}
