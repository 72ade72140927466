import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch } from 'undici';

/** The largest body that is read. BigQuery's pages end at 10 MB, or one row beyond. */
const maxBodyBytes = 128 * 1024 * 1024;

/** Idle connections are kept this long: a new one costs two round trips and more. */
const keepAliveMs = 60_000;

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Headers;
  /** A JSON text. */
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface HttpReply {
  readonly status: number;
  readonly text: string;
  /** The header Retry-After, in seconds, where it says so. */
  readonly retryAfterSeconds: number | undefined;
}

export interface Http {
  /** @throws where there is no answer to its end; the signal's abort closes the connection */
  send(request: HttpRequest): Promise<HttpReply>;
  /** Closes every connection, those in use too. */
  close(): Promise<void>;
}

/**
 * Our own way to BigQuery's servers: requests of the client library cannot be aborted, and have no timeout that works.
 *
 * @param direct false where the proxies of the environment stand between (HTTPS_PROXY, NO_PROXY)
 */
export function openHttp({ direct }: { readonly direct: boolean }): Http {
  const options = { keepAliveTimeout: keepAliveMs, headersTimeout: 0, bodyTimeout: 0 };
  const dispatcher: Dispatcher = direct ? new Agent(options) : new EnvHttpProxyAgent(options);
  return {
    async send({ method, url, headers, body, signal }) {
      const response = await fetch(url, {
        method,
        headers: [...headers],
        body: body ?? null,
        signal,
        dispatcher,
        redirect: 'error',
      });
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of response.body ?? []) {
        size += chunk.byteLength;
        if (size > maxBodyBytes) throw new Error(`an answer of more than ${maxBodyBytes} bytes`);
        chunks.push(chunk);
      }
      return {
        status: response.status,
        text: Buffer.concat(chunks).toString('utf8'),
        retryAfterSeconds: seconds(response.headers.get('retry-after')),
      };
    },
    close: () => dispatcher.destroy(),
  };
}

function seconds(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
