import { basePath } from './base-path.ts';
import type { OpenapiDocument } from './endpoint.ts';
import { type JsonObject, parseJson } from './json.ts';

/** The gateway's error, or the lack of a response. */
export class GatewayError extends Error {
  /** 0 if there was no answer. */
  readonly status: number;
  readonly parameter: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    { status, parameter, retryAfter }: { status: number; parameter?: string; retryAfter?: string | null },
  ) {
    super(message);
    this.status = status;
    this.parameter = parameter;
    // A proxy may send a date.
    this.retryAfterSeconds = /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
  }
}

/** The response to a query that succeeds. */
export interface RowsResponse {
  readonly rows: readonly JsonObject[];
  readonly headers: Headers;
}

/** When the rows of a response were computed, in seconds since 1970; undefined if a proxy took the header away. */
export function computedAtOf(headers: Headers): number | undefined {
  const computedAt = headers.get('querygate-computed-at');
  return computedAt === null ? undefined : Date.parse(computedAt) / 1000;
}

/** The same as people read it, in UTC. */
export const computedAtText = (headers: Headers): string | undefined =>
  headers.get('querygate-computed-at')?.slice(0, 19).replace('T', ' ').concat(' UTC');

/** True for an error that a repeated request would have again. */
export const isWrongRequest = (error: unknown): boolean =>
  error instanceof GatewayError && error.status >= 400 && error.status < 500 && error.status !== 429;

/** True if the query has more rows than were returned. */
export const isCut = ({ headers }: RowsResponse): boolean => headers.get('querygate-truncated') === 'true';

/** The use of an endpoint since its gateway was started. */
export interface Use {
  readonly results?: number;
  readonly hits?: number;
  readonly runs: number;
  readonly failedRuns: number;
  readonly p95Seconds?: number;
  readonly lastError?: { readonly code: string; readonly at: string };
  readonly computedAt?: string;
  readonly bytesProcessed?: number;
}

export interface UseOfEndpoints {
  readonly since: string;
  /** By the names of the files: with its number for a version that has one. */
  readonly endpoints: Readonly<Record<string, Use>>;
}

/** The costs of an endpoint. */
export interface DayCosts {
  /** To whom it was billed, in words. */
  readonly of: string;
  readonly days: readonly {
    readonly day: string;
    readonly runs: number;
    readonly bytesBilled: number;
    readonly slotMs: number;
  }[];
}

