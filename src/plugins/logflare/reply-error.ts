import type { ErrorCode, GatewayError } from '../../errors.ts';
import { type Reply, replyJson, errorHeaders } from '../../http/message/reply.ts';

/** A caller who may not query an endpoint cannot see whether it exists. */
const unauthorized: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'UNKNOWN_QUERY']);

/** The errors that Logflare gets from its engine, after it has accepted the query. */
const failedQueries: ReadonlySet<ErrorCode> = new Set([
  'INVALID_PARAMETER',
  'QUERY_TOO_EXPENSIVE',
  'ENGINE_FAILED',
  'ENGINE_MISCONFIGURED',
  'ENGINE_QUOTA_EXCEEDED',
  'ENGINE_TIMEOUT',
  'ENGINE_UNAVAILABLE',
  'DATA_UNREADABLE',
]);

/** An error as Logflare replies it: `{"error": "<text>"}`, with 200 if the query has failed. */
export function replyLogflareError(error: GatewayError): Reply {
  const { code, message, status } = error;
  if (unauthorized.has(code)) return replyJson(401, '{"error":"Unauthorized"}');
  const text = JSON.stringify({ error: message });
  return replyJson(failedQueries.has(code) ? 200 : status, text, errorHeaders(error));
}
