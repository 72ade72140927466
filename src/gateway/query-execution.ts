import type { Logger } from 'pino';
import type { Catalog } from '../catalog/model/saved-query.ts';
import type { Clock } from '../concurrency/clock.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import type { Engine } from '../engine/engine.ts';
import { idsOf } from '../http/message/request-trace.ts';
import type { OnCost } from '../results/compute.ts';
import type { GetResult } from '../results/get-result.ts';
import { openResults, type Results } from '../results/open-results.ts';
import type { OpenSharedCache } from '../results/shared/shared-cache.ts';
import { traceResults } from '../results/trace-results.ts';
import { openShadows } from '../shadow/open-shadows.ts';
import type { Tracer } from '../trace/span.ts';
import type { Collectors } from './app-metrics.ts';
import { openEngine } from './open-engine.ts';
import type { CacheOptions, EngineFactory, Settings, SharedStore } from './options.ts';

interface QueryExecutionOptions {
  readonly settings: Settings;
  readonly catalog: Catalog;
  readonly log: Logger;
  readonly clock: Clock;
  readonly turns: LoopTurns;
  readonly collectors: Collectors;
  /** As in `GatewayOptions`, like all below. */
  readonly engine: EngineFactory;
  readonly cache?: CacheOptions | undefined;
  readonly onProgress?: ((line: string) => void) | undefined;
  readonly onUnusable?: ((error: Error) => void) | undefined;
  readonly tracer?: Tracer | undefined;
}

/** The engine, the cache before it, and the comparisons of versions beside it. */
export interface QueryExecution {
  readonly getResult: GetResult;
  readonly results: Results;
  readonly updates: Engine['updates'];
  /** Keeps the results of another version warm. @returns resolves when no comparison uses a query that it does not have */
  replaceCatalog(catalog: Catalog): Promise<void>;
  close(): Promise<void>;
}

/** @throws StartError as `Engine` says */
export async function openQueryExecution(options: QueryExecutionOptions): Promise<QueryExecution> {
  const { settings, catalog, log, clock, turns, collectors, tracer } = options;
  const openShared = await sharedCache(options.cache?.shared, log);
  const opened = await openEngine({ ...options, now: clock.now, imported: collectors.imports.record });
  const engine = settings.metrics ? collectors.engine.measure(opened) : opened;
  const onCost: OnCost = (endpoint, cost, trace) => {
    collectors.engine.addCost(endpoint, cost);
    log.info({ endpoint, ...cost, ...(trace && idsOf(trace)) }, 'query ran');
  };
  const { engineConcurrency, engineTimeoutMs } = settings;
  const common = { catalog, engineConcurrency, engineTimeoutMs, clock, turns, log };
  const shadows = openShadows({
    ...common,
    engine,
    onCost: (endpoint, cost) => onCost(endpoint, cost, undefined),
    onOutcome: collectors.shadows.record,
  });
  const results = openResults({
    ...common,
    engine: shadows.engine,
    memoryBytes: settings.cacheMemoryBytes,
    openShared,
    onCost,
  });
  const getResult = collectors.deprecated.count(shadows.watch(results.get));
  return {
    getResult: tracer === undefined ? getResult : traceResults(getResult),
    results,
    updates: engine.updates,
    replaceCatalog(next) {
      results.replaceCatalog(next);
      return shadows.replaceCatalog(next);
    },
    async close() {
      await shadows.close();
      await results.close();
      await engine.close();
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
