import { isFromLoopback } from '../../../http/access/loopback.ts';
import type { Reply } from '../../../http/message/reply.ts';
import type { Answer } from '../../../http/message/route.ts';
import { once } from '../../../memoize.ts';
import { buildReplyFile, type ReplyFile } from './static-file.ts';

/** Nothing keeps a page with a key in it. */
type PageCaching = 'private, no-cache' | 'no-store';

interface PageOptions {
  /** Further directives of Content Security Policy. */
  readonly allowed: readonly string[];
  readonly caching: PageCaching;
  readonly headers?: Reply['headers'];
  /** Origins whose pages may show this one in a frame. Default: none. */
  readonly frameAncestors?: readonly string[];
}

/** A page that may do only what it says: no form is sent, and no other site shows it unless it is listed. */
export function buildPage(
  html: string,
  { allowed, caching, headers, frameAncestors = [] }: PageOptions,
): ReplyFile {
  const policy = [
    "default-src 'none'",
    ...allowed,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.join(' ') || "'none'"}`,
  ];
  return buildReplyFile(Buffer.from(html), {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': caching,
    ...headers,
  });
}

/** Answers browsers on this machine with one page, and all others with another; each is built when it is first requested. */
export function buildAnswerByLoopback(local: () => ReplyFile, remote: () => ReplyFile): Answer {
  const pages = { local: once(local), remote: once(remote) };
  return (head, { url }) => pages[isFromLoopback(url, head) ? 'local' : 'remote']()(head.headers);
}
