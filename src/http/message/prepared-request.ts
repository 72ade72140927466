import { type BoundQuery, bind, isOutdated, type RawParameters } from '../../catalog/binding/bind.ts';
import {
  areAllowed,
  bindForTenants,
  type TenantBinding,
  tenantsOf,
} from '../../catalog/binding/bind-tenant.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import type { Format } from '../../formats/format.ts';
import { memoize } from '../../memoize.ts';
import { httpLimits } from './http-limits.ts';
import { listNameOf, mergeLists } from '../../catalog/binding/merge-lists.ts';

const noNames: ReadonlySet<string> = new Set();

/**
 * What the steps of the request path derive from a URL; kept for later requests with the same URL. A copy would keep
 * nothing for them, so the types refuse one.
 */
export class PreparedRequest {
  readonly url: URL;
  /** The path as the access log shows it. */
  readonly loggedPath: string;
  /** The names of parameters that are lists, in any saved query. */
  readonly lists: ReadonlySet<string>;
  /** The parameters of the query string; set once they are known to contain no key. */
  parameters: RawParameters | undefined;
  /** What a REST path addresses; set when it is first looked for. */
  addressed: AddressedEndpoint | undefined;

  constructor(url: URL, loggedPath: string, lists = noNames, parameters?: RawParameters) {
    this.url = url;
    this.loggedPath = loggedPath;
    this.lists = lists;
    this.parameters = parameters;
  }
}

/** A saved query with a caller's parameters, and what binding them gave; kept for all equal requests, as it is. */
export class EndpointRequest {
  readonly query: SavedQuery;
  readonly parameters: RawParameters;
  /** Whether the tenant that the parameters name is compared in any case, also if keys may send a pattern. */
  readonly comparesTenant: boolean;
  /** Whether it has been bound, for some key. */
  isBound = false;
  /** For keys that are not restricted to tenants. */
  #bound: BoundQuery | undefined;
  /** For keys that are restricted: the query bound to the tenants that the parameters name. */
  #forTenants: TenantBinding | undefined;

  constructor(query: SavedQuery, parameters: RawParameters, comparesTenant = false) {
    this.query = query;
    this.parameters = mergeLists(parameters, repeatableNames(query));
    this.comparesTenant = comparesTenant;
  }

  /**
   * @param permitted the tenants that the key may read; undefined for any
   * @param sql that the caller sends for the query
   * @throws GatewayError as `bind` and `bindForTenants` do
   */
  bind(permitted: ReadonlySet<string> | undefined, sql: string | undefined, now: () => Date): BoundQuery {
    const { query, parameters } = this;
    const tenants = permitted ?? (this.comparesTenant ? new Set(tenantsOf(query, parameters)) : undefined);
    if (tenants === undefined) {
      if (this.#bound === undefined || isOutdated(this.#bound, now().getTime())) {
        this.#bound = withSql(bind(query, parameters, now().getTime()), sql);
        this.isBound = true;
      }
      return this.#bound;
    }
    // The parameters name the tenants, so the binding serves every key that may read all of them.
    const known = this.#forTenants;
    if (
      known !== undefined &&
      areAllowed(known.tenants, tenants) &&
      !isOutdated(known.bound, now().getTime())
    ) {
      return known.bound;
    }
    const made = bindForTenants(query, parameters, tenants, now().getTime());
    this.#forTenants = { tenants: made.tenants, bound: withSql(made.bound, sql) };
    this.isBound = true;
    return this.#forTenants.bound;
  }
}

const withSql = (bound: BoundQuery, sql: string | undefined): BoundQuery =>
  sql === undefined ? bound : { ...bound, sql };

/** The format that a URL names, or why it names none. */
export type FormatOfUrl = Format | 'unknown extension' | 'unknown parameter' | 'repeated parameter';

/** What a REST path addresses. */
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

/** The names of a request for a query that may come several times: lists, and conditions on rows, all of which must be true. */
const repeatableNames = memoize(({ parameters, rowArguments }: SavedQuery): ReadonlySet<string> => {
  const declared = new Map(parameters.map(({ name, repeated }) => [name, repeated]));
  const conditions =
    rowArguments === undefined || rowArguments.filter.length === 0
      ? []
      : [...treeWords, ...rowArguments.filter.map(({ name }) => name)];
  return new Set([
    ...conditions.filter((name) => !declared.has(name)),
    ...[...declared].flatMap(([name, repeated]) => (repeated ? [name] : [])),
  ]);
});

/** The parameters of trees of conditions. */
export const treeWords = ['and', 'or', 'not.and', 'not.or'] as const;

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
