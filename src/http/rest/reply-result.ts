import type { CachedResult } from '../../results/get-result.ts';
import type { Coding, ResultDocument } from '../../results/result-document.ts';
import { ageSeconds, cacheHeaders, variesByFormat } from '../message/cache-headers.ts';
import { chooseCoding } from '../message/content-coding.ts';
import type { RequestHeaders } from '../message/head.ts';
import { jsonType, type Reply } from '../message/reply.ts';
import { resultHeaders } from './result-headers.ts';

/** `{"result":[…]}` and nothing else, as existing clients read it. */
export function replyResult(result: CachedResult, headers: RequestHeaders, now: Date): Reply {
  const { document, cacheStatus } = result;
  const accepted = headers['accept-encoding'];
  const coding = accepted === undefined ? 'identity' : chooseCoding(document.encodings, accepted);
  if (cacheStatus !== 'HIT') return renderResult(result, coding, now);

  const age = ageSeconds(result, now);
  const recent = recentHits.get(document)?.[coding];
  if (recent?.age === age) return recent.reply;
  const reply = renderResult(result, coding, now);
  recentHits.set(document, { ...recentHits.get(document), [coding]: { age, reply } });
  return reply;
}

/** The reply of the latest hit on each document: equal for all hits until the document is a second older. */
const recentHits = new WeakMap<
  ResultDocument,
  Partial<Record<Coding, { readonly age: number; readonly reply: Reply }>>
>();

function renderResult(result: CachedResult, coding: Coding, now: Date): Reply {
  const { encodings, digest } = result.document;
  const body = encodings[coding] ?? encodings.identity;
  const headers = {
    'content-type': jsonType,
    'content-length': String(body.byteLength),
    ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
    ...cacheHeaders([result], digest, now),
    vary: variesByFormat,
    ...resultHeaders(result),
  };
  return { status: 200, headers, body };
}
