import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnalyzedCatalog } from '../catalog-analysis/analyze-catalog.ts';
import { uncheckableProblems, uncheckedQueries } from '../catalog-analysis/tenant-filters.ts';
import { pageFormsOf } from '../catalog/model/page-forms.ts';
import { pushedExample } from '../catalog/model/pushed-forms.ts';
import { queryOfForm } from '../catalog/model/query-forms.ts';
import type { Catalog, SavedQuery } from '../catalog/model/saved-query.ts';
import { hasFunctions } from '../config/option-rules.ts';
import type { CatalogUpdates } from '../engine-contract/engine.ts';
import type { EngineFactory, EngineHost, EngineLimits } from '../engine-contract/engine-factory.ts';
import { optionalMembers } from '../engine-contract/optional-members.ts';
import { distinctProblems, type Problem, StartError } from '../errors.ts';
import { memoize } from '../memoize.ts';
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
  /** The problems that `check` finds without the engine. */
  checkFiles(catalog: AnalyzedCatalog): Promise<readonly Problem[]>;
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
    if (problems.length > 0)
      throw withoutRepetitions(new StartError('Saved queries cannot be served', problems));
  };
  const { openFixtures } = factory;
  return {
    ...factory,
    checksSql: factory.check !== undefined,
    async open(given) {
      for (const text of uncheckedQueries(given.catalog)) given.events.news(text);
      const host = { ...given, catalog: withForms(given.catalog) };
      requireNone(host.catalog);
      const engine = await factory.open(host).catch((error: unknown) => {
        throw withoutRepetitions(error);
      });
      if (!hasFunctions(engine, 'run', 'close'))
        throw new StartError('The engine cannot be used', [
          { message: `engine: ${factory.name}: open must give an engine, with the functions run and close` },
        ]);
      return {
        source: engine.source,
        updates: updatesWithFileChecks(engine.updates, host, problemsOfQuery),
        run: engine.run.bind(engine),
        ...optionalMembers(engine),
        close: () => engine.close(),
      };
    },
    checkFiles: async (catalog) => distinctProblems(problemsIn(withForms(catalog))),
    // A problem of a query is a problem of its forms too.
    async check(given, options) {
      const catalog = withForms(given);
      return distinctProblems([...problemsIn(catalog), ...((await factory.check?.(catalog, options)) ?? [])]);
    },
    ...(openFixtures && {
      async openFixtures(host, fixtures) {
        requireNone(host.catalog);
        return openFixtures(host, fixtures);
      },
    }),
  };
}

/**
 * Engines run the pages of a query as queries of their own. Arguments that callers push into the SQL make many: one
 * query with all parts but conditions is checked in their place.
 */
const withForms = (catalog: AnalyzedCatalog): AnalyzedCatalog => ({
  ...catalog,
  queries: catalog.queries.flatMap((query) => [
    query,
    ...Object.values(pageFormsOf(query) ?? {}),
    ...pushedExamples(query),
  ]),
});

/** The same objects for the same query. */
const pushedExamples = memoize(pushedExample);

function withoutRepetitions(error: unknown): unknown {
  if (!(error instanceof StartError)) return error;
  const problems = distinctProblems(error.problems);
  const [summary = ''] = error.message.split(':\n', 1);
  return problems.length === error.problems.length ? error : new StartError(summary, problems);
}

type ProblemsOfQuery = (query: SavedQuery, catalog: AnalyzedCatalog) => readonly Problem[];

function fileChecksOf({ name, sql, flags = {} }: EngineFactory): ProblemsOfQuery {
  if (sql === 'native') return (query) => uncheckableProblems(query, name, flags.enforcesTenants ?? false);
  return (query, { analysisOf }) => {
    const { tenantProblems, sandboxProblems, recordProblems, zoneProblems } = analysisOf(query);
    const problems = [...sandboxProblems(), ...recordProblems(), ...zoneProblems()];
    return [...(flags.enforcesTenants ? [] : tenantProblems()), ...problems];
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
    async check(given) {
      const catalog = withForms(given);
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
      const all = [...found, ...(others ?? [])].map(([query, problems]) => ({
        query: queryOfForm(query),
        problems,
      }));
      const byQuery = Map.groupBy(all, ({ query }) => query);
      return new Map(
        [...byQuery].map(([query, ofForms]) => [
          query,
          distinctProblems(ofForms.flatMap(({ problems }) => problems)),
        ]),
      );
    },
    async replace(catalog) {
      const known = new Set(current.queries);
      const added = { ...catalog, queries: catalog.queries.filter((query) => !known.has(query)) };
      const release = await updates?.replace(withForms(catalog));
      for (const text of uncheckedQueries(added)) events.news(text);
      current = catalog;
      return release ?? (async () => {});
    },
  };
}
