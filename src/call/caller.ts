import type { Schedule } from '../keys/concurrency-limiter.ts';
import type { Principal } from '../keys/principal.ts';
import type { ObtainedResult } from '../results/get-result.ts';
import type { RequestTrace } from '../trace/span.ts';

/** The rights of an admitted request. */
export interface Admission {
  readonly principal: Principal;
  /** True if the caller bypasses the cache: only the result of a new run is accepted. */
  readonly noCache: boolean;
  /** Runs every query of the request within the key's concurrency; undefined if that has no limit. */
  readonly schedule: Schedule | undefined;
}

/** The parts of a request that its calls need; `RequestHead` has them. */
export interface CallingRequest {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The caller's; undefined if the server does not say it. */
  readonly address: string | undefined;
  /** Aborted when the caller disconnects. The getter is read only when there is something to wait for. */
  readonly signal: AbortSignal;
  readonly trace?: RequestTrace | undefined;
  /** Receives the results of the request: what its answer is made of. */
  readonly results?: ObtainedResult[] | undefined;
}

/** Who calls saved queries in one request. */
export interface Caller {
  readonly head: CallingRequest;
  readonly admission: Admission;
}

/** Who follows a result: an event is not the answer to one request, and has its own lines in the log. */
export const followerOf = (principal: Principal): Caller => ({
  head: { method: 'POST', headers: {}, address: undefined, signal: neverAborted },
  admission: { principal, noCache: false, schedule: undefined },
});

const neverAborted = new AbortController().signal;
