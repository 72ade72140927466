import { timingSafeEqual } from 'node:crypto';
import { isCredentialName } from '../../catalog/credential-names.ts';
import { GatewayError } from '../../errors.ts';
import { digestOf, keyShape } from '../../keys/key-text.ts';
import { type PreparedRequest, parseQueryString } from '../prepare-request.ts';

/**
 * Keeps API keys out of URLs, which are written to logs: parses the query string and rejects it if it contains a key.
 *
 * @throws GatewayError BAD_REQUEST if a parameter is a key, or is named as keys are; neither is repeated in the message
 */
export type RejectKeysInUrls = (request: PreparedRequest) => void;

/** @param apiKey the configured key, which may have any form */
export function buildRejectKeysInUrls(apiKey: string | undefined): RejectKeysInUrls {
  const ownDigest = apiKey === undefined ? undefined : digestOf(apiKey);
  const isOwn = (text: string) =>
    ownDigest !== undefined && text.length === apiKey?.length && timingSafeEqual(digestOf(text), ownDigest);
  // A value may be a whole header: `Bearer <key>`.
  const isKey = (text: string) => keyShape.test(text) || isOwn(text) || text.split(/[\s,;]+/).some(isOwn);
  return (request) => {
    const { search } = request.url;
    const parameters = parseQueryString(search.slice(1));
    const holdsKey =
      keyShape.test(search) ||
      [...parameters].some(([name, values]) => isCredentialName(name) || isKey(name) || values.some(isKey));
    if (holdsKey) {
      throw new GatewayError(
        'BAD_REQUEST',
        'Do not send API keys in URLs, which are written to logs; use the header X-API-KEY, and revoke a key sent this way',
      );
    }
    request.parameters = parameters;
  };
}
