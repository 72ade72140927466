import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AddressList } from '../../config/address-list.ts';
import type { ObtainedResult } from '../../results/get-result.ts';
import type { RequestTrace } from '../../trace/span.ts';
import { clientAddress } from './client-address.ts';

/** Names in lower case; a repeated header is one value, joined by commas. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** Everything of a request except its body, received by Node's server or as a Fetch request. */
export interface RequestHead {
  /** In upper case, as in `GET`. */
  readonly method: string;
  /** The absolute URL as received; undefined if the Host header is not valid, or it or Authorization is repeated. */
  readonly url: string | undefined;
  /** As received. */
  readonly headers: RequestHeaders;
  /** The caller's; undefined if the server does not say it. */
  readonly address: string | undefined;
  /** Called when the request turns out to have a valid key; undefined if that is known of its connection. */
  readonly onKey?: () => void;
  /**
   * Aborted when the caller disconnects. Read it only if the request has to wait: Node's signal is created on first
   * use.
   */
  readonly signal: AbortSignal;
  /** Identifies the request; set when it is handled. */
  trace?: RequestTrace | undefined;
  /** Receives the results of the request: what its reply is made of. */
  results?: ObtainedResult[] | undefined;
}

/** The parts of a request that a plug-in may change. */
export type TranslatedRequest = Pick<RequestHead, 'method' | 'url' | 'headers'>;

/** True for GET, and for HEAD, which is answered like it (RFC 9110, 9.3.2). */
export const isRead = ({ method }: Pick<RequestHead, 'method'>): boolean =>
  method === 'GET' || method === 'HEAD';

/** How requests reach the gateway. */
export interface Reception {
  /** Proxies that name the caller's address; undefined: none. */
  readonly trustedProxies: AddressList | undefined;
  /** Removed from the beginning of each path, if it is there. */
  readonly basePath: string;
}

const keyed = new WeakSet<Socket>();

/** Notes that a valid key was sent over a connection. */
export const markKeyed = (socket: Socket): unknown => keyed.add(socket);

export const isKeyed = (socket: Socket): boolean => keyed.has(socket);

/** A class, because an object literal with a getter takes longer to create than the whole rest of a cached reply. */
export class NodeRequestHead implements RequestHead {
  readonly method: string;
  readonly url: string | undefined;
  readonly headers: RequestHeaders;
  trace: RequestTrace | undefined;
  results: ObtainedResult[] | undefined;
  readonly onKey?: () => void;
  readonly #response: ServerResponse;
  readonly #trusted: AddressList | undefined;
  #disconnected: AbortController | undefined;

  constructor(message: IncomingMessage, response: ServerResponse, { trustedProxies, basePath }: Reception) {
    this.method = message.method ?? 'GET';
    // Only `set-cookie`, which is not a request header, would be an array.
    this.headers = message.headers as RequestHeaders;
    const url = hasRepeatedHeader(message.rawHeaders) ? undefined : urlOfNode(message);
    this.url = basePath === '' || url === undefined ? url : withoutBase(url, basePath);
    this.#response = response;
    this.#trusted = trustedProxies;
    const { socket } = message;
    if (!keyed.has(socket)) this.onKey = () => markKeyed(socket);
  }

  get address(): string | undefined {
    const { remoteAddress } = this.#response.req.socket;
    return clientAddress(remoteAddress, this.headers['x-forwarded-for'], this.#trusted);
  }

  get signal(): AbortSignal {
    this.#disconnected ??= abortOnDisconnect(this.#response);
    return this.#disconnected.signal;
  }
}

/** @param peer the address of the connection, which is looked for only if it is needed */
export function headOfFetch(
  { method, url, headers, signal }: Request,
  peer: () => string | undefined,
  { trustedProxies, basePath }: Reception,
): RequestHead {
  const received: RequestHeaders = Object.fromEntries(headers);
  return {
    method,
    // A fragment is for the client, and servers other than Node's leave it in the URL.
    url: withoutBase(url.split('#', 1)[0] ?? url, basePath),
    headers: received,
    get address() {
      return clientAddress(peer(), received['x-forwarded-for'], trustedProxies);
    },
    signal,
  };
}

/** A request as a plug-in has changed it, from the caller of the one that was received. */
export class TranslatedHead implements RequestHead {
  readonly method: string;
  readonly url: string | undefined;
  readonly headers: RequestHeaders;
  trace: RequestTrace | undefined = undefined;
  results: ObtainedResult[] | undefined = undefined;
  readonly #received: RequestHead;

  constructor({ method, url, headers }: TranslatedRequest, received: RequestHead) {
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.#received = received;
  }

  get address(): string | undefined {
    return this.#received.address;
  }

  onKey(): void {
    this.#received.onKey?.();
  }

  get signal(): AbortSignal {
    return this.#received.signal;
  }
}

/** @param url absolute */
function withoutBase(url: string, basePath: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  if (basePath === '' || start < 0 || !url.startsWith(basePath, start)) return url;
  const rest = url.slice(start + basePath.length);
  return /^[/?#]|^$/.test(rest) ? `${url.slice(0, start)}${rest.startsWith('/') ? '' : '/'}${rest}` : url;
}

/**
 * Node takes the first of several Host or Authorization headers. A proxy in front may take another one, and let a request
 * pass for another caller (RFC 9112, 3.2).
 *
 * @param rawHeaders names and values in turn
 */
function hasRepeatedHeader(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  let authorizations = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name?.length === 13 && name.toLowerCase() === 'authorization') authorizations += 1;
  }
  return hosts > 1 || authorizations > 1;
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
