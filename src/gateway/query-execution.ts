import type { Logger } from 'pino';
import type { Catalog } from '../catalog/model/saved-query.ts';
import type { Clock } from '../concurrency/clock.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { configuredEngine, limitsOf } from '../engines/engines.ts';
import { idsOf } from '../http/observe/request-trace.ts';
import type { OnCost } from '../results/compute.ts';
import type { GetResult } from '../results/get-result.ts';
import { hotKeyLimit } from '../results/hot-keys.ts';
import { openResults, type Results } from '../results/open-results.ts';
import { describeExposure } from '../results/redis/exposure.ts';
import type { OpenSharedCache } from '../results/shared/shared-cache.ts';
import { traceResults } from '../results/trace-results.ts';
import { openShadows } from '../shadow/open-shadows.ts';
import type { Tracer } from '../trace/span.ts';
import type { Collectors } from './app-metrics.ts';
import { logEvents } from './engine-events.ts';

interface QueryExecutionOptions {
  readonly config: Config;
  readonly catalog: Catalog;
  readonly log: Logger;
  readonly clock: Clock;
  readonly turns: LoopTurns;
  readonly collectors: Collectors;
  /** As in `AppOptions`, like the next two. */
  readonly onProgress?: (line: string) => void;
  readonly engine?: Engine;
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
  const { config, catalog, log, clock, turns, collectors, tracer } = options;
  const openShared = await sharedCache(config, log);
  const opened =
    options.engine ??
    (await (
      await configuredEngine(config)
    ).open({
      catalog,
      limits: limitsOf(config),
      now: clock.now,
      events: logEvents({ log, onProgress: options.onProgress, imported: collectors.imports.record }),
      turns,
    }));
  const engine = config.metrics ? collectors.engine.measure(opened) : opened;
  const onCost: OnCost = (endpoint, cost, trace) => {
    collectors.engine.addCost(endpoint, cost);
    log.info({ endpoint, ...cost, ...(trace && idsOf(trace)) }, 'query ran');
  };
  const { engineConcurrency, engineTimeoutMs } = config;
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
    memoryBytes: config.cacheMemoryBytes,
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

/** The Redis client is imported only if it is used: it would slow down every start. */
async function sharedCache(
  { cacheUrl: url, cacheSecret: secret }: Config,
  log: Logger,
): Promise<OpenSharedCache | undefined> {
  if (url === undefined) return undefined;
  const { openRedisCache } = await import('../results/redis/redis-shared-cache.ts');
  for (const warning of describeExposure({ url, secret })) log.warn(warning);
  return (onConnected) => openRedisCache({ url, secret, log, onConnected, hotKeyLimit });
}
