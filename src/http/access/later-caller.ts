import type { Callers } from '../../keys/join-sources.ts';
import type { Principal } from '../../keys/principal.ts';
import type { Verified } from '../../keys/key-source.ts';
import type { RequestHead } from '../message/head.ts';
import { keyOf } from './request-key.ts';
import { unauthenticated } from './unauthenticated.ts';

/** Finds the caller of a request again while it is answered: a key may be revoked, or get other rights. */
export interface LaterCaller {
  /** Equal for requests that have the same caller at any time; undefined if more than the key decides who it is. */
  readonly identity: string | undefined;
  /** The caller as it is now. @throws GatewayError UNAUTHENTICATED, whose refusal has the reason */
  find(): Principal | Promise<Principal>;
}

/** Makes them. It keeps of a request only what decides who the caller is. */
export const buildLaterCallers =
  ({ readsRequest, find, explain }: Pick<Callers, 'readsRequest' | 'find' | 'explain'>) =>
  ({ method, url, headers, address }: RequestHead): LaterCaller => {
    const text = keyOf(headers);
    const request = { method, url, headers: readsRequest ? headers : {}, address };
    return {
      identity: readsRequest ? undefined : `${address ?? ''} ${text}`,
      find() {
        const found = find(text, request);
        if (found === undefined) throw unauthenticated(explain(text ?? ''));
        return found instanceof Promise ? found.then(verifiedPrincipal) : found;
      },
    };
  };

function verifiedPrincipal(verified: Verified): Principal {
  if ('principal' in verified) return verified.principal;
  throw unauthenticated(verified.refusal ?? { reason: 'unknown' });
}
