import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { GatewayError } from '../../errors.ts';
import type { RequestTrace, Span, Tracer } from '../../trace/span.ts';
import type { RequestHead } from './head.ts';
import { requestIdName } from './reply.ts';

/** Identifies a request: by the caller's X-Request-ID, or by one that is made, and by its first span. */
export type OpenTrace = (head: RequestHead) => RequestTrace;

/** Characters that need no quoting in logs and headers. */
const idPattern = /^[\w.:=+/@-]{1,128}$/;

/**
 * @param tracer undefined if no traces are exported
 * @param isKeyText recognizes keys and tokens, which are pasted into wrong places
 */
export function buildOpenTrace(tracer: Tracer | undefined, isKeyText: (text: string) => boolean): OpenTrace {
  // Ids are repeated in logs: they must not break a line, and must not be a key.
  const accepts = (text: string) => idPattern.test(text) && !isKeyText(text);
  return ({ method, headers }) => {
    const given = headers[requestIdName];
    const requestId = given !== undefined && accepts(given) ? given : randomUUID();
    if (tracer === undefined) return { requestId, span: undefined };
    const attributes = { 'http.request.method': method, 'querygate.request_id': requestId };
    return { requestId, span: tracer.startRequest(method, headers, attributes) };
  };
}

/** The log for one request: its lines have the id of the request. */
export function logOf({ trace }: Pick<RequestHead, 'trace'>, log: Logger): Logger {
  return trace === undefined ? log : log.child(idsOf(trace));
}

/** The same for what an error's reply logs: nothing, if the error is the caller's. A logger takes long to make. */
export function logOfError(error: unknown, head: Pick<RequestHead, 'trace'>, log: Logger): Logger {
  return error instanceof GatewayError && error.status < 500 ? log : logOf(head, log);
}

/** As lines of the log name a request. */
export function idsOf({ requestId, span }: RequestTrace): { requestId: string; traceId?: string } {
  return span === undefined ? { requestId } : { requestId, traceId: span.traceId };
}

/** As OpenTelemetry's conventions for HTTP servers say. */
export function endRequestSpan(span: Span, method: string, path: string, status: number): void {
  span.rename(`${method} ${path}`);
  span.set({
    'http.route': path,
    'url.path': path,
    'http.response.status_code': status,
    'http.request.method': method,
  });
  span.end(status >= 500 ? new GatewayError('INTERNAL', `status ${status}`) : undefined);
}
