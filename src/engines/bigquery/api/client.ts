/**
 * Google's client library, `@google-cloud/bigquery`, finds the credentials, signs requests and knows the addresses of the API. The
 * requests themselves are ours. Measured on its version 9.3.0 against a local server: a query has no way to be aborted; with
 * `timeoutMs: 500` and a server that does not answer it was still waiting after 6 s; an empty answer became an unhandled
 * rejection, which ends a process, and the call never returned; 9007199254740993 came as 9007199254740992.
 *
 * @module
 * @see docs/decisions/0006-bigquery-by-our-own-http.md
 */
import { BigQuery } from '@google-cloud/bigquery';
import { openLinkedAbort, untilAborted } from '../../../concurrency/abort.ts';
import type { BigqueryOptions } from '../bigquery-options.ts';
import { callTimedOut, connectionFailed, credentialsFailed } from './api-errors.ts';
import { type HttpReply, openHttp } from './http.ts';

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

export function openClient({ projectId, apiEndpoint }: BigqueryOptions): Client {
  const isEmulator = apiEndpoint !== undefined;
  // Always set: otherwise BIGQUERY_EMULATOR_HOST in the environment could send credentials elsewhere.
  const library = new BigQuery({ projectId, apiEndpoint: apiEndpoint ?? googleEndpoint });
  const base = `${library.apiEndpoint}/bigquery/v2/projects`;
  const http = openHttp({ useProxies: !isEmulator });

  const headersFor = async (url: string) => {
    const headers = isEmulator
      ? new Headers()
      : new Headers([...(await library.authClient.getRequestHeaders(url))]);
    headers.set('content-type', 'application/json');
    headers.set('user-agent', userAgent);
    return headers;
  };
  const send = async (
    { method, path, projectId: owner = projectId, body }: ApiRequest,
    signal: AbortSignal,
    traceparent: string | undefined,
  ) => {
    const url = `${base}/${encodeURIComponent(owner)}${path}`;
    const authenticating = headersFor(url).catch((error: unknown) => {
      throw credentialsFailed(error);
    });
    // The library's search for credentials cannot be aborted.
    const headers = await untilAborted(authenticating, signal);
    if (traceparent !== undefined) headers.set('traceparent', traceparent);
    const request = { method, url, headers, signal };
    try {
      return await http.send(body === undefined ? request : { ...request, body: JSON.stringify(body) });
    } catch (error) {
      signal.throwIfAborted();
      throw connectionFailed(error);
    }
  };
  return {
    async call(request, { timeoutMs, signal, traceparent }) {
      const attempt = openLinkedAbort({
        follow: signal === undefined ? [] : [signal],
        timeout: { ms: timeoutMs, reason: callTimedOut },
      });
      try {
        return await send(request, attempt.signal, traceparent);
      } finally {
        attempt.release();
      }
    },
    close: () => http.close(),
  };
}
