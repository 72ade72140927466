import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { openHistory } from './catalog/folder/catalog-history.ts';
import { readFolder } from './catalog/folder/read-folder.ts';
import type { Catalog } from './catalog/saved-query.ts';
import { type Clock, systemClock } from './concurrency/clock.ts';
import { LoopTurns } from './concurrency/loop-turns.ts';
import { VersionedRef } from './concurrency/versioned-ref.ts';
import { isLoopback } from './config/loopback.ts';
import type { Config } from './config.ts';
import type { Engine, ImportReport } from './engine/engine.ts';
import { engines } from './engine/engines.ts';
import { problemWithoutValues } from './engine/without-values.ts';
import { describeProblem } from './errors.ts';
import { buildAdmit } from './http/access/admission.ts';
import { buildAudit } from './http/access/audit.ts';
import { buildCors } from './http/access/cors.ts';
import { isFromLoopback } from './http/access/loopback.ts';
import { buildRecognizeKeys } from './http/access/recognize-keys.ts';
import { buildRejectKeys, buildRejectKeysInUrls } from './http/access/reject-keys-in-urls.ts';
import { buildRejectWrongKey } from './http/access/wrong-keys.ts';
import { buildAccessLog } from './http/access-log.ts';
import { ByteBudget } from './http/byte-budget.ts';
import { acceptLogflareRequests, buildLogflareCompat } from './http/compat/logflare.ts';
import { buildFinish } from './http/finish.ts';
import { buildDerivedCache } from './http/graphql/compiled/derived-cache.ts';
import { buildGraphiqlPages } from './http/graphql/graphiql.ts';
import { buildGraphql } from './http/graphql/graphql.ts';
import { loadTrustedDocuments, type TrustedDocuments } from './http/graphql/persisted/trusted.ts';
import { buildHandler, type CatalogVersion, type Handler } from './http/handle.ts';
import { buildMetricsRoute } from './http/observe/metrics-route.ts';
import { buildReadiness, type Readiness } from './http/observe/readiness.ts';
import { buildRequestMetrics, type RequestMetrics } from './http/observe/request-metrics.ts';
import { buildOpenTrace, idsOf } from './http/observe/request-trace.ts';
import { buildOpenapi } from './http/openapi/openapi.ts';
import { buildReader } from './http/openapi/reader/reader.ts';
import { pathsToLog } from './http/paths.ts';
import { buildPrepareRequest } from './http/prepare-request.ts';
import { buildRest } from './http/rest/rest.ts';
import { buildRoutes, type RouteOptions } from './http/routes.ts';
import { buildFetch } from './http/server/fetch-adapter.ts';
import { buildNodeListener } from './http/server/node-listener.ts';
import type { Tokens, TokensOptions } from './keys/jwt/tokens.ts';
import type { Keyring } from './keys/keyring.ts';
import { openKeys } from './keys/open-keys.ts';
import type { SharedRates } from './keys/rates/open-shared-rates.ts';
import { newLocalRateLimit } from './keys/rates/rate-limiter.ts';
import { buildInfo } from './metrics/build-info.ts';
import { buildCatalogMetrics } from './metrics/catalog-metrics.ts';
import { buildEngineMetrics, type EngineMetrics } from './metrics/engine-metrics.ts';
import { buildImportMetrics } from './metrics/import-metrics.ts';
import { openKeptEndpoints } from './metrics/kept-endpoints.ts';
import { type Metrics, openRegistry } from './metrics/open-registry.ts';
import { buildResultMetrics } from './metrics/result-metrics.ts';
import { type FilesReport, openReload } from './reload/open-reload.ts';
import type { Counters } from './results/counters.ts';
import type { GetResult } from './results/get-result.ts';
import { hotKeyLimit } from './results/hot-keys.ts';
import type { DerivedStore } from './results/memory-store.ts';
import { openResults } from './results/open-results.ts';
import { describeExposure } from './results/redis/exposure.ts';
import type { OpenSharedCache } from './results/shared/shared-cache.ts';
import { traceResults } from './results/trace-results.ts';
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
  const history = openHistory(config.queriesDir, files, now);
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
  const openEngine = () => configuredEngine(options, catalog, turns, now, importMetrics.record);
  const engine = measured(config, engineMetrics, options.engine ?? (await openEngine()));

  const results = openResults({
    catalog,
    engine,
    engineConcurrency: config.engineConcurrency,
    engineTimeoutMs: config.engineTimeoutMs,
    memoryBytes: config.cacheMemoryBytes,
    openShared,
    clock: { now, after },
    turns,
    log,
    onCost(endpoint, cost, trace) {
      engineMetrics.addCost(endpoint, cost);
      log.info({ endpoint, ...cost, ...(trace && idsOf(trace)) }, 'query ran');
    },
  });
  await results.ready;
  await rates?.ready;
  keys.watch();
  let ready = true;
  const getResult = options.tracer === undefined ? results.get : traceResults(results.get);
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
        return versions.replace(version);
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
      await results.close();
      await engine.close();
      await reloading;
      await options.tracer?.close();
    },
  };
}

interface HttpOptions extends Pick<AppOptions, 'config' | 'apiKey' | 'log' | 'writeLine' | 'tracer'> {
  readonly catalog: Catalog;
  readonly keyring: Keyring;
  readonly tokens: Tokens | undefined;
  readonly trusted: TrustedDocuments | undefined;
  readonly getResult: GetResult;
  readonly derived: DerivedStore;
  readonly metrics: Metrics | undefined;
  readonly requestMetrics: RequestMetrics | undefined;
  readonly readiness: Readiness;
  readonly budget: ByteBudget;
  readonly turns: LoopTurns;
  readonly now: () => Date;
}

