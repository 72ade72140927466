import type { RawParameters } from '../../catalog/binding/bind.ts';
import { GatewayError } from '../../errors.ts';
import { isCredentialName } from '../../names/credential-names.ts';
import { decodeText, type PreparedRequest, parseQueryString } from '../message/prepared-request.ts';

/**
 * Keeps API keys out of URLs, which are written to logs: parses the query string and rejects it if it contains a key.
 *
 * @throws GatewayError BAD_REQUEST if a parameter is a key, or is named as keys are; neither is repeated in the message
 */
export type RejectKeysInUrls = (request: PreparedRequest) => void;

/**
 * @param isKeyText recognizes keys and tokens
 */
export function buildRejectKeysInUrls(isKeyText: (text: string) => boolean): RejectKeysInUrls {
  const isKey = recognizeEncoded(isKeyText);
  return (request) => {
    const { search } = request.url;
    const parameters = parseQueryString(search.slice(1), request.lists);
    const holdsKey =
      isKey(search) ||
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

/**
 * The same for the parameters of a body, whose names are known: a key must not become a value that is quoted or cached.
 *
 * @throws GatewayError BAD_REQUEST if a value is a key
 */
export type RejectKeys = (parameters: RawParameters) => void;

/** Makes `RejectKeys`. @param isKeyText recognizes keys and tokens */
export function buildRejectKeys(isKeyText: (text: string) => boolean): RejectKeys {
  const isKey = recognizeEncoded(isKeyText);
  return (parameters) => {
    for (const [name, values] of parameters) {
      if (!values.some((value) => value.length <= maxCheckedLength && isKey(value))) continue;
      const message = `${name}: is an API key, which is sent in the header X-API-KEY only`;
      throw new GatewayError('BAD_REQUEST', message, { parameter: name });
    }
  };
}

function recognizeEncoded(isKeyText: (text: string) => boolean): (text: string) => boolean {
  return (text) => isKeyText(text) || (text.includes('%') && isKeyText(decodeFully(text)));
}

/** A longer value is refused for its length, and not quoted. */
const maxCheckedLength = 16_384;

/** How often a text may have been percent-encoded, by one program after another. */
const maxEncodings = 4;

/** Without any percent-encoding, whatever remains of ill-formed parts. */
function decodeFully(text: string): string {
  let decoded = text;
  for (let count = 0; count < maxEncodings && decoded.includes('%'); count += 1) {
    decoded = decoded.replace(/(?:%[0-9a-f]{2})+/gi, decodeText);
  }
  return decoded;
}
