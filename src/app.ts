import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { openConfiguredEngine } from './app/configured-engine.ts';
import { buildHttpHandler } from './app/http-handler.ts';
import { acceptedTokens, sharedCache, sharedRates } from './app/optional-parts.ts';
import { openHistory } from './catalog/folder/catalog-history.ts';
import { readFolder } from './catalog/folder/read-folder.ts';
import type { Catalog } from './catalog/saved-query.ts';
import { type Clock, systemClock } from './concurrency/clock.ts';
import { LoopTurns } from './concurrency/loop-turns.ts';
import type { Config } from './config.ts';
import type { Engine } from './engine/engine.ts';
import { completeRecords } from './engine/records/complete-records.ts';
import { ByteBudget } from './http/byte-budget.ts';
import { loadTrustedDocuments } from './http/graphql/persisted/trusted.ts';
import { buildReadiness } from './http/observe/readiness.ts';
import { buildRequestMetrics } from './http/observe/request-metrics.ts';
import { idsOf } from './http/observe/request-trace.ts';
import { buildFetch } from './http/server/fetch-adapter.ts';
import { buildNodeListener } from './http/server/node-listener.ts';
import { openKeys } from './keys/open-keys.ts';
import { newLocalRateLimit } from './keys/rates/rate-limiter.ts';
import { buildInfo } from './metrics/build-info.ts';
import { buildCatalogMetrics } from './metrics/catalog-metrics.ts';
import { buildDeprecatedMetrics } from './metrics/deprecated-metrics.ts';
import { buildEngineMetrics, type EngineMetrics } from './metrics/engine-metrics.ts';
import { buildImportMetrics } from './metrics/import-metrics.ts';
import { openKeptEndpoints } from './metrics/kept-endpoints.ts';
import { type Metrics, openRegistry } from './metrics/open-registry.ts';
import { buildResultMetrics } from './metrics/result-metrics.ts';
import { buildShadowMetrics } from './metrics/shadow-metrics.ts';
import { type FilesReport, openReload } from './reload/open-reload.ts';
import type { OnCost } from './results/compute.ts';
import type { Counters } from './results/counters.ts';
import { openResults } from './results/open-results.ts';
import { traceResults } from './results/trace-results.ts';
import { openShadows } from './shadow/open-shadows.ts';
import type { Tracer } from './trace/span.ts';

export interface AppOptions {
  readonly config: Config;
  /** A key without restrictions, configured or generated at start; undefined if all keys are in the key file. */
  readonly apiKey: string | undefined;
  readonly log: Logger;
  /** Writes a line of JSON to the log as it is; undefined if only `log` may write. */
  readonly writeLine?: ((line: string) => void) | undefined;
  /** The time, for the SQL's CURRENT_TIMESTAMP() and for answers. */
  readonly now?: () => Date;
  /** Runs delayed work, as `Clock.after` does. */
  readonly after?: Clock['after'];
  /** Receives the progress of opening the engine, as one short line. */
  readonly onProgress?: (line: string) => void;
  /** Replaces the configured engine. */
  readonly engine?: Engine;
  /** Exports traces; undefined for none. The app closes it. */
  readonly tracer?: Tracer | undefined;
  /** Receives files of the catalog that begin or cease to be broken. */
  readonly onFiles?: ((report: FilesReport) => void) | undefined;
}

export interface App {
  /** The version that is served. */
  readonly catalog: Catalog;
  /** Looks for changed saved queries now; nothing if RELOAD is off. */
  reload(): void;
  /** Counts of what the cache has done since the start. */
  readonly counters: Readonly<Counters>;
  /** Handles one request. It never rejects. */
  fetch(request: Request): Promise<Response>;
  /** The same for Node's HTTP server. */
  readonly listener: RequestListener;
  /** undefined if METRICS is off. */
  readonly metrics: Metrics | undefined;
  /** Makes `/readyz` report that no new requests should be sent. */
  drain(): void;
  close(): Promise<void>;
}

/**
 * The whole service without a socket.
 *
 * @throws StartError with every problem of the saved queries, or of the key file
 */
