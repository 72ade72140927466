import { GatewayError } from '../../errors.ts';
import type { PluginHost } from '../../gateway/plugin.ts';
import type { LaterCaller } from '../../http/access/later-caller.ts';
import type { RequestHead } from '../../http/message/head.ts';
import type { Principal } from '../../keys/principal.ts';
import type { EndCode } from './events/event-frames.ts';
import type { Subscriber } from './stream.ts';

interface SubscribersOptions {
  readonly callerOf: (head: RequestHead) => LaterCaller;
  /** The subscriber has other rights than before. */
  readonly onRights: (subscriber: Subscriber) => void;
  /** The subscriber has no rights any more. */
  readonly onEnd: (subscriber: Subscriber, code: EndCode) => void;
  readonly log: PluginHost['log'];
}

/** How often the rights of callers are checked; a revocation ends a stream within a second of the change of the key file. */
export const checkEveryMs = 200;

/** The same where each check takes time. */
const checkSlowEveryMs = 10_000;

/** A source that takes longer has failed. */
const maxVerifyMs = 30_000;

/** Within this time after a check, events are sent without another one. */
const trustMs = 5;

/** Checks again and again what the callers of open streams may do. */
export class Subscribers {
  readonly #options: SubscribersOptions;
  readonly #shared = new Map<string, Subscriber>();
  readonly #all = new Set<Subscriber>();

  constructor(options: SubscribersOptions) {
    this.#options = options;
  }

  /** The subscriber of a request that was admitted. */
  of(head: RequestHead, principal: Principal): Subscriber {
    const caller = this.#options.callerOf(head);
    const { identity } = caller;
    const known = identity === undefined ? undefined : this.#shared.get(identity);
    if (identity !== undefined && known !== undefined) {
      // The request may have waited for long: what its caller may do now counts for all its streams.
      this.#checkUnlessTrusted(known);
      if (known.state !== 'ended') {
        // Other rights may have ended its streams, and thereby released it.
        this.#shared.set(identity, known);
        this.#all.add(known);
        return known;
      }
    }
    const subscriber: Subscriber = {
      caller,
      streams: new Set(),
      principal,
      state: 'valid',
      isSlow: false,
      checkedAt: performance.now(),
    };
    if (identity !== undefined) this.#shared.set(identity, subscriber);
    this.#all.add(subscriber);
    return subscriber;
  }

  /** To be called when a stream of the subscriber has ended, or was not begun. */
  release(subscriber: Subscriber): void {
    if (subscriber.streams.size === 0) this.#forget(subscriber);
  }

  #forget(subscriber: Subscriber): void {
    this.#all.delete(subscriber);
    const { identity } = subscriber.caller;
    if (identity !== undefined && this.#shared.get(identity) === subscriber) this.#shared.delete(identity);
  }

  /** True if something may be sent to the subscriber now; the check may end its streams. */
  mayReceive(subscriber: Subscriber): boolean {
    if (!subscriber.isSlow) this.#checkUnlessTrusted(subscriber);
    return subscriber.isSlow ? subscriber.state !== 'ended' : subscriber.state === 'valid';
  }

  /** Looks at all subscribers, one in each step: to be done every `checkEveryMs`. */
  *checkAll(): Generator<void> {
    for (const subscriber of this.#all) {
      const ms = performance.now() - subscriber.checkedAt;
      if (subscriber.state === 'verifying' && ms > maxVerifyMs)
        this.#fail(subscriber, new Error('it takes too long'));
      else if (!subscriber.isSlow || ms >= checkSlowEveryMs) this.#check(subscriber);
      yield;
    }
  }

  #checkUnlessTrusted(subscriber: Subscriber): void {
    if (performance.now() - subscriber.checkedAt >= trustMs) this.#check(subscriber);
  }

  #check(subscriber: Subscriber): void {
    if (subscriber.state !== 'valid') return;
    subscriber.checkedAt = performance.now();
    try {
      const found = subscriber.caller.find();
      if (found instanceof Promise) this.#await(subscriber, found);
      else this.#adopt(subscriber, found);
    } catch (error) {
      this.#fail(subscriber, error);
    }
  }

  #await(subscriber: Subscriber, finding: Promise<Principal>): void {
    // The text of a token is verified once: until then it may have expired.
    subscriber.isSlow = subscriber.caller.identity === undefined;
    subscriber.state = 'verifying';
    finding
      .then((principal) => {
        if (subscriber.state === 'ended') return;
        subscriber.state = 'valid';
        this.#adopt(subscriber, principal);
      })
      .catch((error: unknown) => this.#fail(subscriber, error));
  }

  #adopt(subscriber: Subscriber, principal: Principal): void {
    if (principal === subscriber.principal) return;
    subscriber.principal = principal;
    this.#options.onRights(subscriber);
  }

  /** A source that fails gives no rights. */
  #fail(subscriber: Subscriber, err: unknown): void {
    const refusal = err instanceof GatewayError && err.code === 'UNAUTHENTICATED' ? err.refusal : undefined;
    if (refusal === undefined)
      this.#options.log.warn({ err }, 'the caller of a stream cannot be checked: its stream ends');
    // Only a refusal says that another key is needed.
    if (!(err instanceof GatewayError) || err.status >= 500 || err.status === 429)
      this.#end(subscriber, 'SHUTTING_DOWN');
    else this.#end(subscriber, refusal?.reason === 'expired' ? 'TOKEN_EXPIRED' : 'KEY_REVOKED');
  }

  #end(subscriber: Subscriber, code: EndCode): void {
    if (subscriber.state === 'ended') return;
    subscriber.state = 'ended';
    this.#forget(subscriber);
    this.#options.onEnd(subscriber, code);
  }
}
