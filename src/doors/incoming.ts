import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request as far as the doors that need no body look at it, whoever has received it. */
export interface Incoming {
  readonly method: string;
  /** undefined where the request names no place. */
  readonly url: URL | undefined;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  /** @param name in lower case */
  header(name: string): string | undefined;
}

export function fromRequest(request: Request): Incoming {
  return {
    method: request.method,
    url: URL.parse(request.url) ?? undefined,
    signal: request.signal,
    header: (name) => request.headers.get(name) ?? undefined,
  };
}

export function fromNode(message: IncomingMessage, response: ServerResponse): Incoming {
  const { method = 'GET', url: target = '/', headers } = message;
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  // A proxy's request names its whole URL; everybody else's names the host apart.
  const url = target.startsWith('/') ? `http://${headers.host ?? 'localhost'}${target}` : target;
  return {
    method,
    url: URL.parse(url) ?? undefined,
    signal: gone.signal,
    header: (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  };
}
