import type { Logger } from 'pino';
import type { Callers as KeySources } from '../../keys/join-sources.ts';
import type { Verified } from '../../keys/key-source.ts';
import type { Principal } from '../../keys/principal.ts';
import { keyOf } from '../access/request-key.ts';
import { unauthenticated } from '../access/unauthenticated.ts';
import type { RequestHead } from '../message/head.ts';
import type { EndCode } from './events.ts';
import type { Caller } from './stream.ts';

interface CallersOptions {
  readonly sources: Pick<KeySources, 'find' | 'explain' | 'readsRequest'>;
  /** The caller has other rights than before. */
  readonly onRights: (caller: Caller) => void;
  /** The caller has no rights any more. */
  readonly onEnd: (caller: Caller, code: EndCode) => void;
  readonly log: Logger;
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
export class StreamCallers {
  readonly #options: CallersOptions;
  readonly #shared = new Map<string, Caller>();
  readonly #all = new Set<Caller>();

  constructor(options: CallersOptions) {
    this.#options = options;
  }

  /** The caller of a request that was admitted. */
  callerOf({ method, url, headers, address }: RequestHead, principal: Principal): Caller {
    const text = keyOf(headers);
    const { readsRequest } = this.#options.sources;
    const shared = readsRequest ? undefined : `${address ?? ''} ${text}`;
    const known = shared === undefined ? undefined : this.#shared.get(shared);
    if (shared !== undefined && known !== undefined) {
      // The request may have waited for long: what its caller may do now counts for all its streams.
      this.#checkUnlessTrusted(known);
      if (known.state !== 'ended') {
        // Other rights may have ended its streams, and thereby released it.
        this.#shared.set(shared, known);
        this.#all.add(known);
        return known;
      }
    }
    const request = { method, url, headers: readsRequest ? headers : {}, address };
    const caller: Caller = {
      text,
      request,
      streams: new Set(),
      principal,
      state: 'valid',
      isSlow: false,
      checkedAt: performance.now(),
    };
    if (shared !== undefined) this.#shared.set(shared, caller);
    this.#all.add(caller);
    return caller;
  }

  /** To be called when a stream of the caller has ended, or was not begun. */
  release(caller: Caller): void {
    if (caller.streams.size === 0) this.#forget(caller);
  }

  #forget(caller: Caller): void {
    this.#all.delete(caller);
    const shared = `${caller.request.address ?? ''} ${caller.text}`;
    if (this.#shared.get(shared) === caller) this.#shared.delete(shared);
  }

  /** Whether something may be sent to the caller now; it may end its streams. */
  mayReceive(caller: Caller): boolean {
    if (!caller.isSlow) this.#checkUnlessTrusted(caller);
    return caller.isSlow ? caller.state !== 'ended' : caller.state === 'valid';
  }

  /** Looks at all callers, one in each step: to be done every `checkEveryMs`. */
  *checkAll(): Generator<void> {
    for (const caller of this.#all) {
      const ms = performance.now() - caller.checkedAt;
      if (caller.state === 'verifying' && ms > maxVerifyMs)
        this.#fail(caller, new Error('it takes too long'));
      else if (!caller.isSlow || ms >= checkSlowEveryMs) this.#check(caller);
      yield;
    }
  }

  #checkUnlessTrusted(caller: Caller): void {
    if (performance.now() - caller.checkedAt >= trustMs) this.#check(caller);
  }

  #check(caller: Caller): void {
    if (caller.state !== 'valid') return;
    caller.checkedAt = performance.now();
    const { sources } = this.#options;
    try {
      const found = sources.find(caller.text, caller.request);
      if (found === undefined) this.#refuse(caller, sources.explain(caller.text ?? '').reason);
      else if (found instanceof Promise) this.#await(caller, found);
      else this.#adopt(caller, found);
    } catch (error) {
      this.#fail(caller, error);
    }
  }

  #await(caller: Caller, verifying: Promise<Verified>): void {
    // The text of a token is verified once: until then it may have expired.
    caller.isSlow = this.#options.sources.readsRequest;
    caller.state = 'verifying';
    verifying
      .then((verified) => {
        if (caller.state === 'ended') return;
        caller.state = 'valid';
        if ('principal' in verified) this.#adopt(caller, verified.principal);
        else this.#refuse(caller, verified.refusal?.reason);
      })
      .catch((error: unknown) => this.#fail(caller, error));
  }

  #adopt(caller: Caller, principal: Principal): void {
    if (principal === caller.principal) return;
    caller.principal = principal;
    this.#options.onRights(caller);
  }

  #refuse(caller: Caller, reason: string | undefined): void {
    this.#end(caller, reason === 'expired' ? 'TOKEN_EXPIRED' : 'KEY_REVOKED');
  }

  /** A source that fails gives no rights. */
  #fail(caller: Caller, err: unknown): void {
    this.#options.log.warn({ err }, 'the caller of a stream cannot be checked: its stream ends');
    this.#end(caller, 'KEY_REVOKED');
  }

  #end(caller: Caller, code: EndCode): void {
    if (caller.state === 'ended') return;
    caller.state = 'ended';
    this.#forget(caller);
    this.#options.onEnd(caller, code);
  }
}

/** What the caller of a request may do now. @throws GatewayError UNAUTHENTICATED */
export async function principalOf(
  head: RequestHead,
  { find, explain }: Pick<KeySources, 'find' | 'explain'>,
): Promise<Principal> {
  const text = keyOf(head.headers);
  const found = await find(text, head);
  if (found === undefined) throw unauthenticated(explain(text ?? ''));
  if ('id' in found) return found;
  if ('principal' in found) return found.principal;
  throw unauthenticated(found.refusal ?? { reason: 'unknown' });
}
