import { Readable } from 'node:stream';
import { memoize } from '../../memoize.ts';
import type { Cors } from '../access/cors.ts';
import { matchesEtag } from '../message/cache-headers.ts';
import type { Exchange } from '../message/exchange.ts';
import { missingNameToLog } from '../message/paths.ts';
import { type FinishedReply, type Reply, SentHeaders, warningName } from '../message/reply.ts';
import type { LogFields } from '../message/log-fields.ts';
import type { RequestHooks } from '../message/request-hooks.ts';
import { StreamBody } from '../message/stream/stream-body.ts';
import { endRequestSpan } from '../message/request-trace.ts';
import type { AccessLog } from './access-log.ts';
import type { CompleteHeaders } from './response-headers.ts';

type LogEntry = Parameters<AccessLog>[0];
type Fields = LogEntry['fields'];

type FinishHooks = Pick<RequestHooks, 'logFields' | 'onSent' | 'onStreamed'>;

/** Completes a reply: 304 if the caller has the rows already, the headers that every response has, the access log line. */
export type Finish = (reply: Reply, exchange: Exchange) => FinishedReply;

/** @param complete adds the headers that every response has */
export function buildFinish(
  cors: Cors,
  accessLog: AccessLog,
  hooks: FinishHooks,
  complete: CompleteHeaders,
): Finish {
  const finishHeaders = buildFinishHeaders(complete);
  const { logFields, onSent, onStreamed } = hooks;
  /** A stream lasts: its line says what became of it. */
  const logAtEnd = (body: StreamBody, entry: LogEntry, startedAt: number, end: (bytes: number) => Fields) =>
    body.onEnd(({ bytes, ...summary }) => {
      const ms = Math.round(performance.now() - startedAt);
      accessLog({ ...entry, ms, fields: [...(end(bytes) ?? []), summary] });
    });
  /** The answer to one request, in parts: all its results are known at the end. */
  const endParts = (exchange: Exchange, reply: Reply) => (bytes: number) => {
    for (const hook of onStreamed) hook(exchange, bytes);
    return fieldsOf(logFields, exchange, reply);
  };
  /** One of ten thousand streams that last for days: it keeps as little of its request as it can. */
  const endStream = (exchange: Exchange | undefined, fields: Fields) => (bytes: number) => {
    if (exchange !== undefined) for (const hook of onStreamed) hook(exchange, bytes);
    return fields;
  };
  return (full, exchange) => {
    const { head, caller, path, route, startedAt } = exchange;
    const known = head.headers['if-none-match'];
    const reply = known !== undefined && isUnchanged(full, known) ? notModified(full) : full;
    const { status, body, recycle } = reply;
    const isInParts = body instanceof StreamBody && body.done !== undefined;
    const hasFields = logFields.length > 0 || reply.logFields !== undefined;
    const headers = finishHeaders(
      reply,
      route.allowsCors ? cors.headers?.(head) : undefined,
      caller.rateLimitHeaders,
    );
    const ms = performance.now() - startedAt;
    const entry = {
      method: head.method,
      path,
      status,
      ms: Math.round(ms),
      keyId: caller.keyId,
      // Only of callers with a valid key.
      missing: status === 404 && caller.keyId !== undefined ? missingNameToLog(head.url) : undefined,
      misspelled: reply.headers[warningName]?.split('; ').length,
      trace: head.trace,
      fields: isInParts || !hasFields ? undefined : fieldsOf(logFields, exchange, reply),
    };
    if (isInParts) logAtEnd(body, entry, startedAt, endParts(exchange, reply));
    else if (body instanceof StreamBody)
      logAtEnd(body, entry, startedAt, endStream(onStreamed.length > 0 ? exchange : undefined, entry.fields));
    else accessLog(entry);
    if (head.trace?.span !== undefined) endRequestSpan(head.trace.span, head.method, path, status);
    for (const hook of onSent) hook(exchange, reply, ms / 1000);
    const hasLength = !(body instanceof Readable) || 'content-length' in reply.headers;
    const onBytes =
      hasLength || onStreamed.length === 0
        ? undefined
        : (bytes: number) => {
            for (const hook of onStreamed) hook(exchange, bytes);
          };
    const requestId = head.trace?.requestId;
    return { status, headers, requestId, body, recycle, onSent: onBytes, owner: caller.owner };
  };
}

/** @returns undefined if neither the reply nor a plug-in has any */
function fieldsOf(
  hooks: FinishHooks['logFields'],
  exchange: Exchange,
  reply: Reply,
): readonly LogFields[] | undefined {
  const { logFields } = reply;
  if (hooks.length === 0) return logFields && [logFields];
  const given = [logFields, ...hooks.map((hook) => hook(exchange, reply))];
  const fields = given.filter((some) => some !== undefined);
  return fields.length === 0 ? undefined : fields;
}

const isUnchanged = ({ status, headers: { etag } }: Reply, ifNoneMatch: string): boolean =>
  etag !== undefined && status === 200 && matchesEtag(etag, ifNoneMatch);

/** The reply to a caller who has the rows already. A reply is sent again, so that it is made once. */
const notModified = memoize((full: Reply): Reply => {
  const {
    'content-type': _type,
    'content-length': _length,
    'content-encoding': _coding,
    ...headers
  } = full.headers;
  return { status: 304, headers, body: undefined, logFields: full.logFields };
});

/** The reply's own headers, those of every response, and those of the caller; `vary` is the union. */
function buildFinishHeaders(complete: CompleteHeaders) {
  /** All headers by status, but those of one caller. */
  const sharedHeaders = memoize((_: Reply['headers']) => new Map<number, SentHeaders>());
  return (
    reply: Reply,
    cors: Reply['headers'] | undefined,
    rateLimit: Reply['headers'] | undefined,
  ): SentHeaders => {
    if (cors?.vary !== undefined) {
      const headers = complete(reply);
      const vary = headers.vary === undefined ? cors.vary : `${headers.vary}, ${cors.vary}`;
      return new SentHeaders({ ...headers, ...cors, vary, ...rateLimit });
    }
    const byStatus = sharedHeaders(reply.headers);
    // Not `getOrAdd`: its function would be made for every reply.
    const known = byStatus.get(reply.status);
    const shared = known ?? new SentHeaders(complete(reply));
    if (known === undefined) byStatus.set(reply.status, shared);
    return rateLimit === undefined ? shared : new SentHeaders(rateLimit, shared);
  };
}
