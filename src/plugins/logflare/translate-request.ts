import type { RequestHead, RequestHeaders } from '../../http/message/head.ts';
import { endpointPath } from '../../http/message/paths.ts';
import { decodeText } from '../../http/message/prepared-request.ts';

/**
 * A request of a Logflare client as this gateway's own clients would send it: at the path of the endpoint, with one key, in
 * a header. From here on the key is in no URL, so that nothing that logs, counts, traces or caches can contain it. Requests
 * to other paths stay as they are.
 */
export function translateRequest(head: RequestHead): RequestHead {
  const { origin, address, query = '' } = target.exec(head.url ?? '')?.groups ?? {};
  if (address === undefined) return head;
  const { apiKey, rest } = takeApiKey(query);
  return new TranslatedHead(head, `${origin}${endpointPath}${address}${rest}`, oneKey(head.headers, apiKey));
}

/** `/api/endpoints/query/<address>`, and the older paths `/api/endpoints/query/name/<name>` and `/endpoints/query/<address>`. */
const target =
  /^(?<origin>https?:\/\/[^/?#]*)(?:\/api\/endpoints\/query\/(?:name\/)?|\/endpoints\/query\/)(?<address>[^/?#]+)(?<query>\?.*)?$/;

const keyName = 'api_key';

/**
 * A name that is percent-encoded is not recognized here, and is later refused like every key in a URL.
 *
 * @param query '' or the query string with its `?`
 */
function takeApiKey(query: string): { readonly apiKey: string | undefined; readonly rest: string } {
  if (!query.includes(keyName)) return { apiKey: undefined, rest: query };
  let apiKey: string | undefined;
  const others = query
    .slice(1)
    .split('&')
    .filter((pair) => {
      if (pair !== keyName && !pair.startsWith(`${keyName}=`)) return true;
      apiKey = decodeText(pair.slice(keyName.length + 1).replaceAll('+', ' '));
      return false;
    });
  return { apiKey, rest: others.length === 0 ? '' : `?${others.join('&')}` };
}

/** Of several keys a bearer token counts first, then the header X-API-KEY, then the URL. */
function oneKey(headers: RequestHeaders, apiKey: string | undefined): RequestHeaders {
  if (/^Bearer +\S+$/i.test(headers.authorization ?? '')) {
    const { 'x-api-key': _, ...others } = headers;
    return others;
  }
  if (apiKey === undefined || headers['x-api-key'] !== undefined) return headers;
  return { ...headers, 'x-api-key': apiKey };
}

class TranslatedHead implements RequestHead {
  readonly method: string;
  readonly url: string;
  readonly headers: RequestHeaders;
  trace: RequestHead['trace'] = undefined;
  results: RequestHead['results'] = undefined;
  readonly #received: RequestHead;

  constructor(received: RequestHead, url: string, headers: RequestHeaders) {
    this.method = received.method;
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
