import { timingSafeEqual } from 'node:crypto';
import { isKeyName } from '../catalog/key-names.ts';
import { GatewayError } from '../errors.ts';
import { digestOf, keyShape } from '../keys/key-text.ts';
import { decodeText, rawParameters } from './raw-parameters.ts';

/** Keeps keys out of URLs and logs. */
export interface KeysInText {
  /** @throws GatewayError BAD_REQUEST where the query string has a key, or a name that keys have; neither is repeated */
  refuse(url: URL): void;
  /** A path as it may stand in a log. */
  redact(path: string): string;
}

/** Shorter ones are no secrets, and may be a part of any word. */
const shortestSecret = 8;

const everyShape = new RegExp(keyShape.source, 'g');
const removed = '[key]';

/** @param apiKey the configured key, which may have any shape */
export function buildKeysInText(apiKey: string | undefined): KeysInText {
  const own = apiKey === undefined ? undefined : digestOf(apiKey);
  const isKey = (text: string) =>
    keyShape.test(text) || (own !== undefined && timingSafeEqual(digestOf(text), own));
  // URLs that are asked again are the same objects: see `buildParseUrl`.
  const right = new WeakSet<URL>();
  return {
    refuse(url) {
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
    },
    redact(path) {
      const text = decodeText(path);
      const holdsOwn = apiKey !== undefined && apiKey.length >= shortestSecret && text.includes(apiKey);
      if (!holdsOwn && !keyShape.test(text) && !keyShape.test(path)) return path;
      const shown = holdsOwn ? text.replaceAll(apiKey, removed) : text;
      // What cannot be decoded is told without its text.
      return shown === '\uD800' ? removed : shown.replace(everyShape, removed);
    },
  };
}
