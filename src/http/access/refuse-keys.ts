import { timingSafeEqual } from 'node:crypto';
import { isKeyName } from '../../catalog/key-names.ts';
import { GatewayError } from '../../errors.ts';
import { digestOf, keyShape } from '../../keys/key-text.ts';
import { rawParameters } from '../rest/query-string.ts';

/**
 * Keeps keys out of URLs, which end in logs.
 *
 * @throws GatewayError BAD_REQUEST where the query string has a key, or a name that keys have; neither is repeated
 */
export type RefuseKeys = (url: URL) => void;

/** @param apiKey the configured key, which may have any shape */
export function buildRefuseKeys(apiKey: string | undefined): RefuseKeys {
  const own = apiKey === undefined ? undefined : digestOf(apiKey);
  const isOwn = (text: string) =>
    own !== undefined && text.length === apiKey?.length && timingSafeEqual(digestOf(text), own);
  // As a header has it, too: `Bearer <key>`.
  const isKey = (text: string) => keyShape.test(text) || isOwn(text) || text.split(/[\s,;]+/).some(isOwn);
  // URLs that are asked again are the same objects: see `buildParseUrl`.
  const right = new WeakSet<URL>();
  return (url) => {
    if (url.search === '' || right.has(url)) return;
    const parameters = [...rawParameters(url.search.slice(1))];
    const holdsKey = ([name, values]: (typeof parameters)[number]) =>
      isKeyName(name) || isKey(name) || values.some(isKey);
    if (keyShape.test(url.search) || parameters.some(holdsKey)) {
      throw new GatewayError(
        'BAD_REQUEST',
        'Keys do not belong into URLs, which end in logs; send the key in the header X-API-KEY, and take back one that was sent so',
      );
    }
    right.add(url);
  };
}
