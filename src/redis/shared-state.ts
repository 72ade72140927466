import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import { openCircuitBreaker } from './circuit-breaker.ts';
import { deriveKey } from './derive-key.ts';
import { buildTextCipher, type TextCipher } from './text-cipher.ts';

interface SharedStateOptions {
  readonly url: string;
  /** The secret that gateways share, and other clients of the same Redis do not know. */
  readonly secret: string | undefined;
  /** The name of the connection, for the log. */
  readonly name: string;
  readonly log: Logger;
}

/** State that gateways share in one Redis, read and changed by scripts: each is one step for all gateways. */
export interface SharedState extends TextCipher {
  /** Resolves when the first attempt to connect has succeeded or failed. */
  readonly ready: Promise<void>;
  isUp(): boolean;
  /** A key of Redis, which says nothing of the text that it is made of. @param kind of what is there */
  keyOf(kind: string, text: string): string;
  /** @returns undefined at once while Redis does not respond, and if the script fails: it may have run all the same */
  evaluate(script: string, keys: readonly string[], given: readonly string[]): Promise<unknown>;
  close(): Promise<void>;
}

/** Its connection is its own: no request for results waits for it. */
export function openSharedState({ url, secret, name, log }: SharedStateOptions): SharedState {
  const keyFor = (use: string) => deriveKey(secret, `querygate/state/1 ${use}`);
  const nameKey = keyFor('names');
  const breaker = openCircuitBreaker({ url, name, log, build: (client) => client });
  return {
    ...buildTextCipher(keyFor('nonces'), keyFor('encryption')),
    ready: breaker.ready,
    isUp: breaker.isUp,
    keyOf: (kind, text) =>
      `querygate:${kind}:${createHmac('sha256', nameKey).update(text).digest('base64url')}`,
    evaluate: (script, keys, given) =>
      breaker.call((client) => client.eval(script, { keys: [...keys], arguments: [...given] })),
    close: breaker.close,
  };
}
