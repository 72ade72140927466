import type { Coding } from '../../results/encodings.ts';
import type { CachedResult } from '../../results/get-result.ts';
import type { ResultDocument } from '../../results/result-document.ts';
import { cacheHeaders, variesByFormat } from '../message/cache-headers.ts';
import { chooseCoding } from '../message/content-coding.ts';
import type { RequestHeaders } from '../message/head.ts';
import { jsonType, type Reply } from '../message/reply.ts';
import { resultHeaders } from './result-headers.ts';

/** `{"result":[…]}` and nothing else, as existing clients read it. */
export function replyResult(result: CachedResult, headers: RequestHeaders): Reply {
  const { document, cacheStatus, obtainedAt } = result;
  const accepted = headers['accept-encoding'];
  const coding = accepted === undefined ? 'identity' : chooseCoding(document.encodings, accepted);
  if (cacheStatus !== 'HIT') return renderResult(result, coding);

  const age = obtainedAt - document.begunAt;
  const recent = recentHits.get(document)?.[coding];
  if (recent !== undefined && age >= recent.from && age < recent.until) return recent.reply;
  const reply = renderResult(result, coding);
  const from = Math.floor(age / 1000) * 1000;
  recentHits.set(document, { ...recentHits.get(document), [coding]: { from, until: from + 1000, reply } });
  return reply;
}

/** A GET comes at most so long after its HEAD. */
const promisedSeconds = 60;

/**
 * The reply to HEAD, without a length and a tag that the GET after it may not have: a client takes others for a file that has
 * changed while it was read (RFC 9110, 8.6 and 9.3.2).
 *
 * @param noCache whether the query runs again for this caller, and for its next request
 */
export function replyToHead(reply: Reply, noCache: boolean): Reply {
  const { 'content-length': length, etag, ...headers } = reply.headers;
  const maxAge = Number(/\bmax-age=(\d+)/.exec(headers['cache-control'] ?? '')?.[1] ?? 0);
  const isKept = !noCache && maxAge - Number(headers.age ?? 0) >= promisedSeconds;
  return isKept || length === undefined || etag === undefined ? reply : { ...reply, headers };
}

/** The reply of the latest hit on each document: equal for all hits until the document is a second older. */
const recentHits = new WeakMap<ResultDocument, Partial<Record<Coding, RecentHit>>>();

interface RecentHit {
  /** From which age of the document on, in milliseconds, and until which. */
  readonly from: number;
  readonly until: number;
  readonly reply: Reply;
}

function renderResult(result: CachedResult, coding: Coding): Reply {
  const { encodings, digest } = result.document;
  const body = encodings[coding] ?? encodings.identity;
  const headers = {
    'content-type': jsonType,
    'content-length': String(body.byteLength),
    ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
    ...cacheHeaders([result], digest),
    vary: variesByFormat,
    ...resultHeaders(result),
  };
  return { status: 200, headers, body };
}
