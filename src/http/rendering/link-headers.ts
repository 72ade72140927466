import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Page } from '../../row-pages/page-of-result.ts';
import { httpLimits } from '../message/http-limits.ts';
import { decodeText } from '../message/prepared-request.ts';
import { type Reply, warningName, warningText } from '../message/reply.ts';

/** Clients take 16 KB of headers in all. */
const maxLinkLength = 12_000;

/**
 * The header `Link`: the same request for the page after these rows, and for the one before. It is relative, for a proxy may
 * serve the gateway below a path. A warning says that one is left out: a request for it would be too long, or clients would
 * refuse the headers of this reply. @see RFC 8288, 3
 */
export function linkHeaders(
  { cursors, hasNextPage, hasPreviousPage }: Page,
  { href, search }: URL,
  { pages }: SavedQuery,
): Reply['headers'] {
  const link = (name: 'after' | 'before', cursor: string | undefined, relation: string) => {
    if (cursor === undefined) return [];
    const parameters = search
      .replace(/^\?/, '')
      .split('&')
      .filter((pair) => pair !== '' && !/^(?:after|before)$/.test(decodeText(pair.split('=', 1).join())));
    const address = `?${[...parameters, `${name}=${cursor}`].join('&')}`;
    const isTooLong = href.length - search.length + address.length > httpLimits.maxUrlLength;
    return [{ isTooLong, text: `<${address}>; rel="${relation}"` }];
  };
  const next = hasNextPage ? link('after', cursors.at(-1), 'next') : [];
  const previous = hasPreviousPage ? link('before', cursors[0], 'prev') : [];
  const all = [...next, ...previous];
  const links = all.filter(({ isTooLong }) => !isTooLong).map(({ text }) => text);
  if (links.join(', ').length > maxLinkLength) links.pop();
  const texts = pages?.keys.filter(({ type }) => type === 'string').map(({ column }) => column) ?? [];
  const cause = texts.length > 0 ? `the values of ${texts.join(', ')} are` : 'this request is';
  const warning = `Link has not all pages, ${cause} too long for a URL: page by GraphQL`;
  return {
    ...(links.length > 0 && { link: links.join(', ') }),
    ...(links.length < all.length && { [warningName]: warningText(warning) }),
  };
}
