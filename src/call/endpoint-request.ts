import { type BoundQuery, bind, isOutdated, type RawParameters } from '../catalog/binding/bind.ts';
import { areAllowed, bindForTenants, type TenantBinding, tenantsOf } from '../catalog/binding/bind-tenant.ts';
import { seenBySql } from '../catalog/binding/caller-sql.ts';
import { mergeLists } from '../catalog/binding/merge-lists.ts';
import type { SavedQuery } from '../catalog/model/saved-query.ts';
import { memoize } from '../memoize.ts';

/** A saved query with a caller's parameters, and what binding them gave; kept for all equal requests, as it is. */
export class EndpointRequest {
  readonly query: SavedQuery;
  readonly parameters: RawParameters;
  /** True if the tenant that the parameters name is compared in any case, also if keys may send a pattern. */
  readonly comparesTenant: boolean;
  /** True once it has been bound, for some key. */
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
    const { parameters } = this;
    const query = sql === undefined ? this.query : seenBySql(this.query);
    const tenants = permitted ?? (this.comparesTenant ? new Set(tenantsOf(query, parameters)) : undefined);
    if (tenants === undefined) {
      if (this.#bound === undefined || isOutdated(this.#bound, now().getTime())) {
        this.#bound = this.#withSql(bind(query, parameters, now().getTime()), sql);
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
    this.#forTenants = { tenants: made.tenants, bound: this.#withSql(made.bound, sql) };
    this.isBound = true;
    return this.#forTenants.bound;
  }

  #withSql(bound: BoundQuery, sql: string | undefined): BoundQuery {
    if (sql === undefined) return bound;
    const { query } = this;
    const absent = query.parameters.map(({ name, repeated }) => [name, repeated ? [] : ''] as const);
    return { ...bound, query, parameters: { ...Object.fromEntries(absent), ...bound.parameters }, sql };
  }
}

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
