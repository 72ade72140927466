import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { keyShape } from '../../keys/key-text.ts';
import type { RequestTrace, Tracer } from '../../trace/span.ts';
import type { RequestHead } from '../head.ts';

/** Identifies a request: by the caller's X-Request-ID, or by one that is made, and by its first span. */
export type OpenTrace = (head: RequestHead) => RequestTrace;

/** Characters that need no quoting in logs and headers. */
const idPattern = /^[\w.:=+/@-]{1,128}$/;

/** @param tracer undefined if no traces are exported */
export function buildOpenTrace(tracer: Tracer | undefined): OpenTrace {
  return ({ method, headers }) => {
    const requestId = acceptId(headers['x-request-id']) ?? randomUUID();
    const attributes = { 'http.request.method': method, 'querygate.request_id': requestId };
    return { requestId, span: tracer?.startRequest(method, headers, attributes) };
  };
}

/** undefined if the text may not be repeated: in logs it must not break a line, and must not be a key. */
function acceptId(text: string | undefined): string | undefined {
  return text !== undefined && idPattern.test(text) && !keyShape.test(text) ? text : undefined;
}

/** The log for one request: its lines have the id of the request. */
export function logOf({ trace }: Pick<RequestHead, 'trace'>, log: Logger): Logger {
  return trace === undefined ? log : log.child(idsOf(trace));
}

/** As lines of the log name a request. */
export function idsOf({ requestId, span }: RequestTrace): { requestId: string; traceId?: string } {
  return span === undefined ? { requestId } : { requestId, traceId: span.traceId };
}
