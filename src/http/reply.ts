import type { Logger } from 'pino';
import { GatewayError } from '../errors.ts';
import { ageMs } from '../results/freshness.ts';
import type { CachedResult } from '../results/get-result.ts';
import type { Coding, ResultDocument } from '../results/result-document.ts';
import { cacheHeaders, etagOf, isKnown } from './cache-headers.ts';
import { chooseCoding } from './content-coding.ts';
import type { RequestHead } from './head.ts';
import { securityHeaders } from './security-headers.ts';

/** A response before it is written to a socket, or made a Response. Names of headers are in lower case. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string | undefined;
}

/** What a caller's key may change, and what a caller reads: caches must tell these apart. */
export const variesBy = 'X-API-KEY, Authorization, Accept-Encoding';

const contentType = 'application/json; charset=utf-8';

/** `{"result":[…]}` and nothing else, as existing clients read it; or 304 where the caller has these rows already. */
export function replyAnswer(answer: CachedResult, { header }: RequestHead, now: Date): Reply {
  const { document: content } = answer;
  const etag = etagOf(content.digest);
  if (isKnown(etag, header('if-none-match'))) {
    return { status: 304, headers: answerHeaders(answer, now), body: undefined };
  }
  const coding = chooseCoding(content.encodings, header('accept-encoding'));
  if (answer.cacheStatus !== 'HIT') return fullReply(answer, coding, now);

  // A hit is told in the same words until it is a second older.
  const age = Math.floor(ageMs(content, now) / 1000);
  const last = lastHits.get(content)?.[coding];
  if (last?.age === age) return last.reply;
  const reply = fullReply(answer, coding, now);
  lastHits.set(content, { ...lastHits.get(content), [coding]: { age, reply } });
  return reply;
}

const lastHits = new WeakMap<
  ResultDocument,
  Partial<Record<Coding, { readonly age: number; readonly reply: Reply }>>
>();

function fullReply(answer: CachedResult, coding: Coding, now: Date): Reply {
  const { encodings: forms } = answer.document;
  const body = forms[coding] ?? forms.identity;
  const headers = {
    'content-type': contentType,
    'content-length': String(body.byteLength),
    ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
    ...answerHeaders(answer, now),
  };
  return { status: 200, headers, body };
}

function answerHeaders(answer: CachedResult, now: Date): Reply['headers'] {
  const etag = etagOf(answer.document.digest);
  return { etag, ...cacheHeaders([answer], now), vary: variesBy, ...securityHeaders };
}

/** The one body shape of a refusal: `{"error":{"code","message"}}`, with the parameter's name where one is wrong. */
export function replyError(error: unknown, log: Logger): Reply {
  const told = toGatewayError(error, log);
  const { code, message, parameter, status } = told;
  return replyJson(status, JSON.stringify({ error: { code, message, parameter } }), retryHeaders(told));
}

/** Tells a caller when to ask again, where we know it (RFC 9110, Retry-After). */
export function retryHeaders({ retryAfterSeconds }: GatewayError): Reply['headers'] {
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterSeconds)) };
}

/** Any other JSON text; it holds for this moment only. */
export function replyJson(status: number, text: string, headers: Reply['headers'] = {}): Reply {
  return {
    status,
    headers: {
      'content-type': contentType,
      'content-length': String(Buffer.byteLength(text)),
      'cache-control': 'no-store',
      ...securityHeaders,
      ...explained[status],
      ...headers,
    },
    body: text,
  };
}

/** What a status owes the caller besides its body (RFC 9110). */
const explained: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Bearer realm="querygate"' },
  405: { allow: 'GET, HEAD, OPTIONS' },
};

/** @param method of the request: what answers HEAD has no body */
export function toResponse({ status, headers, body }: Reply, method = 'GET'): Response {
  return new Response(method === 'HEAD' || body === undefined ? null : new Uint8Array(Buffer.from(body)), {
    status,
    headers,
  });
}

/** What the caller is told; what only we may know is logged here, once. */
export function toGatewayError(error: unknown, log: Logger): GatewayError {
  if (!(error instanceof GatewayError)) {
    log.error({ err: error }, 'a bug in the gateway');
    return new GatewayError('INTERNAL', 'Internal error');
  }
  if (error.status >= 500) log.warn({ code: error.code, err: error.cause }, error.message);
  return error;
}
