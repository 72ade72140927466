import { FairShare } from '../../concurrency/fair-share.ts';
import { GatewayError } from '../../errors.ts';
import { httpLimits } from '../message/limits.ts';
import type { ReadBody } from '../message/route.ts';

/** One request of a key, counted until it ends. */
export interface CountedRequest {
  /** Counts the request as arriving while its body is read, and as in flight from then on. */
  reading(readBody: ReadBody): ReadBody;
  end(): void;
}

export interface RequestLimits {
  /** @throws GatewayError OVERLOADED if it is beyond the key's share, of requests in flight or of arriving bodies */
  count(keyId: string, method: string): CountedRequest;
}

/**
 * Bounds requests in flight. A body that is still arriving takes memory too, but must not take the place of requests that
 * are complete: it has a bound of its own.
 */
export function buildRequestLimits(): RequestLimits {
  const inFlight = new RequestCounter(httpLimits.maxRequestsInFlight, 'in flight');
  const arriving = new RequestCounter(httpLimits.maxArrivingBodies, 'arriving');
  return {
    count(keyId, method) {
      const request = new KeyRequest(inFlight, arriving, keyId);
      if (method !== 'POST') request.enter();
      return request;
    },
  };
}

class KeyRequest implements CountedRequest {
  readonly #inFlight: RequestCounter;
  readonly #arriving: RequestCounter;
  readonly #keyId: string;
  #isInFlight = false;

  constructor(inFlight: RequestCounter, arriving: RequestCounter, keyId: string) {
    this.#inFlight = inFlight;
    this.#arriving = arriving;
    this.#keyId = keyId;
  }

  enter(): void {
    this.#inFlight.add(this.#keyId);
    this.#isInFlight = true;
  }

  reading(readBody: ReadBody): ReadBody {
    return async () => {
      this.#arriving.add(this.#keyId);
      let body: Uint8Array;
      try {
        body = await readBody();
      } finally {
        this.#arriving.remove(this.#keyId);
      }
      this.enter();
      return body;
    };
  }

  end(): void {
    if (this.#isInFlight) this.#inFlight.remove(this.#keyId);
  }
}

/** Counts requests in one state, and bounds them: keys share the number. */
class RequestCounter {
  readonly #share: FairShare;
  readonly #state: string;

  /** @param state completes the sentence "100 requests are …" */
  constructor(limit: number, state: string) {
    this.#share = new FairShare(limit);
    this.#state = state;
  }

  /** @throws GatewayError OVERLOADED if there are too many, or too many of this key */
  add(keyId: string): void {
    if (this.#share.tryTake(keyId)) return;
    const { used } = this.#share;
    throw new GatewayError(
      'OVERLOADED',
      `${used} requests are ${this.#state}, ${this.#share.heldBy(keyId)} of them with this key, which may not have more now; try again in a moment`,
      { retryAfterSeconds: 1 },
    );
  }

  remove(keyId: string): void {
    this.#share.giveBack(keyId);
  }
}
