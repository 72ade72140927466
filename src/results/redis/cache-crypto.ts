import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../../redis/derive-key.ts';
import { buildTextCipher, type TextCipher } from '../../redis/text-cipher.ts';
import { format } from './format-version.ts';

/** The kind of a text in Redis. A text that was signed as one kind is not valid as another. */
type Kind = 'result' | 'lease' | 'awaited' | 'demand' | 'announcement';

/**
 * Makes the shared cache safe on a Redis that others can read or write, by names that reveal nothing, signatures that
 * bind a text to its kind and its cache key, and encryption of the cache keys themselves.
 *
 * Without a secret the keys are derived from a public text. Then all this only detects accidents.
 */
export interface CacheCrypto extends TextCipher {
  /** The name in Redis of what belongs to a cache key. */
  nameOf(kind: Kind, key: string): string;
  /** HMAC-SHA-256 in base64url. */
  sign(kind: Kind, key: string, text: string): string;
  isSigned(kind: Kind, key: string, text: string, signature: string): boolean;
}

export function buildCacheCrypto(secret: string | undefined): CacheCrypto {
  // Gateways that differ in the secret or the format do not meet: not even their names are equal.
  const [nameKey, signKey, ivKey, encryptKey] = ['names', 'signatures', 'nonces', 'encryption'].map((use) =>
    deriveKey(secret, `${format} ${use}`),
  ) as [KeyObject, KeyObject, KeyObject, KeyObject];
  const signatureOf = (kind: Kind, key: string, text: string) =>
    // The length keeps a key that ends in a text from being another key with another text.
    createHmac('sha256', signKey).update(`${kind} ${key.length} ${key}`).update(text).digest();

  return {
    nameOf: (kind, key) =>
      `querygate:${kind}:${createHmac('sha256', nameKey).update(key).digest('base64url')}`,
    sign: (kind, key, text) => signatureOf(kind, key, text).toString('base64url'),
    isSigned(kind, key, text, signature) {
      const given = Buffer.from(signature, 'base64url');
      const right = signatureOf(kind, key, text);
      return given.byteLength === right.byteLength && timingSafeEqual(given, right);
    },
    ...buildTextCipher(ivKey, encryptKey),
  };
}
