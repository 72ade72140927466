import type { Call } from '../../call/gate.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Principal } from '../../keys/principal.ts';
import type { Admission } from '../../call/caller.ts';
import type { RequestHead } from '../../http/message/head.ts';
import type { StreamBody } from '../../http/message/stream/stream-body.ts';
import type { ResultDocument } from '../../results/result-document.ts';
import type { FollowRequest, StreamKind } from './stream.ts';

/** A query that is to be followed, with its result until now. */
export interface Followed {
  readonly request: FollowRequest;
  readonly call: Call;
  readonly document: ResultDocument;
}

/** A query for whose next result a request waits. */
export interface Waiting extends Pick<Followed, 'call' | 'document'> {
  readonly request: Pick<FollowRequest, 'endpoint' | 'resolve'>;
}

/** Everything that clients follow. */
export interface Live {
  /** A response with the results of some queries as they change. @throws GatewayError OVERLOADED */
  stream(head: RequestHead, admission: Admission, queries: readonly Followed[], kind: StreamKind): StreamBody;
  /**
   * Waits until the result of a query is another one than the given, or the query has changed, or the time is over, or the
   * caller has gone.
   *
   * @returns what the caller may do then, and the query that the request means then; undefined if it means none
   * @throws GatewayError OVERLOADED; UNAUTHENTICATED if the key is not valid any more
   */
  wait(
    head: RequestHead,
    admission: Admission,
    query: Waiting,
    ms: number,
  ): Promise<{ readonly principal: Principal; readonly query: SavedQuery | undefined }>;
  /** Ends streams of queries that have changed. */
  replaceCatalog(catalog: Catalog): void;
  /** Ends all streams: their clients come back after some seconds. */
  end(): void;
  close(): void;
}
