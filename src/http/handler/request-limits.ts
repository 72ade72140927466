import { FairShare, type Owner, sharersOf } from '../../concurrency/fair-share.ts';
import { GatewayError } from '../../errors.ts';
import { httpLimits } from '../message/http-limits.ts';
import type { ReadBody } from '../message/route.ts';

/**
 * Bounds requests in flight. A body that is still arriving takes memory too, but must not take the place of requests that
 * are complete: it has a bound of its own.
 */
export const buildRequestLimits = () => ({
  inFlight: new RequestShare(httpLimits.maxRequestsInFlight, 'in flight'),
  arriving: new RequestShare(httpLimits.maxArrivingBodies, 'arriving'),
});

export type RequestLimits = ReturnType<typeof buildRequestLimits>;

/** Counts requests in one state, and bounds them: owners share the number. */
class RequestShare extends FairShare {
  readonly #state: string;

  /** @param state completes the sentence "100 requests are …" */
  constructor(limit: number, state: string) {
    super(limit);
    this.#state = state;
  }

  /** @throws GatewayError OVERLOADED if there are too many, or too many of its owner */
  takePlace(owner: Owner): void {
    if (this.tryTake(owner)) return;
    throw new GatewayError(
      'OVERLOADED',
      `${this.used} requests are ${this.#state}, ${this.heldBy(owner)} of them with ${sharersOf(owner)}, which may not have more now; try again in a moment`,
      { retryAfterSeconds: 1 },
    );
  }
}

/** Reads a body, which is counted meanwhile. @throws GatewayError OVERLOADED */
export async function readArriving(
  arriving: RequestShare,
  owner: Owner,
  readBody: ReadBody,
): Promise<Uint8Array> {
  arriving.takePlace(owner);
  try {
    return await readBody();
  } finally {
    arriving.giveBack(owner);
  }
}

/**
 * Requires that a body is sent as it is, or in chunks: the parser takes other transfer codings too if chunks are the last one,
 * and leaves them in the body. It refuses those without chunks, whose end is unknown.
 *
 * @throws GatewayError NOT_IMPLEMENTED
 * @see RFC 9112, 6.1 and 6.3
 */
export function requireChunked(codings: string): void {
  if (codings === 'chunked' || !/,\s*chunked\s*$/i.test(codings)) return;
  throw new GatewayError('NOT_IMPLEMENTED', 'Transfer-Encoding: only chunked is supported; send it alone');
}
