import { isFromLoopback } from '../../http/access/loopback.ts';
import type { Reply } from '../../http/message/reply.ts';
import type { Answer } from '../../http/message/route.ts';
import { once } from '../../memoize.ts';
import { buildReplyFile, type ReplyFile } from './static-file.ts';

/** Nothing keeps a page with a key in it. */
type PageCaching = 'private, no-cache' | 'no-store';

/**
 * A page that may do only what it says: no form is sent, and no other site shows it.
 *
 * @param allowed further directives of Content Security Policy
 */
export function buildPage(
  html: string,
  allowed: readonly string[],
  caching: PageCaching,
  headers: Reply['headers'] = {},
): ReplyFile {
  const policy = [
    "default-src 'none'",
    ...allowed,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
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
