/**
 * Google's client library, `@google-cloud/bigquery`, finds the credentials, signs requests and knows the addresses of the API. The
 * requests themselves are ours. Measured on its version 9.3.0 against a local server: a query has no way to be aborted; with
 * `timeoutMs: 500` and a server that does not answer it was still waiting after 6 s; an empty answer became an unhandled
 * rejection, which ends a process, and the call never returned; 9007199254740993 came as 9007199254740992.
 *
 * @module
 * @see docs/decisions/0006-bigquery-by-our-own-http.md
 */
import { openLinkedAbort } from '../../../concurrency/abort.ts';
import type { BigqueryOptions } from '../bigquery-options.ts';
import { callTimedOut, connectionFailed } from './api-errors.ts';
import { type Credentials, noCredentials, openCredentials } from './credentials.ts';
import { type HttpReply, type HttpRequest, openHttp } from './http.ts';

/** The API's endpoint unless an emulator is configured. */
const googleEndpoint = 'https://bigquery.googleapis.com';

/** BigQuery compresses responses only for user agents that contain `gzip`. */
const userAgent = 'querygate (gzip)';

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  /** Below the project, as in `/queries`. */
  readonly path: string;
  /** Another project than the client's. */
  readonly projectId?: string;
  readonly body?: object;
}

interface CallOptions {
  readonly timeoutMs: number;
  /** How long the body may pause, to which the timeout does not apply: it may be large, and its query is billed again if it is repeated. */
  readonly bodyPauseMs?: number;
  /** Ends the call before its timeout. */
  readonly signal?: AbortSignal;
  /** The header that continues a trace. */
  readonly traceparent?: string | undefined;
}

/** BigQuery's REST API for one project, one HTTP request a call. */
export interface Client {
  /** @throws the signal's reason once it is aborted; ApiError without credentials or without a complete response */
  call(request: ApiRequest, options: CallOptions): Promise<HttpReply>;
  close(): Promise<void>;
}

export function openClient(
  options: BigqueryOptions,
  credentials: Credentials = options.apiEndpoint === undefined
    ? openCredentials(options, googleEndpoint)
    : noCredentials,
): Client {
  const { projectId, apiEndpoint = googleEndpoint } = options;
  const base = `${apiEndpoint}/bigquery/v2/projects`;
  const http = openHttp({ useProxies: options.apiEndpoint === undefined });

  const send = async (
    apiRequest: ApiRequest,
    attempt: Pick<HttpRequest, 'signal' | 'onProgress'>,
    traceparent: string | undefined,
    isRepeated = false,
  ): Promise<HttpReply> => {
    const { method, path, projectId: owner = projectId, body } = apiRequest;
    const { signal, onProgress } = attempt;
    const url = `${base}/${encodeURIComponent(owner)}${path}`;
    const { headers, reject } = await credentials.authorize(url, signal);
    headers.set('content-type', 'application/json');
    headers.set('user-agent', userAgent);
    if (traceparent !== undefined) headers.set('traceparent', traceparent);
    const request = { method, url, headers, signal, onProgress };
    const reply = await http
      .send(body === undefined ? request : { ...request, body: JSON.stringify(body) })
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw connectionFailed(error);
      });
    if (reply.status !== 401 || reject === undefined || isRepeated) return reply;
    // A token may end before its time.
    reject();
    return send(apiRequest, attempt, traceparent, true);
  };
  return {
    async call(request, { timeoutMs, bodyPauseMs, signal, traceparent }) {
      const attempt = openLinkedAbort({
        follow: signal === undefined ? [] : [signal],
        timeout: { ms: timeoutMs, reason: callTimedOut },
      });
      try {
        return await send(
          request,
          {
            signal: attempt.signal,
            onProgress: bodyPauseMs === undefined ? undefined : () => attempt.restartTimer(bodyPauseMs),
          },
          traceparent,
        );
      } finally {
        attempt.release();
      }
    },
    close: () => http.close(),
  };
}
