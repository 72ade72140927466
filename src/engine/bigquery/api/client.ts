import { BigQuery } from '@google-cloud/bigquery';
import type { BigqueryConfig } from '../../../config.ts';
import { explainCredentials, explainNetwork } from './errors.ts';
import { type HttpReply, openHttp } from './http.ts';

/** Where BigQuery answers, unless an emulator does. */
const googleEndpoint = 'https://bigquery.googleapis.com';

/** BigQuery compresses only for user agents that say so. */
const userAgent = 'querygate (gzip)';

export interface Call {
  readonly method: 'GET' | 'POST';
  /** Below the project, as in `/queries`. */
  readonly path: string;
  readonly body?: object;
  readonly signal: AbortSignal;
}

/** BigQuery's REST API for one project, one HTTP request for each call. */
export interface Client {
  /**
   * @throws the signal's reason where it is aborted; EngineFailure where there are no credentials, or no answer to its
   *   end
   */
  call(call: Call): Promise<HttpReply>;
  close(): Promise<void>;
}

export function openClient({ project: projectId, apiEndpoint }: BigqueryConfig): Client {
  const isEmulator = apiEndpoint !== undefined;
  // Given, so that BIGQUERY_EMULATOR_HOST in the environment cannot lead credentials elsewhere.
  const library = new BigQuery({ projectId, apiEndpoint: apiEndpoint ?? googleEndpoint });
  const base = `${library.apiEndpoint}/bigquery/v2/projects/${encodeURIComponent(projectId)}`;
  const http = openHttp({ direct: isEmulator });

  const headersFor = async (url: string) => {
    const headers = isEmulator
      ? new Headers()
      : new Headers([...(await library.authClient.getRequestHeaders(url))]);
    headers.set('content-type', 'application/json');
    headers.set('user-agent', userAgent);
    return headers;
  };
  return {
    async call({ method, path, body, signal }) {
      const url = `${base}${path}`;
      const headers = await untilAborted(
        headersFor(url).catch((error: unknown) => {
          throw explainCredentials(error);
        }),
        signal,
      );
      const request = { method, url, headers, signal };
      try {
        return await http.send(body === undefined ? request : { ...request, body: JSON.stringify(body) });
      } catch (error) {
        signal.throwIfAborted();
        throw explainNetwork(error);
      }
    },
    close: () => http.close(),
  };
}

/** What a promise gives, but not for longer than a signal lets it: looking for credentials cannot be aborted. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
