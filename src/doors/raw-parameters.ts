import type { RawParameters } from '../catalog/bind.ts';

/**
 * The parameters of a query string, every value of each name, in the order given.
 *
 * @param search the part of the URL after `?`, as it came
 */
export function rawParameters(search: string): RawParameters {
  const raw = new Map<string, string[]>();
  for (const pair of search.replaceAll('+', ' ').split('&')) {
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
