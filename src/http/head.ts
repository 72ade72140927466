import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestTrace } from '../trace/span.ts';

/** Names in lower case; a repeated header is one value, joined by commas. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** Everything of a request except its body, received by Node's server or as a Fetch request. */
export interface RequestHead {
  readonly method: string;
  /** The absolute URL as received; undefined if the request's Host header is not valid. */
  readonly url: string | undefined;
  readonly headers: RequestHeaders;
  /**
   * Aborted when the caller disconnects. Read it only if the request has to wait: Node's signal is created on first
   * use.
   */
  readonly signal: AbortSignal;
  /** Identifies the request; set when it is handled. */
  trace?: RequestTrace | undefined;
}

export function headOfNode(message: IncomingMessage, response: ServerResponse): RequestHead {
  return new NodeRequestHead(message, response);
}

/** A class, because an object literal with a getter takes longer to create than the whole rest of a cached reply. */
class NodeRequestHead implements RequestHead {
  readonly method: string;
  readonly url: string | undefined;
  readonly headers: RequestHeaders;
  trace: RequestTrace | undefined = undefined;
  readonly #response: ServerResponse;
  #disconnected: AbortController | undefined;

  constructor(message: IncomingMessage, response: ServerResponse) {
    this.method = message.method ?? 'GET';
    // Only `set-cookie`, which is no request header, would be an array.
    this.headers = message.headers as RequestHeaders;
    this.url = urlOfNode(message);
    this.#response = response;
  }

  get signal(): AbortSignal {
    this.#disconnected ??= abortOnDisconnect(this.#response);
    return this.#disconnected.signal;
  }
}

export function headOfFetch({ method, url, headers, signal }: Request): RequestHead {
  return { method, url, headers: Object.fromEntries(headers), signal };
}

/** A host and a port, without any character of a path, which would come before the path of the request target. */
const hostPattern = /^[^\s/?#@\\]+$/;

function urlOfNode({ url: target = '/', headers, httpVersion }: IncomingMessage): string | undefined {
  const { host = httpVersion === '1.1' ? '' : 'localhost' } = headers;
  if (!hostPattern.test(host)) return undefined;
  // Requests to a proxy have the absolute URL as their target.
  return target.startsWith('/') ? `http://${host}${target}` : target;
}

function abortOnDisconnect(response: ServerResponse): AbortController {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller;
}
