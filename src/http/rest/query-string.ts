import type { RawParameters } from '../../catalog/binding/bind.ts';
import { GatewayError } from '../../errors.ts';

/** How many parameters a query string may have, those included that no query declares. */
export const maxParameters = 100;

/**
 * The parameters of a query string, every value of each name, in the order given.
 *
 * @param search the part of the URL after `?`, as it came
 * @throws GatewayError BAD_REQUEST where there are too many
 */
export function rawParameters(search: string): RawParameters {
  const raw = new Map<string, string[]>();
  const pairs = search.replaceAll('+', ' ').split('&', maxParameters + 1);
  if (pairs.length > maxParameters) {
    throw new GatewayError('BAD_REQUEST', `The query string has more than ${maxParameters} parameters`);
  }
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const name = decodeText(at < 0 ? pair : pair.slice(0, at));
    const value = decodeText(at < 0 ? '' : pair.slice(at + 1));
    raw.set(name, [...(raw.get(name) ?? []), value]);
  }
  return raw;
}

/**
 * URLSearchParams would turn ill-formed UTF-8 into U+FFFD, which a caller may also mean. A lone surrogate cannot come
 * from a URL: it stands for "ill-formed", and binding refuses it where it matters.
 */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '\uD800';
  }
}
