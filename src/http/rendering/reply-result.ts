import { followSeconds } from '../../catalog/model/saved-query.ts';
import { memoize } from '../../memoize.ts';
import { codings, compress, minCompressedBytes } from '../../results/encodings.ts';
import type { CachedResult } from '../../results/get-result.ts';
import { cacheHeaders, matchesEtag, variesByFormat } from '../message/cache-headers.ts';
import { bestCoding, codedBody, codingFor } from '../message/content-coding.ts';
import type { RequestHead, RequestHeaders } from '../message/head.ts';
import { httpLimits } from '../message/http-limits.ts';
import { jsonType, type MadeOf, type Reply } from '../message/reply.ts';
import { resultHeaders } from './result-headers.ts';

/** `{"result":[…]}` and nothing else, as existing clients read it. */
export function replyResult(result: CachedResult, { 'accept-encoding': accepted }: RequestHeaders): Reply {
  const { encodings, digest, metadata } = result.document;
  const { headers, body } = codedBody(encodings, codingFor(encodings, accepted));
  const headersAt = headersOfRows(digest);
  // Each order of a large result would take the place of other results.
  const isKept = metadata.ofRows === undefined || encodings.identity.byteLength <= maxConvertedBytes;
  return {
    status: 200,
    headers: { 'content-type': jsonType, ...headers, ...headersAt([result]), ...resultHeaders(result) },
    body,
    ...(isKept && { madeOf: { encodings, headersAt } }),
  };
}

const { maxConvertedBytes } = httpLimits;

/** Several callers may get the same page. */
const compressOnce = { zstd: memoize(compress.zstd), gzip: memoize(compress.gzip) };

/** The same for rows that may be a part of a result, gathered for this caller and not compressed yet. */
export async function replyPart(result: CachedResult, headers: RequestHeaders): Promise<Reply> {
  const reply = replyResult(result, headers);
  const { encodings } = result.document;
  const { identity } = encodings;
  const isReady = 'zstd' in encodings || identity.byteLength < minCompressedBytes;
  if (isReady || identity.byteLength > maxConvertedBytes) return reply;
  const coding = bestCoding(codings, headers['accept-encoding'] ?? '');
  if (coding === 'identity') return reply;
  const coded = codedBody({ identity, [coding]: await compressOnce[coding](identity) }, coding);
  return { ...reply, headers: { ...reply.headers, ...coded.headers }, body: coded.body };
}

/** The headers that change while rows get older. @returns takes the results of a request, of which the rows come from the last */
export const headersOfRows =
  (digest: string): NonNullable<MadeOf['headersAt']> =>
  (results) => ({ ...cacheHeaders(results.slice(-1), digest), vary: variesByFormat });

/** A GET comes at most so long after its HEAD. */
const promisedSeconds = 60;

/**
 * The reply to HEAD, without a length and a tag that the GET after it may not have: a client takes others for a file that has
 * changed while it was read (RFC 9110, 8.6 and 9.3.2).
 *
 * @param noCache whether the query runs again for this caller, and for its next request
 */
export function replyToHead(reply: Reply, head: RequestHead, noCache: boolean): Reply {
  const { 'content-length': _length, etag, ...headers } = reply.headers;
  const known = head.headers['if-none-match'];
  // The caller has these bytes: it becomes 304 (RFC 9110, 13.1.2).
  if (etag !== undefined && known !== undefined && matchesEtag(etag, known)) return reply;
  const maxAge = Number(/\bmax-age=(\d+)/.exec(headers['cache-control'] ?? '')?.[1] ?? 0);
  // A client may follow them, or begin to.
  const followed = (head.results ?? []).map(({ bound }) => followSeconds(bound.query.caching) ?? maxAge);
  const isKept = !noCache && Math.min(maxAge, ...followed) - Number(headers.age ?? 0) >= promisedSeconds;
  return isKept || etag === undefined ? reply : { ...reply, headers };
}
