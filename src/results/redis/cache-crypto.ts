import { createHmac, type Hmac, type KeyObject, timingSafeEqual } from 'node:crypto';
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
  /** The same signature for a text that is given in parts. */
  signing(kind: Kind, key: string): Signing;
  isSignature(signing: Signing, signature: string): boolean;
}

export type Signing = Pick<Hmac, 'update' | 'digest'>;

export function buildCacheCrypto(secret: string | undefined): CacheCrypto {
  // Gateways that differ in the secret or the format do not meet: not even their names are equal.
  const [nameKey, signKey, ivKey, encryptKey] = ['names', 'signatures', 'nonces', 'encryption'].map((use) =>
    deriveKey(secret, `${format} ${use}`),
  ) as [KeyObject, KeyObject, KeyObject, KeyObject];
  const signing = (kind: Kind, key: string) =>
    // The length keeps a key that ends in a text from being another key with another text.
    createHmac('sha256', signKey).update(`${kind} ${key.length} ${key}`);
  const isSignature: CacheCrypto['isSignature'] = (signed, signature) => {
    const given = Buffer.from(signature, 'base64url');
    const right = signed.digest();
    return given.byteLength === right.byteLength && timingSafeEqual(given, right);
  };

  return {
    nameOf: (kind, key) =>
      `querygate:${kind}:${createHmac('sha256', nameKey).update(key).digest('base64url')}`,
    sign: (kind, key, text) => signing(kind, key).update(text).digest('base64url'),
    isSigned: (kind, key, text, signature) => isSignature(signing(kind, key).update(text), signature),
    signing,
    isSignature,
    ...buildTextCipher(ivKey, encryptKey),
  };
}
