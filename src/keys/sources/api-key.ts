import { timingSafeEqual } from 'node:crypto';
import { digestOf } from '../key-text.ts';
import type { KeySource } from '../key-source.ts';
import { Keyring } from '../keyring.ts';

/**
 * One key without restrictions: every endpoint, every tenant, every permission. Its id in the log is `API_KEY`.
 *
 * @param text as callers send it; at least 20 characters where others can reach the gateway
 */
export function apiKey(text: string): KeySource {
  return {
    isUnlimited: true,
    open(host) {
      const keyring = new Keyring({ ...host, apiKey: text });
      const digest = digestOf(text);
      const isOwn = (other: string) =>
        other.length === text.length && timingSafeEqual(digestOf(other), digest);
      return {
        find: (key, request) => keyring.find(key, request),
        // A value may be a whole header: `Bearer <key>`.
        isKeyText: (other) => isOwn(other) || other.split(/[\s,;]+/).some(isOwn),
      };
    },
  };
}
