import { FairShare, type Owner } from '../../concurrency/fair-share.ts';
import { GatewayError } from '../../errors.ts';
import { httpLimits } from './http-limits.ts';

/**
 * One budget in bytes for all large responses of the process that are being built, or that their clients have not taken
 * yet. Keys share it. A body that is sent to many clients is in memory once, and is charged once.
 */
export class ByteBudget {
  readonly #share: FairShare;
  /** Shorter responses are not charged: a connection has one at a time, and its socket takes most of them at once. */
  readonly largeBytes: number;
  readonly #charges = new WeakMap<Uint8Array, ByteCharge>();

  constructor(limitBytes: number = httpLimits.maxUnsentBytes, largeBytes = 64 * 1024) {
    this.#share = new FairShare(limitBytes);
    this.largeBytes = largeBytes;
  }

  /** The bytes that are charged now. */
  get usedBytes(): number {
    return this.#share.used;
  }

  /**
   * Charges a response that is about to be built.
   *
   * @param bytes an estimate, until `settle`
   * @throws GatewayError OVERLOADED if it is beyond the key's share
   */
  reserve(owner: Owner, bytes: number): ByteCharge {
    const charge = new ByteCharge(this.#share, owner);
    charge.add(bytes);
    return charge;
  }

  /** The response has been built: its real size replaces the estimate, and all who send the body share the charge. */
  settle(charge: ByteCharge, body: Uint8Array): void {
    charge.correct(body.byteLength);
    this.#charges.set(body, charge);
  }

  /** @throws GatewayError OVERLOADED if a large body is not charged yet, and beyond the key's share */
  requireRoom(owner: Owner, body: Uint8Array): void {
    if (this.#charges.get(body)?.isReleased === false) return;
    if (!mayAdd(this.#share, owner, body.byteLength)) throw overloaded();
  }

  /** Charges a body that is about to be sent, unless it is charged already. The result must be released. */
  hold(owner: Owner, body: Uint8Array): ByteCharge {
    const known = this.#charges.get(body);
    if (known?.isReleased === false) return known.retain();
    const charge = new ByteCharge(this.#share, owner);
    this.settle(charge, body);
    return charge;
  }
}

/** Some bytes of a `ByteBudget`, in use until as many have released it as have retained it. */
export class ByteCharge {
  readonly #share: FairShare;
  readonly #owner: Owner;
  #bytes = 0;
  #uses = 1;

  constructor(share: FairShare, owner: Owner) {
    this.#share = share;
    this.#owner = owner;
  }

  get isReleased(): boolean {
    return this.#uses === 0;
  }

  /** @throws GatewayError OVERLOADED if it is beyond the key's share; nothing is added */
  add(bytes: number): void {
    if (!mayAdd(this.#share, this.#owner, bytes)) throw overloaded();
    this.correct(this.#bytes + bytes);
  }

  /** Sets what is in use in any case. */
  correct(bytes: number): void {
    this.#share.giveBack(this.#owner, this.#bytes);
    this.#share.take(this.#owner, bytes);
    this.#bytes = bytes;
  }

  retain(): this {
    this.#uses += 1;
    return this;
  }

  release(): void {
    this.#uses -= 1;
    if (this.#uses > 0) return;
    this.correct(0);
  }
}

/** Nothing is refused for its size alone: the first response may be larger than the budget. */
function mayAdd(share: FairShare, owner: Owner, bytes: number): boolean {
  return bytes === 0 || share.used === 0 || share.mayTake(owner, bytes);
}

function overloaded(): GatewayError {
  return new GatewayError(
    'OVERLOADED',
    'Responses that were not read yet take too much memory, with this key or in all; read them, then try again, or request fewer rows',
    { retryAfterSeconds: 1 },
  );
}
