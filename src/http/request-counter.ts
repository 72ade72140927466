import { FairShare } from '../concurrency/fair-share.ts';
import { GatewayError } from '../errors.ts';

/** Counts requests in one state, and bounds them: keys share the number. */
export class RequestCounter {
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
