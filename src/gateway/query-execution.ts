import type { Logger } from 'pino';
import type { AnalyzedCatalog } from '../catalog-analysis/analyze-catalog.ts';
import type { Catalog } from '../catalog/model/saved-query.ts';
import type { Clock } from '../concurrency/clock.ts';
import type { Closers } from '../concurrency/closers.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import type { Engine, ImportReport } from '../engine-contract/engine.ts';
import { idsOf } from '../http/message/request-trace.ts';
import { once } from '../memoize.ts';
import type { OnCost } from '../results/compute.ts';
import type { GetResult } from '../results/get-result.ts';
import { openResults, type Results } from '../results/open-results.ts';
import type { OpenSharedCache } from '../results/shared/shared-cache.ts';
import type { Tracer } from '../trace/span.ts';
import type { EngineFactory } from '../engine-contract/engine-factory.ts';
import { openEngine } from './open-engine.ts';
import type { CacheOptions, Settings } from './options.ts';
import type { PluginHooks } from './plugin-hooks.ts';
import type { SharedStore } from '../results/shared/shared-store.ts';
import { traceResults } from './trace-results.ts';

interface QueryExecutionOptions {
  readonly settings: Settings;
  readonly catalog: AnalyzedCatalog;
  readonly log: Logger;
  readonly clock: Clock;
  readonly turns: LoopTurns;
  readonly hooks: PluginHooks;
  /** As in `GatewayOptions`, like all below. */
  readonly engine: EngineFactory;
  readonly cache?: CacheOptions | undefined;
  readonly onProgress?: ((line: string) => void) | undefined;
  readonly onUnusable?: ((error: Error) => void) | undefined;
  readonly tracer?: Tracer | undefined;
}

/** The engine, and the cache before it. */
export interface QueryExecution {
  readonly getResult: GetResult;
  readonly results: Results;
  readonly updates: Engine['updates'];
  /** Runs a query past the cache. */
  readonly run: Engine['run'];
  readonly estimateBytes: Engine['estimateBytes'];
  readonly changes: Engine['changes'];
  /** Keeps the results of another version warm. */
  replaceCatalog(catalog: Catalog): void;
  /** Closes the cache and the engine before their turn: resolves when what runs have cost is known. */
  endRuns(): Promise<void>;
}

/** @throws StartError as `Engine` says; `closers` has what is open then */
export async function openQueryExecution(
  options: QueryExecutionOptions,
  closers: Closers,
): Promise<QueryExecution> {
  const { settings, catalog, log, clock, turns, hooks, tracer } = options;
  const openShared = await sharedCache(options.cache?.shared, log);
  let warned: readonly string[] = [];
  const imported = (report: ImportReport) => {
    const { warnings = [] } = report;
    for (const warning of warnings) if (!warned.includes(warning)) log.warn(warning);
    warned = warnings;
    for (const hook of hooks.onImport) hook(report);
  };
  let results: Results | undefined;
  const dataChanged = () => results?.dataChanged();
  // The time of all gateways that share the cache, by which results are outdated.
  const now = () => (results?.clock ?? clock).now();
  const engine = hooks.observeRuns(await openEngine({ ...options, now, imported, dataChanged }));
  const closeEngine = once(() => engine.close());
  closers.push(closeEngine);
  const onCost: OnCost = (endpoint, cost, trace) =>
    log.info({ endpoint, ...cost, ...(trace && idsOf(trace)) }, 'query ran');
  const { engineConcurrency, engineTimeoutMs } = settings;
  results = openResults({
    catalog,
    engine,
    engineConcurrency,
    engineTimeoutMs,
    // An engine with a clock of its own has another moment for each run.
    sharesParts: options.engine.flags?.hasClock !== true,
    isOneEngine: options.engine.flags?.isService === true,
    clock,
    turns,
    log,
    memoryBytes: settings.cacheMemoryBytes,
    openShared,
    onCost,
    paceOf: hooks.paceOf,
    refreshesTogether: hooks.refreshesTogether,
    mayRefresh: hooks.mayRefresh,
  });
  const closeResults = once(results.close);
  closers.push(closeResults);
  const getResult = tracer === undefined ? results.get : traceResults(results.get);
  return {
    getResult: hooks.observeResults(getResult),
    results,
    updates: engine.updates,
    async run(bound, runOptions) {
      const rows = await engine.run(bound, runOptions);
      if (rows.cost !== undefined) onCost(bound.query.name, rows.cost, undefined);
      return rows;
    },
    estimateBytes: engine.estimateBytes,
    changes: engine.changes,
    replaceCatalog: results.replaceCatalog,
    async endRuns() {
      await closeResults();
      await closeEngine();
    },
  };
}

async function sharedCache(
  shared: SharedStore | undefined,
  log: Logger,
): Promise<OpenSharedCache | undefined> {
  for (const warning of shared?.warnings ?? []) log.warn(warning);
  return shared?.openCache(log);
}
