import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnalyzedCatalog } from '../analysis/analyze-catalog.ts';
import { uncheckableProblems, uncheckedQueries } from '../analysis/tenant-filters.ts';
import type { Catalog, SavedQuery } from '../catalog/model/saved-query.ts';
import type { CatalogUpdates } from '../engine/engine.ts';
import type { EngineFactory, EngineHost, EngineLimits } from '../engine/engine-factory.ts';
import { type Problem, StartError } from '../errors.ts';
import { membersOf } from './factory-members.ts';

export const limitsOf = (
  settings: Readonly<Record<'engineConcurrency' | 'engineQueueLength' | 'engineTimeoutMs', number>>,
): EngineLimits => ({
  concurrency: settings.engineConcurrency,
  queueLength: settings.engineQueueLength,
  timeoutMs: settings.engineTimeoutMs,
});

export interface CheckedEngine extends EngineFactory {
  readonly check: NonNullable<EngineFactory['check']>;
  /** False if only the files are checked: the engine cannot say whether it can run a query. */
  readonly checksSql: boolean;
}

/**
 * An engine that refuses a query that may return rows of several tenants, or other fields of records than its header
 * declares; and, if the SQL is its own, a query that needs SQL which the gateway can read.
 */
export function withFileChecks(given: EngineFactory): CheckedEngine {
  const factory = membersOf(given);
  const problemsOfQuery = fileChecksOf(factory);
  const problemsIn = (catalog: AnalyzedCatalog) =>
    catalog.queries.flatMap((query) => problemsOfQuery(query, catalog));
  const requireNone = (catalog: AnalyzedCatalog) => {
    const problems = problemsIn(catalog);
    if (problems.length > 0) throw new StartError('Saved queries cannot be served', problems);
  };
  const { openFixtures } = factory;
  return {
    ...factory,
    checksSql: factory.check !== undefined,
    async open(host) {
      for (const text of uncheckedQueries(host.catalog)) host.events.news(text);
      requireNone(host.catalog);
      const engine = await factory.open(host);
      return {
        source: engine.source,
        updates: updatesWithFileChecks(engine.updates, host, problemsOfQuery),
        run: engine.run.bind(engine),
        ...(engine.estimateBytes && { estimateBytes: engine.estimateBytes.bind(engine) }),
        close: () => engine.close(),
      };
    },
    async check(catalog, options) {
      return [...problemsIn(catalog), ...((await factory.check?.(catalog, options)) ?? [])];
    },
    ...(openFixtures && {
      async openFixtures(host, fixtures) {
        requireNone(host.catalog);
        return openFixtures(host, fixtures);
      },
    }),
  };
}

type ProblemsOfQuery = (query: SavedQuery, catalog: AnalyzedCatalog) => readonly Problem[];

function fileChecksOf({ name, sql, flags = {} }: EngineFactory): ProblemsOfQuery {
  if (sql === 'native') return (query) => uncheckableProblems(query, name, flags.enforcesTenants ?? false);
  return (query, { analysisOf }) => {
    const { tenantProblems, sandboxProblems, recordProblems } = analysisOf(query);
    return [...(flags.enforcesTenants ? [] : tenantProblems()), ...sandboxProblems(), ...recordProblems()];
  };
}

/** Also for an engine that runs any query. */
function updatesWithFileChecks(
  updates: CatalogUpdates | undefined,
  { catalog: first, events }: EngineHost,
  problemsOfQuery: ProblemsOfQuery,
): CatalogUpdates {
  /** The tables with which a query was checked. */
  const passed = new WeakMap<SavedQuery, Catalog['tables']>();
  for (const query of first.queries) passed.set(query, first.tables);
  let current = first;
  return {
    async check(catalog) {
      const found = new Map<SavedQuery, readonly Problem[]>();
      for (const query of catalog.queries) {
        if (passed.get(query) === catalog.tables) continue;
        await nextTurn();
        const problems = problemsOfQuery(query, catalog);
        if (problems.length > 0) found.set(query, problems);
        else passed.set(query, catalog.tables);
      }
      // An engine gets no queries that must not run.
      const queries = catalog.queries.filter((query) => !found.has(query));
      const others = await updates?.check(found.size === 0 ? catalog : { ...catalog, queries });
      return new Map([...found, ...(others ?? [])]);
    },
    async replace(catalog) {
      const known = new Set(current.queries);
      const added = { ...catalog, queries: catalog.queries.filter((query) => !known.has(query)) };
      const release = await updates?.replace(catalog);
      for (const text of uncheckedQueries(added)) events.news(text);
      current = catalog;
      return release ?? (async () => {});
    },
  };
}