interface HttpHandler {
  readonly handle: Handler;
  /** The current version is that of the catalog. */
  readonly versions: VersionedRef<CatalogVersion>;
  readonly buildVersion: (catalog: Catalog) => CatalogVersion;
}

function buildHttpHandler({
  config,
  apiKey,
  log,
  writeLine,
  tracer,
  catalog,
  keyring,
  tokens,
  trusted,
  getResult,
  derived,
  metrics,
  requestMetrics,
  readiness,
  budget,
  turns,
  now,
}: HttpOptions): HttpHandler {
  // A configured key is the operator's secret; one that was generated at start is also printed in the start banner.
  const showsKey = config.apiKey === undefined && !config.production && isLoopback(config.host);
  const pages = buildGraphiqlPages(showsKey ? apiKey : undefined);
  const isKeyText = buildRecognizeKeys(apiKey, tokens !== undefined);
  const audit = buildAudit(log, isKeyText);
  const cors = buildCors(config.corsOrigins, config.corsHeaders);
  const buildGraphqlOf = buildGraphql({
    getResult,
    introspection: config.introspection,
    trusted,
    derived: buildDerivedCache(derived),
    budget,
    turns,
    audit,
    log,
    now,
  });
  const rejectKeys = buildRejectKeys(isKeyText);
  const reader = buildReader();
  const buildVersion = (version: Catalog): CatalogVersion => {
    const rest = buildRest({ catalog: version, getResult, turns, now, derived, budget });
    const page: RouteOptions['page'] = (head, { url }) =>
      isFromLoopback(url, head) ? pages.local(version) : pages.remote(head);
    return {
      prepareRequest: buildPrepareRequest(pathsToLog(version)),
      routeOf: buildRoutes({
        rest,
        compat:
          config.compat === undefined
            ? undefined
            : buildLogflareCompat({ catalog: version, rest, rejectKeys }),
        graphql: buildGraphqlOf(version),
        openapi: buildOpenapi(version, turns),
        reader: config.graphiql ? reader : undefined,
        page: config.graphiql ? page : undefined,
        metrics: metrics === undefined ? undefined : buildMetricsRoute(metrics),
        readiness,
        cors,
        log,
      }),
    };
  };
  const versions = new VersionedRef(buildVersion(catalog));
  const handle = buildHandler({
    versions,
    admit: buildAdmit({
      keyring,
      tokens,
      rejectKeysInUrls: buildRejectKeysInUrls(isKeyText),
      rejectWrongKey: buildRejectWrongKey(now),
      now,
    }),
    audit,
    finish: buildFinish(cors, buildAccessLog(log, writeLine), requestMetrics),
    openTrace: buildOpenTrace(tracer, isKeyText),
    budget,
    log,
  });
  return {
    handle: config.compat === undefined ? handle : acceptLogflareRequests(handle),
    versions,
    buildVersion,
  };
}

const measured = ({ metrics }: Config, { measure }: EngineMetrics, engine: Engine) =>
  metrics ? measure(engine) : engine;

function configuredEngine(
  { config, log, onProgress }: AppOptions,
  catalog: Catalog,
  turns: LoopTurns,
  now: () => Date,
  imported: (report: ImportReport) => void,
): Promise<Engine> {
  return engines[config.engine].open({
    catalog,
    config,
    turns,
    now,
    listener: {
      problem: (message) => log.warn(log.isLevelEnabled('debug') ? message : problemWithoutValues(message)),
      // An uncaught error ends the process in order, so that its supervisor starts it again.
      unusable: (error) =>
        setImmediate(() => {
          throw error;
        }),
      news: (message) => log.info(message),
      imported,
      ...(onProgress && { progress: onProgress }),
      queryChecked: ({ query: { name: endpoint }, bytesProcessed, problems }) => {
        log.info({ endpoint, bytesProcessed }, 'query checked');
        for (const problem of problems) log.warn({ endpoint }, describeProblem(problem));
      },
    },
  });
}

/** What verifies tokens is imported only if tokens are accepted. */
async function acceptedTokens(
  { jwt, hideEndpoints }: Config,
  options: Omit<TokensOptions, 'jwt' | 'hideEndpoints'>,
): Promise<Tokens | undefined> {
  if (jwt === undefined) return undefined;
  const { openTokens } = await import('./keys/jwt/tokens.ts');
  return openTokens({ jwt, hideEndpoints, ...options });
}

/** Of the keys that can have rates; as with the cache, the Redis client is imported only if it is used. */
async function sharedRates(
  { cacheUrl: url, cacheSecret: secret, apiKeysFile, jwt }: Config,
  log: Logger,
  now: () => Date,
): Promise<SharedRates | undefined> {
  if (url === undefined || (apiKeysFile === undefined && jwt === undefined)) return undefined;
  const { openSharedRates } = await import('./keys/rates/open-shared-rates.ts');
  return openSharedRates({ url, secret, log, now });
}

/** The Redis client is imported only if it is used: it would slow down every start. */
async function sharedCache(
  { cacheUrl: url, cacheSecret: secret }: Config,
  log: Logger,
): Promise<OpenSharedCache | undefined> {
  if (url === undefined) return undefined;
  const { openRedisCache } = await import('./results/redis/redis-shared-cache.ts');
  for (const warning of describeExposure({ url, secret })) log.warn(warning);
  return (onConnected) => openRedisCache({ url, secret, log, onConnected, hotKeyLimit });
}
