import type { Call } from '../call/gate.ts';
import type { Catalog, SavedQuery } from '../catalog/model/saved-query.ts';
import type { GatewayError } from '../errors.ts';
import type { CachedResult } from '../results/get-result.ts';
import type { ResultDocument } from '../results/result-document.ts';
import type { RequestHead } from './message/head.ts';
import type { Reply } from './message/reply.ts';
import type { EventStream } from './accepted-stream.ts';

/** A call whose caller wants to know of later results too. */
export interface FollowedCall {
  readonly call: Call;
  readonly head: RequestHead;
  /** The query that the same request means in another version of the catalog; undefined if it means no query there. */
  readonly resolve: (catalog: Catalog) => SavedQuery | undefined;
}

/** The same by REST. */
export interface FollowedRequest extends FollowedCall {
  /** True if it requests neither some rows of the result nor a page of them. */
  readonly isWhole: boolean;
  /** The reply with a result, as it is now. */
  reply(result: CachedResult): Reply;
  /** Waits for something while the request does not count as one in flight. */
  idle<T>(wait: () => Promise<T>): Promise<T>;
}

/** The same by a field of a subscription. */
export interface FollowedField extends FollowedCall {
  readonly writer: ResultWriter;
}

/** Writes the results of a call, one after another, as JSON. */
export interface ResultWriter {
  /** Equal for calls whose results are written alike. */
  readonly id: string;
  /** @throws GatewayError for what passes: it is tried again with the next result */
  write(document: ResultDocument): Promise<Uint8Array>;
  /** Says why there is no newer result. */
  error(error: GatewayError): string;
}

/** Answers callers who want to know of later results too: the part of a plug-in. */
export interface Following {
  /** Replies with events. @throws GatewayError NOT_ACCEPTABLE if the result cannot be followed, and as REST does */
  stream(request: FollowedRequest, events: EventStream): Promise<Reply>;
  /** Replies when there is another result than the caller has; undefined if the request does not wait for one. */
  wait(request: FollowedRequest): Promise<Reply> | undefined;
  /** Replies to a subscription with events. @throws GatewayError as `stream` does */
  subscribe(field: FollowedField): Promise<Reply>;
}
