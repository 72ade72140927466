import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { GatewayError } from '../../errors.ts';
import type { MetricFamily, RunObserver } from '../../gateway/plugin.ts';
import { mayQuery } from '../../call/gate.ts';
import { replyJson } from '../../http/message/reply.ts';
import type { PluginRoute } from '../../http/message/route.ts';
import { getOrAdd } from '../../get-or-add.ts';
import type { Principal } from '../../keys/principal.ts';

/** Where the list of endpoints gets what is known of their use. */
const usePath = '/use.json';

/** The use of one saved query since this gateway has started. */
interface Use {
  /** Results that callers have got, and how many of them were in the cache; left out if nothing counts them. */
  readonly results?: number;
  readonly hits?: number;
  /** Runs of the engine, refreshes too. */
  readonly runs: number;
  readonly failedRuns: number;
  /** Of the latest runs: 95 % of them took at most as long. */
  readonly p95Seconds?: number;
  readonly lastError?: { readonly code: string; readonly at: string };
  /** When its newest rows were computed. */
  readonly computedAt?: string;
  /** Bytes that its runs have read, if the engine says so. */
  readonly bytesProcessed?: number;
}

interface RunsOfQuery {
  runs: number;
  failedRuns: number;
  /** Seconds of the latest runs. */
  readonly durations: number[];
  lastError?: { readonly code: string; readonly at: string };
  computedAt?: string;
  bytesProcessed?: number;
}

const maxDurations = 200;

interface EndpointUse {
  openRun(bound: BoundQuery): RunObserver;
  replaceCatalog(catalog: Catalog): void;
  /** Replies with the use of the endpoints that the key may query. */
  route(queries: readonly SavedQuery[]): PluginRoute;
}

/**
 * Follows the runs of the engine, so that cached results cost nothing; how many these are is counted elsewhere.
 *
 * @param families those of the plug-in that counts results
 */
export function buildUse(families: () => readonly MetricFamily[]): EndpointUse {
  const known = new Map<string, RunsOfQuery>();
  const since = new Date().toISOString();
  const useOf = ({ name }: SavedQuery, counts: ReadonlyMap<string, Counted>): Use => {
    const { durations, ...runs } = known.get(name) ?? { runs: 0, failedRuns: 0, durations: [] };
    const p95Seconds = durations.toSorted((a, b) => a - b)[Math.ceil(durations.length * 0.95) - 1];
    return { ...counts.get(name), ...runs, ...(p95Seconds !== undefined && { p95Seconds }) };
  };
  return {
    openRun({ query: { name } }) {
      let startedAt: number | undefined;
      return {
        onStart() {
          startedAt ??= performance.now();
        },
        onEnd(rows, error) {
          const of = getOrAdd(known, name, () => ({ runs: 0, failedRuns: 0, durations: [] }));
          const at = new Date().toISOString();
          if (rows === undefined) {
            const code = error instanceof GatewayError ? error.code : 'INTERNAL';
            if (code === 'CANCELLED') return;
            of.failedRuns += 1;
            of.lastError = { code, at };
          } else {
            of.computedAt = at;
            const bytes = rows.cost?.bytesProcessed;
            if (bytes !== undefined) of.bytesProcessed = (of.bytesProcessed ?? 0) + bytes;
          }
          if (startedAt !== undefined) of.durations.push((performance.now() - startedAt) / 1000);
          if (of.durations.length > maxDurations) of.durations.shift();
          of.runs += 1;
        },
      };
    },
    replaceCatalog({ queries }) {
      const names = new Set(queries.map(({ name }) => name));
      for (const name of known.keys()) if (!names.has(name)) known.delete(name);
    },
    route: (queries) => ({
      path: usePath,
      access: 'key',
      answer(_head, _request, { principal }) {
        const counts = countsOf(families());
        const visible = isForAll(principal) ? queries.filter((query) => mayQuery(principal, query)) : [];
        const endpoints = Object.fromEntries(visible.map((query) => [query.name, useOf(query, counts)]));
        return replyJson(200, JSON.stringify({ since, endpoints }));
      },
    }),
  };
}

/** False for a key that is restricted to tenants: the requests of others are not its business. */
const isForAll = ({ tenants }: Principal) => tenants === undefined;

type Counted = Required<Pick<Use, 'results' | 'hits'>>;

function countsOf(families: readonly MetricFamily[]): ReadonlyMap<string, Counted> {
  const counts = new Map<string, { results: number; hits: number }>();
  const samples = families.find(({ name }) => name === 'querygate_results_total')?.samples() ?? [];
  for (const { labels, value } of samples) {
    const of = getOrAdd(counts, String(labels.endpoint), () => ({ results: 0, hits: 0 }));
    of.results += value;
    if (labels.cache === 'hit') of.hits += value;
  }
  return counts;
}