export async function openApp(options: AppOptions): Promise<App> {
  const { config, apiKey, log, now = systemClock.now, after = systemClock.after } = options;
  const files = readFolder(config.queriesDir);
  const history = openHistory(config.queriesDir, files, now, completeRecords);
  const { catalog } = history;
  const { trustedDocumentsFile } = config;
  const trusted = trustedDocumentsFile === undefined ? undefined : loadTrustedDocuments(trustedDocumentsFile);
  const rates = await sharedRates(config, log, now);
  const newRateLimit = rates?.newRateLimit ?? newLocalRateLimit;
  const keys = openKeys({
    file: config.apiKeysFile,
    apiKey,
    catalog,
    hideEndpoints: config.hideEndpoints,
    acceptsCutFile: config.acceptsCutKeyFile,
    newRateLimit,
    log,
    now,
  });
  const tokens = await acceptedTokens(config, { catalog, newRateLimit, log, now });
  const openShared = await sharedCache(config, log);
  const turns = new LoopTurns();
  const engineMetrics = buildEngineMetrics();
  const importMetrics = buildImportMetrics(now);
  const openEngine = () =>
    openConfiguredEngine({ ...options, catalog, turns, now, imported: importMetrics.record });
  const engine = measured(config, engineMetrics, options.engine ?? (await openEngine()));

  const shadowMetrics = buildShadowMetrics();
  const onCost: OnCost = (endpoint, cost, trace) => {
    engineMetrics.addCost(endpoint, cost);
    log.info({ endpoint, ...cost, ...(trace && idsOf(trace)) }, 'query ran');
  };
  const shadows = openShadows({
    catalog,
    engine,
    engineConcurrency: config.engineConcurrency,
    engineTimeoutMs: config.engineTimeoutMs,
    clock: { now, after },
    turns,
    log,
    onCost: (endpoint, cost) => onCost(endpoint, cost, undefined),
    onOutcome: shadowMetrics.record,
  });
  const results = openResults({
    catalog,
    engine: shadows.engine,
    engineConcurrency: config.engineConcurrency,
    engineTimeoutMs: config.engineTimeoutMs,
    memoryBytes: config.cacheMemoryBytes,
    openShared,
    clock: { now, after },
    turns,
    log,
    onCost,
  });
  await results.ready;
  await rates?.ready;
  keys.watch();
  let ready = true;
  const deprecatedMetrics = buildDeprecatedMetrics(log, now);
  const watched = deprecatedMetrics.count(shadows.watch(results.get));
  const getResult = options.tracer === undefined ? watched : traceResults(watched);
  const requestMetrics = buildRequestMetrics(catalog);
  const resultMetrics = buildResultMetrics(results);
  const namesOf = ({ queries }: Catalog) => queries.map(({ name }) => name);
  const keptEndpoints = openKeptEndpoints(namesOf(catalog));
  const catalogMetrics = buildCatalogMetrics(() => {
    const { queries, broken, problem, loadedAt } = reload.state;
    return { queries, problems: broken.length + Number(problem !== undefined), loadedAt };
  });
  const metrics = config.metrics
    ? await openRegistry(
        [
          requestMetrics,
          resultMetrics,
          engineMetrics,
          importMetrics,
          catalogMetrics,
          shadowMetrics,
          deprecatedMetrics,
          buildInfo(config),
        ].flatMap(({ families }) => families),
      )
    : undefined;
  const budget = new ByteBudget();
  const { handle, versions, buildVersion } = buildHttpHandler({
    ...options,
    catalog,
    keyring: keys.keyring,
    tokens,
    trusted,
    getResult: metrics === undefined ? getResult : resultMetrics.count(getResult),
    metrics,
    requestMetrics: metrics === undefined ? undefined : requestMetrics,
    derived: results.derived,
    readiness: buildReadiness(
      () => ready,
      () => reload.state,
    ),
    budget,
    turns,
    now,
  });
  const reload = openReload({
    folder: config.queriesDir,
    files,
    history,
    updates: engine.updates,
    isOn: config.reload,
    prepare(next) {
      const version = buildVersion(next);
      return () => {
        keys.replaceQueries(next.queries);
        tokens?.replaceQueries(next.queries);
        results.replaceCatalog(next);
        const kept = keptEndpoints(namesOf(next));
        requestMetrics.replaceCatalog(next, kept);
        resultMetrics.keepEndpoints(kept);
        engineMetrics.keepEndpoints(kept);
        shadowMetrics.keepEndpoints(kept);
        deprecatedMetrics.keepEndpoints(kept);
        return Promise.all([versions.replace(version), shadows.replaceCatalog(next)]);
      };
    },
    onOutcome: catalogMetrics.recordReload,
    onFiles: options.onFiles,
    log,
    now,
  });
  return {
    get catalog() {
      return history.catalog;
    },
    reload: reload.look,
    counters: results.counters,
    metrics,
    fetch: buildFetch(handle),
    listener: buildNodeListener({ handle, budget, turns, log, trustedProxies: config.trustedProxies }),
    drain: () => {
      ready = false;
    },
    async close() {
      metrics?.close();
      // It may wait for an import, which closing the engine ends.
      const reloading = reload.close();
      await keys.close();
      await tokens?.close();
      await rates?.close();
      await shadows.close();
      await results.close();
      await engine.close();
      await reloading;
      await options.tracer?.close();
    },
  };
}

const measured = ({ metrics }: Config, { measure }: EngineMetrics, engine: Engine) =>
  metrics ? measure(engine) : engine;
