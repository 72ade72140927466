import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { GatewayPlugin, PluginHost } from '../../gateway/plugin.ts';
import { getOrAdd } from '../../get-or-add.ts';
import { Claims } from './claims.ts';
import { type SharedForm, sharedQuery } from './share-query.ts';
import { SharedMetrics } from './shared-metrics.ts';
import { type DerivedRun, newShareable, type Shareable } from './shared-run.ts';
import { TenantGroup } from './tenant-group.ts';

/** The name of the connection, for the log. */
const claimsName = 'the Redis of shared runs';

/** Groups of a query beyond so many are looked through for those that are not in use. */
const manyGroups = 1_000;

/**
 * Computes the results of many tenants in one run, where it is proved that their rows never meet: refreshes of one query
 * with equal other parameters, and runs that many callers wait for. Each tenant gets what its own run would give.
 *
 * @returns a plug-in for one gateway, before `costs`
 */
export function sharedRuns(): GatewayPlugin {
  const closing = new AbortController();
  const metrics = new SharedMetrics();
  let host: PluginHost | undefined;
  let claims = new Claims(undefined);
  /** Of each query; undefined if it cannot be shared. */
  let shareables = new WeakMap<SavedQuery, Promise<Shareable | undefined>>();
  let ready = new WeakMap<SavedQuery, Shareable>();
  /** The same of all versions of the catalog: a query that has not changed goes on as it was. */
  const known = new WeakMap<SavedQuery, Shareable>();
  /** By the other parameters. */
  const groups = new WeakMap<Shareable, Map<string, TenantGroup>>();
  let saved: ReadonlyMap<string, SavedQuery> = new Map();

  const shareableOf = (query: SavedQuery): Promise<Shareable | undefined> =>
    getOrAdd(shareables, query, async () => {
      const shareable = host && (await derive(host, query, known));
      if (shareable !== undefined) ready.set(query, shareable);
      return shareable;
    });
  const takeUp = async ({ queries }: Catalog) => {
    metrics.keepEndpoints(queries);
    saved = new Map(queries.map((query) => [query.id, query]));
    for (const query of queries) if (!closing.signal.aborted) await shareableOf(query);
  };
  const groupOf = (bound: BoundQuery, shareable: Shareable): TenantGroup | undefined => {
    const opened = host;
    if (opened === undefined) return undefined;
    const { query, parameters } = bound;
    const { [shareable.form.parameter]: _, ...others } = parameters;
    const ofQuery = getOrAdd(groups, shareable, () => new Map<string, TenantGroup>());
    if (ofQuery.size > manyGroups) for (const [one, { isIdle }] of ofQuery) if (isIdle) ofQuery.delete(one);
    return getOrAdd(ofQuery, JSON.stringify(others), () => {
      // Gateways over other data, or with another form of the query, have groups of their own.
      const name = opened.follow.keyOf({ ...bound, query: saved.get(query.id) ?? query, parameters: others });
      const events = metrics.events(opened);
      return new TenantGroup({ name, shareable, host: opened, claims, events, closing: closing.signal });
    });
  };
  return {
    name: 'shared-runs',
    metrics: metrics.families,
    async open(opened) {
      host = opened;
      const state = await opened.shared?.openState(claimsName, opened.log);
      await state?.ready;
      claims = new Claims(state);
      void takeUp(opened.catalog);
    },
    onCatalog(catalog) {
      shareables = new WeakMap();
      ready = new WeakMap();
      void takeUp(catalog);
    },
    refreshesTogether(bound) {
      const shareable = ready.get(bound.query);
      return shareable !== undefined && tenantOf(shareable.form, bound) !== undefined;
    },
    async mayRefresh(bound, refresh) {
      const shareable = await shareableOf(bound.query);
      const tenant = shareable && tenantOf(shareable.form, bound);
      if (shareable === undefined || tenant === undefined) return true;
      return groupOf(bound, shareable)?.mayRefresh(tenant, dueOf(shareable, refresh)) ?? true;
    },
    async aroundRun(bound, options, run) {
      if (bound.sql !== undefined || bound.query.tenant === undefined) return run(options);
      const { refresh } = options;
      const shareable = refresh === undefined ? ready.get(bound.query) : await shareableOf(bound.query);
      const tenant = shareable && tenantOf(shareable.form, bound);
      const group = shareable && groupOf(bound, shareable);
      if (!shareable || tenant === undefined || group === undefined) return run(options);
      if (refresh === undefined) return group.cold(tenant, bound, options, run);
      return group.refresh(tenant, bound, options, { run, due: dueOf(shareable, refresh) });
    },
    async close() {
      closing.abort();
      await claims.close();
    },
  };
}

/**
 * @param known those of all versions of the catalog
 * @returns undefined if the query cannot be shared: `querygate check` says why
 */
async function derive(
  host: PluginHost,
  query: SavedQuery,
  known: WeakMap<SavedQuery, Shareable>,
): Promise<Shareable | undefined> {
  const made = sharedQuery();
  const derived = await host.derive(query, made.derivation);
  const { form } = made;
  if (form === undefined || derived.query === undefined) return undefined;
  const run: DerivedRun = { form, query: derived.query };
  return Object.assign(
    getOrAdd(known, query, () => newShareable(run)),
    run,
  );
}

/** Finds the tenants whose results are due with that of a refresh. */
const dueOf =
  ({ form }: Shareable, refresh: { tenants(): readonly string[] }) =>
  () =>
    tenantsOf(form, refresh.tenants());

/** The tenant of a bound query, as a shared run knows it. */
function tenantOf(form: SharedForm, { parameters }: BoundQuery): string | undefined {
  const value = parameters[form.parameter];
  return typeof value === 'string' ? tenantsOf(form, [value])[0] : undefined;
}

const tenantsOf = ({ extraction }: SharedForm, values: readonly string[]): readonly string[] =>
  extraction === undefined ? values : values.flatMap((value) => extraction.tenantOf(value) ?? []);
