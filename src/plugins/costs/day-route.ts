import { setImmediate as nextTurn } from 'node:timers/promises';
import { findQuery } from '../../catalog/model/find-query.ts';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import { requireEndpoint } from '../../call/gate.ts';
import type { PluginHost } from '../../gateway/plugin.ts';
import { replyJson } from '../../http/message/reply.ts';
import type { PluginRoute } from '../../http/message/route.ts';
import type { Principal } from '../../keys/principal.ts';
import { type AccountRow, add, daysBefore, noBill, short, type Totals } from './account.ts';

/** Where the page of a query gets what it costs a day. */
const costsPath = '/costs.json';

const shownDays = 30;

/** Rows that are added up in one turn of the event loop. */
const rowsOfTurn = 5_000;

/** Accounts may have many rows, and pages are opened at one time. */
const keepMs = 60_000;

interface DayCostsOptions {
  readonly timeZone: string;
  readonly clock: PluginHost['clock'];
  load(days: ReadonlySet<string>): Promise<readonly AccountRow[]>;
}

/** Sums by endpoint and key: they leave tenants out. */
type Sums = ReadonlyMap<string, readonly (Totals & { readonly day: string; readonly key: string })[]>;

/** Gives the route with the costs of an endpoint by day: to a key that is restricted to tenants only its own. */
export function buildDayRoute({ timeZone, clock, load }: DayCostsOptions): (catalog: Catalog) => PluginRoute {
  let known: { readonly sums: Promise<Sums>; readonly until: number } | undefined;
  const days = () => daysBefore(clock.now(), shownDays, timeZone);
  const sums = (): Promise<Sums> => {
    if (known === undefined || clock.elapsedMs() >= known.until) {
      const loading = load(days()).then(sumRows);
      known = { sums: loading, until: clock.elapsedMs() + keepMs };
      loading.catch(() => {
        known = undefined;
      });
    }
    return known.sums;
  };
  return (catalog) => ({
    path: costsPath,
    access: 'key',
    async answer(_head, { url }, { principal }) {
      const query = findQuery(catalog, url.searchParams.get('endpoint') ?? '');
      requireEndpoint(principal, query);
      const isOfAll = isForAll(principal);
      const own = short(principal.id);
      const rows = ((await sums()).get(query.name) ?? []).filter(({ key }) => isOfAll || key === own);
      const shown = [...days()].reverse().map((day) => {
        const { runs, bytesBilled, slotMs } = rows
          .filter((row) => row.day === day)
          .reduce<Totals>(add, noBill);
        return { day, runs, bytesBilled, slotMs };
      });
      return replyJson(200, JSON.stringify({ of: isOfAll ? 'all callers' : 'this key', days: shown }));
    },
  });
}

/** As in the list of endpoints: refreshes, and the runs of other tenants, are not the business of a key that is restricted to some. */
const isForAll = ({ tenants }: Principal) => tenants === undefined;

async function sumRows(rows: readonly AccountRow[]): Promise<Sums> {
  const sums = new Map<string, Map<string, Totals & { readonly day: string; readonly key: string }>>();
  for (const [at, { endpoint, day, key, ...row }] of rows.entries()) {
    if (at % rowsOfTurn === rowsOfTurn - 1) await nextTurn();
    const of = sums.get(endpoint) ?? new Map();
    sums.set(endpoint, of);
    const name = `${day} ${key}`;
    of.set(name, { day, key, ...add(of.get(name) ?? noBill, row) });
  }
  return new Map([...sums].map(([endpoint, of]) => [endpoint, [...of.values()]]));
}