/** Requests with one key. */
export interface Gateway {
  openapi(): Promise<OpenapiDocument>;
  /** The use of all endpoints; none if the gateway does not report it. */
  use(): Promise<UseOfEndpoints>;
  /** The costs of an endpoint by day; no days if the gateway does not report it. */
  costs(endpoint: string): Promise<DayCosts>;
  /** @param again whether the query is to run, whatever is cached */
  rows(url: string, signal: AbortSignal, again: boolean): Promise<RowsResponse>;
  /**
   * A stream of events with the rows as they change.
   *
   * @param etag of the rows that are known already
   */
  events(url: string, etag: string | undefined, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  /** The answer of one of the gateway's own routes. */
  json<Body>(url: string, signal: AbortSignal): Promise<Body>;
  file(url: string): Promise<{ readonly blob: Blob; readonly name: string | undefined }>;
  /** The SQL of a saved query. */
  sql(name: string): Promise<string>;
}

export function openGateway(key: string): Gateway {
  const request = async (url: string, init: RequestInit = {}) => {
    // fetch would reject it with a message about ByteStrings.
    if (!/^[\x21-\x7e]+$/.test(key)) throw new GatewayError('This is not an API key.', { status: 401 });
    let response: Response;
    try {
      const headers = { authorization: `Bearer ${key}`, ...init.headers };
      // The browser sends the ETag of its own cache: rows that are the same are not transferred again.
      response = await fetch(url, { cache: 'no-cache', ...init, headers });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new GatewayError('The gateway did not answer. Is it running, and is this device online?', {
        status: 0,
      });
    }
    if (!response.ok) throw await errorOf(response);
    return response;
  };
  return {
    async openapi() {
      const document = await (await request(`${basePath}/openapi.json`)).json().catch(notTheGateways);
      return document?.paths === undefined ? notTheGateways() : document;
    },
    async use() {
      const response = await request(`${basePath}/use.json`).catch(() => undefined);
      return (await response?.json().catch(() => undefined)) ?? { since: '', endpoints: {} };
    },
    async costs(endpoint) {
      const url = `${basePath}/costs.json?endpoint=${encodeURIComponent(endpoint)}`;
      const response = await request(url).catch(() => undefined);
      return (await response?.json().catch(() => undefined)) ?? { of: '', days: [] };
    },
    async rows(url, signal, again) {
      const init = { signal, ...(again && { cache: 'reload' as const }) };
      const response = await request(url, init);
      const body = bodyOf(await textOf(response, signal));
      if (!Array.isArray(body.result))
        throw compatError(textIn(body.error) ?? 'There are no rows.', response.status);
      if (!body.result.every(isObject)) return notTheGateways();
      return { rows: body.result, headers: response.headers };
    },
    async events(url, etag, signal) {
      const headers = {
        accept: 'text/event-stream;delta=rows',
        ...(etag !== undefined && { 'last-event-id': etag }),
      };
      const { body, headers: received } = await request(url, { cache: 'no-store', signal, headers });
      const isStream = received.get('content-type')?.startsWith('text/event-stream') === true;
      return isStream && body !== null ? body : notTheGateways();
    },
    async json(url, signal) {
      return (await request(url, { signal })).json().catch(notTheGateways);
    },
    async file(url) {
      const response = await request(url);
      const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
      const blob = await response.blob().catch(cutShort);
      // Lines of rows whose first column is called `error` begin like that error.
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      if (isJson && (await blob.slice(0, compatStart.length).text()) === compatStart)
        throw compatError((JSON.parse(await blob.text()) as RowsBody).error ?? '', 200);
      return { blob, name };
    },
    async sql(name) {
      const query = 'query EndpointSql($name: String!) { endpoint(name: $name) { query } }';
      const response = await request(`${basePath}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables: { name } }),
      });
      const body = await response.json().catch(notTheGateways);
      const sql = textIn(body?.data?.endpoint?.query);
      if (sql === undefined) {
        const message = textIn(body?.errors?.[0]?.message) ?? 'The SQL is not available.';
        throw new GatewayError(message, { status: 200 });
      }
      return sql;
    },
  };
}

/** With `COMPAT=logflare` the error is a text, and the status 200 if the query has failed. */
interface RowsBody {
  readonly result?: readonly JsonObject[];
  readonly error?: string;
}

/** A proxy may answer in the same form, with anything in it. */
const textIn = (value: unknown) => (typeof value === 'string' ? value : undefined);

const isObject = (row: unknown) => typeof row === 'object' && row !== null && !Array.isArray(row);

const compatStart = '{"error":';

/** Such a text begins with the parameter that is wrong, if it is one. */
function compatError(message: string, status: number): GatewayError {
  const parameter = /^(\w+): /.exec(message)?.[1];
  return new GatewayError(message, { status, ...(parameter !== undefined && { parameter }) });
}

async function textOf(response: Response, signal: AbortSignal): Promise<string> {
  return response.text().catch((error: unknown) => {
    if (signal.aborted) throw error;
    return cutShort();
  });
}

const cutShort = (): never => {
  throw new GatewayError('The response was cut short; run the query again.', { status: 0 });
};

/** For example the page of a proxy that wants people to log in. */
const notTheGateways = (): never => {
  throw new GatewayError('Something between this page and the gateway answered in its place.', { status: 0 });
};

function bodyOf(text: string): RowsBody {
  try {
    return (parseJson(text) as RowsBody | null) ?? notTheGateways();
  } catch {
    return notTheGateways();
  }
}

/** `{"error":{code,message,parameter}}`, or what a proxy in between answers. */
async function errorOf(response: Response): Promise<GatewayError> {
  const { status, statusText, headers } = response;
  const retryAfter = headers.get('retry-after');
  try {
    const { error, errors } = await response.json();
    if (typeof error === 'string') return compatError(error, status);
    const message = textIn(error?.message) ?? textIn(errors?.[0]?.message) ?? `${status} ${statusText}`;
    const parameter = textIn(error?.parameter);
    return new GatewayError(message, { status, retryAfter, ...(parameter !== undefined && { parameter }) });
  } catch {
    return new GatewayError(`The gateway answered ${status} ${statusText}.`, { status, retryAfter });
  }
}
