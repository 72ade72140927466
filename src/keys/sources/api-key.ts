import { timingSafeEqual } from 'node:crypto';
import { secretRules } from '../../config/secret-rules.ts';
import { StartError } from '../../errors.ts';
import { type KeySource, noteSourceMaker } from '../key-source.ts';
import { digestOf } from '../key-text.ts';
import { Keyring } from '../keyring.ts';

/**
 * One key without restrictions: every endpoint, every tenant, every permission. Its id in the log is `API_KEY`.
 *
 * @param text as callers send it, up to 256 printable ASCII characters without spaces; at least 20 where others can reach the
 * gateway
 * @throws StartError if it is undefined, as a variable that is not set, is empty, or has other characters; it is not in the
 * message
 */
export function apiKey(text: string | undefined): KeySource {
  // With an empty key, requests without one would have every permission.
  if (text === undefined || !secretRules.apiKey.is(text))
    throw new StartError('The key cannot be used', [
      { message: `apiKey(text): text ${kindProblem(text)}${secretRules.apiKey.must}` },
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

noteSourceMaker(apiKey, 'apiKey(text)');

/** Without the text: it may be a secret with one character too many. */
function kindProblem(text: unknown): string {
  if (text === undefined || text === null || text === '')
    return `${text === '' ? 'is empty' : `is ${text}`}; is the variable set that it is read from? It `;
  if (typeof text !== 'string') return 'is not a text, and ';
  return text.trim() === text ? '' : 'has spaces or a line break at its start or end, and ';
}
