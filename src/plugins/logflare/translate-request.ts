import type { RequestHead, TranslatedRequest } from '../../http/message/head.ts';
import { endpointPath } from '../../http/message/paths.ts';
import { decodeText } from '../../http/message/prepared-request.ts';

/**
 * A request of a Logflare client as this gateway's own clients would send it: at the path of the endpoint, with one key, in
 * a header. From here on the key is in no URL, so that nothing that logs, counts, traces or caches can contain it. Requests
 * to other paths stay as they are.
 */
export function translateRequest(head: RequestHead): TranslatedRequest {
  const { origin, address, query = '' } = target.exec(head.url ?? '')?.groups ?? {};
  if (address === undefined) return head;
  const { apiKey, rest } = takeApiKey(query);
  const url = `${origin}${endpointPath}${address}${rest}`;
  return { method: head.method, url, headers: oneKey(head.headers, apiKey) };
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
function oneKey(headers: RequestHead['headers'], apiKey: string | undefined): RequestHead['headers'] {
  if (/^Bearer +\S+$/i.test(headers.authorization ?? '')) {
    const { 'x-api-key': _, ...others } = headers;
    return others;
  }
  if (apiKey === undefined || headers['x-api-key'] !== undefined) return headers;
  return { ...headers, 'x-api-key': apiKey };
}
