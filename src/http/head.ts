import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';

/** A request as far as the doors that need no body look at it, whoever has received it. */
export interface RequestHead {
  readonly method: string;
  /** undefined where the request names no place. */
  readonly url: URL | undefined;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  /** What has become known of the request, for its line in the log. */
  readonly noted: { key?: string };
  /** @param name in lower case */
  header(name: string): string | undefined;
  /** In lower case. */
  headerNames(): readonly string[];
}

export function headOfFetch(request: Request): RequestHead {
  return {
    method: request.method,
    url: URL.parse(request.url) ?? undefined,
    signal: request.signal,
    noted: {},
    header: (name) => request.headers.get(name) ?? undefined,
    headerNames: () => [...request.headers.keys()],
  };
}

/** @param parseUrl as `buildParseUrl` gives it */
export function headOfNode(
  message: IncomingMessage,
  response: ServerResponse,
  parseUrl: ParseUrl,
): RequestHead {
  const { method = 'GET', url: target = '/', headers, httpVersion } = message;
  const { host = httpVersion === '1.1' ? '' : 'localhost' } = headers;
  // A proxy's request names its whole URL; everybody else's names the host apart.
  const url = target.startsWith('/') ? `http://${host}${target}` : target;
  let gone: AbortController | undefined;
  return {
    method,
    url: isHost.test(host) ? parseUrl(url) : undefined,
    // Most answers are at hand, and nobody asks for it.
    get signal() {
      gone ??= goneOf(response);
      return gone.signal;
    },
    noted: {},
    header: (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    headerNames: () => Object.keys(headers),
  };
}

/** A host and a port, and nothing of a path that would come before the target's. */
const isHost = /^[^\s/?#@\\]+$/;

function goneOf(response: ServerResponse): AbortController {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone;
}

type ParseUrl = (text: string) => URL | undefined;

/** A longer URL is hardly asked for twice, and would take memory. */
const longestUrl = 2_048;

/** Dashboards ask the same few URLs again and again: an equal text gives the very same URL, which nobody changes. */
export function buildParseUrl(): ParseUrl {
  const parsed = new LRUCache<string, URL>({ max: 1_000 });
  return (text) => {
    const known = parsed.get(text);
    if (known !== undefined) return known;
    const url = URL.parse(text) ?? undefined;
    if (url !== undefined && text.length <= longestUrl) parsed.set(text, url);
    return url;
  };
}
