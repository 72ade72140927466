import { FairShare } from '../concurrency/fair-share.ts';
import { GatewayError } from '../errors.ts';
import { httpLimits } from './limits.ts';

/**
 * Counts the requests that are being answered, by the keys that share their number. A request whose body is still arriving
 * is not one of them: it occupies a connection only.
 */
export class RequestsInFlight {
  readonly #share: FairShare;

  constructor(limit: number = httpLimits.maxRequestsInFlight) {
    this.#share = new FairShare(limit);
  }

  /** @throws GatewayError OVERLOADED if there are too many, or too many of this key */
  add(keyId: string): void {
    if (this.#share.tryTake(keyId)) return;
    throw new GatewayError(
      'OVERLOADED',
      `${this.#share.used} requests are in flight, ${this.#share.heldBy(keyId)} of them with this key, the most that are possible now; try again in a moment`,
      { retryAfterSeconds: 1 },
    );
  }

  remove(keyId: string): void {
    this.#share.giveBack(keyId);
  }
}
