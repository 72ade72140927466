import { ownerOf } from '../../keys/principal.ts';
import type { FairShare } from '../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { memoize } from '../../memoize.ts';
import { unknownQuery } from '../../catalog/model/find-query.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { CachedResult } from '../../results/get-result.ts';
import { authorizeAndBind } from '../access/authorize.ts';
import { endFrame, etagOf } from '../live/events.ts';
import { type EventStream, streamHeaders } from '../live/negotiate.ts';
import type { Live } from '../live/live.ts';
import type { StreamKind } from '../live/stream.ts';
import { changedRows, wholeResults } from '../live/variant.ts';
import { matchesEtag } from '../message/cache-headers.ts';
import type { RequestHead } from '../message/head.ts';
import { EndpointRequest } from '../message/prepared-request.ts';
import type { Reply } from '../message/reply.ts';
import type { Admission } from '../message/route.ts';
import { replyResult } from './reply-result.ts';

/** A request that was bound, of a caller who wants to know when the result changes. */
export interface FollowingRequest {
  readonly head: RequestHead;
  readonly admission: Admission;
  readonly endpoint: EndpointRequest;
  readonly bound: BoundQuery;
  /** The query that the request means in another version; undefined if it means no query there. */
  readonly resolve: (catalog: Catalog) => SavedQuery | undefined;
  readonly result: CachedResult;
}

interface FollowOptions {
  readonly live: Live;
  readonly turns: LoopTurns;
  /** Requests in flight, by key: those that wait are not counted. */
  readonly inFlight: FairShare;
  readonly now: () => Date;
}

const restStreams: StreamKind = { endFrame };

/** Replies that follow the result of a query. */
export function buildFollow({ live, turns, inFlight, now }: FollowOptions) {
  const rowsOf = memoize((query: SavedQuery) => changedRows(query.rowKey, turns));
  return {
    stream(
      { head, admission, endpoint, bound, resolve, result: { document } }: FollowingRequest,
      accepted: EventStream,
    ): Reply {
      if (head.method === 'HEAD') return { status: 200, headers: streamHeaders, body: undefined };
      const variant = accepted === 'rows' ? rowsOf(bound.query) : wholeResults;
      const lastId = head.headers['last-event-id'];
      const isKnown = lastId !== undefined && matchesEtag(etagOf(document.digest), lastId);
      const knownDigest = isKnown ? document.digest : undefined;
      const request = { endpoint, resolve, variant, knownDigest };
      const body = live.stream(head, admission, [{ request, bound, document }], restStreams);
      return { status: 200, headers: streamHeaders, body };
    },
    /**
     * Waits for another result than the caller has.
     *
     * @param resultOf gets the result of the query as it is bound then
     * @throws GatewayError UNAUTHENTICATED, UNKNOWN_QUERY if the query was removed, and as `authorizeAndBind` does
     */
    async wait(
      { head, admission, endpoint, bound, resolve, result }: FollowingRequest,
      seconds: number,
      resultOf: (bound: BoundQuery) => CachedResult | Promise<CachedResult>,
    ): Promise<Reply> {
      const { document } = result;
      const { 'if-none-match': known = '' } = head.headers;
      if (!matchesEtag(etagOf(document.digest), known)) return replyResult(result, head.headers);
      const owner = ownerOf(admission.principal);
      inFlight.giveBack(owner);
      const { principal, query } = await live
        .wait(head, admission, { request: { endpoint, resolve }, bound, document }, seconds * 1000)
        .finally(() => inFlight.take(owner));
      if (query === undefined) throw unknownQuery();
      const changed = query === endpoint.query ? endpoint : new EndpointRequest(query, endpoint.parameters);
      const later = await resultOf(authorizeAndBind(principal, changed, head.headers, now));
      const reply = replyResult(later, head.headers);
      return { ...reply, headers: { ...reply.headers, 'preference-applied': `wait=${seconds}` } };
    },
  };
}
