import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch } from 'undici';

/** The largest body that is read. BigQuery's pages end at 10 MB, or after the row that exceeds it. */
const maxBodyBytes = 128 * 1024 * 1024;

/** Idle connections are kept this long: a new one costs at least two round trips. */
const keepAliveMs = 60_000;

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Headers;
  /** A JSON text. */
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Called when the headers of a response that is not an error are there, and after each part of its body. */
  readonly onProgress: (() => void) | undefined;
}

export interface HttpReply {
  readonly status: number;
  readonly text: string;
  /** The header Retry-After. */
  readonly retryAfterSeconds: number | undefined;
}

interface Http {
  /** @throws if there is no complete response; aborting the signal closes the connection */
  send(request: HttpRequest): Promise<HttpReply>;
  /** Closes every connection, including those in use. */
  close(): Promise<void>;
}

/**
 * An HTTP client, because requests of Google's library cannot be aborted and have no timeout that works.
 *
 * @param useProxies whether the proxies of the environment apply (HTTPS_PROXY, NO_PROXY)
 */
export function openHttp({ useProxies }: { readonly useProxies: boolean }): Http {
  const options = { keepAliveTimeout: keepAliveMs, headersTimeout: 0, bodyTimeout: 0 };
  const dispatcher: Dispatcher = useProxies ? new EnvHttpProxyAgent(options) : new Agent(options);
  return {
    async send({ method, url, headers, body, signal, onProgress }) {
      const response = await fetch(url, {
        method,
        headers: [...headers],
        body: body ?? null,
        signal,
        dispatcher,
        redirect: 'error',
      });
      const noteProgress = () => response.ok && onProgress?.();
      noteProgress();
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of response.body ?? []) {
        size += chunk.byteLength;
        if (size > maxBodyBytes) throw new Error(`the response has more than ${maxBodyBytes} bytes`);
        chunks.push(chunk);
        noteProgress();
      }
      return {
        status: response.status,
        text: Buffer.concat(chunks).toString('utf8'),
        retryAfterSeconds: parseSeconds(response.headers.get('retry-after')),
      };
    },
    close: () => dispatcher.destroy(),
  };
}

/** A number of seconds, or an HTTP date, of a clock that may be wrong. */
function parseSeconds(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,6}$/.test(header)) return Number(header);
  const seconds = /^[A-Z][a-z]{2}, .* GMT$/.test(header)
    ? (Date.parse(header) - Date.now()) / 1000
    : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.min(3_600, Math.max(0, Math.ceil(seconds)));
}
