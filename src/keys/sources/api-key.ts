import { timingSafeEqual } from 'node:crypto';
import { secretRules } from '../../config/secret-rules.ts';
import { StartError } from '../../errors.ts';
import { digestOf } from '../key-text.ts';
import type { KeySource } from '../key-source.ts';
import { Keyring } from '../keyring.ts';

/** The variable or the secret that a caller passes on may be missing. */
const isSet = (text: unknown) => text !== undefined && text !== null && text !== '';

/**
 * One key without restrictions: every endpoint, every tenant, every permission. Its id in the log is `API_KEY`.
 *
 * @param text as callers send it, up to 256 printable ASCII characters without spaces; at least 20 where others can reach the
 * gateway
 * @throws StartError if it is empty, or has other characters; it is not in the message
 */
export function apiKey(text: string): KeySource {
  // With an empty key, requests without one would have every permission.
  if (!secretRules.apiKey.is(text))
    throw new StartError('The key cannot be used', [
      { message: `apiKey: ${isSet(text) ? '' : 'is not set; '}${secretRules.apiKey.must}` },
    ]);
  return {
    isUnlimited: true,
    open(host) {
      const keyring = new Keyring({ ...host, apiKey: text });
      const digest = digestOf(text);
      const isOwn = (other: string) =>
        other.length === text.length && timingSafeEqual(digestOf(other), digest);
      return {
        generation: keyring.generation,
        find: keyring.find,
        // A value may be a whole header: `Bearer <key>`.
        isKeyText: (other) => isOwn(other) || other.split(/[\s,;]+/).some(isOwn),
      };
    },
  };
}
