import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/**
 * A key of its own for one use of what gateways share in Redis.
 *
 * @param secret CACHE_SECRET; without one the key is derived from a public text
 * @param purpose includes a version of what it is used for: gateways of different versions do not meet
 */
export function deriveKey(secret: string | undefined, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret ?? 'no secret', '', purpose, 32)));
}
