import type { PageData } from './page-data.ts';

/** Shared with the pages of saved queries (`packages/pages/src/key.ts`). */
const keyItem = 'querygate:key';

/** The key to begin with: the one that was typed earlier in this tab of the browser, or else the one in the page. */
export function initialKey({ apiKey }: PageData): string {
  try {
    return sessionStorage.getItem(keyItem) ?? apiKey ?? '';
  } catch {
    return apiKey ?? '';
  }
}

/** It lives as long as the browser's tab: a reload keeps it, and it cannot be found there later. */
export function rememberKey(key: string): void {
  try {
    if (key === '') sessionStorage.removeItem(keyItem);
    else sessionStorage.setItem(keyItem, key);
  } catch {
    // A browser may refuse to store anything. The key is then typed again after a reload.
  }
}

/** The headers of a tab as an object; undefined while they are no JSON object of headers that can be sent. */
export function parseHeaders(text: string): Readonly<Record<string, string>> | undefined {
  if (text.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    const entries = Object.entries(parsed).filter((entry) => typeof entry[1] === 'string');
    const headers = Object.fromEntries(entries);
    // It refuses, for example, a name with a space.
    requestHeaders(headers, '');
    return headers;
  } catch {
    return undefined;
  }
}

/** Whether a text may be a key. Browsers refuse to send a header with other characters, for example typographic quotes. */
const mayBeKey = (key: string): boolean => /^[\x21-\x7e]+$/.test(key);

/**
 * The headers of a request: those of its tab, with the page's key unless they have a key of their own.
 *
 * @throws TypeError for a header that cannot be sent
 */
export function requestHeaders(ofTab: Readonly<Record<string, string>>, key: string): Headers {
  const headers = new Headers(ofTab);
  if (headers.get('x-api-key') === '') headers.delete('x-api-key');
  if (mayBeKey(key) && !hasKey(headers)) headers.set('x-api-key', key);
  return headers;
}

export const hasKey = (headers: Headers): boolean => headers.has('x-api-key') || headers.has('authorization');

/** A text that identifies the caller: when it changes, the schema is requested again. */
export function callerOf(headers: Headers): string {
  return JSON.stringify([headers.get('x-api-key'), headers.get('authorization')]);
}
