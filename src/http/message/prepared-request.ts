import { listNameOf } from '../../catalog/binding/merge-lists.ts';
import type { RawParameters } from '../../catalog/binding/bind.ts';
import type { EndpointRequest } from '../../call/endpoint-request.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import type { Renderer } from '../../formats/renderer.ts';
import { httpLimits } from './http-limits.ts';

const noNames: ReadonlySet<string> = new Set();

/**
 * A URL with all that the steps of the request path derive from it; kept for later requests with the same URL. A copy
 * would keep nothing for them, so the types refuse one.
 */
export class PreparedRequest {
  readonly url: URL;
  /** The path as the access log shows it. */
  readonly loggedPath: string;
  /** The names of parameters that are lists, in any saved query. */
  readonly lists: ReadonlySet<string>;
  /** The parameters of the query string; set once they are known to contain no key. */
  parameters: RawParameters | undefined;
  /** The endpoint that a REST path addresses; set when it is first looked for. */
  addressed: AddressedEndpoint | undefined;

  constructor(url: URL, loggedPath: string, lists = noNames, parameters?: RawParameters) {
    this.url = url;
    this.loggedPath = loggedPath;
    this.lists = lists;
    this.parameters = parameters;
  }

  /** The same request for an endpoint with other parameters. @param url of a GET with them */
  to(addressed: AddressedEndpoint, url: URL): PreparedRequest {
    const { parameters } = addressed.endpoint;
    const request = new PreparedRequest(url, this.loggedPath, this.lists, parameters);
    request.addressed = addressed;
    return request;
  }
}

/** The format that a URL names, or why it names none. */
export type FormatOfUrl = Renderer | 'unknown extension' | 'unknown parameter' | 'repeated parameter';

/** The query and the format that a REST path addresses. */
export interface EndpointAddress {
  readonly query: SavedQuery;
  /** undefined if `Accept` decides. */
  readonly format: FormatOfUrl | undefined;
}

/** The same with the parameters of the request. */
export interface AddressedEndpoint extends Pick<EndpointAddress, 'format'> {
  readonly endpoint: EndpointRequest;
}

/** The names of the parameters of a query that are lists. */
export const listNames = ({ parameters }: SavedQuery): readonly string[] =>
  parameters.flatMap(({ name, repeated }) => (repeated ? [name] : []));

const { maxListValues, maxParameters } = httpLimits;

/**
 * The parameters of a query string, every value of each name, in the order given.
 *
 * @param search the part of the URL after `?`, still percent-encoded
 * @param lists names of which more values are taken than of others
 * @throws GatewayError BAD_REQUEST if there are too many
 */
export function parseQueryString(search: string, lists: ReadonlySet<string> = noNames): RawParameters {
  const raw = new Map<string, string[]>();
  const most = maxParameters + (lists.size === 0 ? 0 : maxListValues);
  const pairs = search.replaceAll('+', ' ').split('&', most + 1);
  if (pairs.length > most) throw tooMany(most);
  let others = 0;
  for (const pair of pairs) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decodeText(at < 0 ? pair : pair.slice(0, at));
    const value = decodeText(at < 0 ? '' : pair.slice(at + 1));
    if (!lists.has(listNameOf(name))) others += 1;
    if (others > maxParameters) throw tooMany(maxParameters);
    const values = raw.get(name);
    if (values === undefined) raw.set(name, [value]);
    else values.push(value);
  }
  return raw;
}

const tooMany = (most: number) =>
  new GatewayError('BAD_REQUEST', `The query string has more than ${most} parameters`);

/**
 * URLSearchParams would turn ill-formed UTF-8 into U+FFFD, which a caller may also mean. A lone surrogate cannot come
 * from a URL: it marks ill-formed text, which binding rejects where it matters.
 */
export function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '\uD800';
  }
}
