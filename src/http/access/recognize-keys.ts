import { timingSafeEqual } from 'node:crypto';
import { tokenShape } from '../../keys/jwt/token-shape.ts';
import { digestOf, keyShape } from '../../keys/key-text.ts';

/**
 * Recognizes texts that are a key or contain one, for keeping them out of URLs and logs.
 *
 * @param apiKey the configured key, which may have any form
 * @param acceptsTokens whether JSON Web Tokens are keys here
 */
export function buildRecognizeKeys(
  apiKey: string | undefined,
  acceptsTokens: boolean,
): (text: string) => boolean {
  const ownDigest = apiKey === undefined ? undefined : digestOf(apiKey);
  const isOwn = (text: string) =>
    ownDigest !== undefined && text.length === apiKey?.length && timingSafeEqual(digestOf(text), ownDigest);
  return (text) =>
    keyShape.test(text) ||
    (acceptsTokens && tokenShape.test(text)) ||
    isOwn(text) ||
    // A value may be a whole header: `Bearer <key>`.
    text.split(/[\s,;]+/).some(isOwn);
}
