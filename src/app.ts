import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { loadCatalog } from './catalog/load-catalog.ts';
import type { Catalog } from './catalog/saved-query.ts';
import { type Clock, systemClock } from './concurrency/clock.ts';
import type { Config } from './config.ts';
import type { Engine } from './engine/engine.ts';
import { engines } from './engine/engines.ts';
import { describeProblem } from './errors.ts';
import { buildAuthenticate } from './http/access/authenticate.ts';
import { buildInFlightLimit } from './http/access/in-flight-limit.ts';
import { isFromHere, isLoopback } from './http/access/loopback.ts';
import { buildRefuseKeys } from './http/access/refuse-keys.ts';
import { buildGraphiqlPage } from './http/graphql/graphiql.ts';
import { buildGraphql } from './http/graphql/graphql.ts';
import { buildRouter } from './http/handle.ts';
import { buildKnownPaths } from './http/redact-path.ts';
import { buildRest } from './http/rest/rest.ts';
import { buildNodeFront } from './http/server/node-listener.ts';
import { openKeys } from './keys/open-keys.ts';
import type { Counters } from './results/counters.ts';
import { hotKeyLimit } from './results/hot-keys.ts';
import { openResults } from './results/open-results.ts';
import type { OpenSharedCache } from './results/shared-cache.ts';

export interface AppOptions {
  readonly config: Config;
  /** The key that may do everything, configured or made at start; undefined where the key file has all keys. */
  readonly apiKey: string | undefined;
  readonly log: Logger;
  /** The time, for the SQL's CURRENT_TIMESTAMP() and for answers. */
  readonly now?: () => Date;
  /** When what is to happen later happens. */
  readonly after?: Clock['after'];
  /** Receives how far opening the engine has come, as one short line. */
  readonly onProgress?: (line: string) => void;
  /** Stands in for the configured engine. */
  readonly engine?: Engine;
}

export interface App {
  readonly catalog: Catalog;
  /** What the cache has done since the start. */
  readonly counters: Readonly<Counters>;
  /** Answers one request. It never rejects. */
  fetch(request: Request): Promise<Response>;
  /** The same for a server of Node's. */
  readonly listener: RequestListener;
  /** Makes `/readyz` tell that no new request should come. */
  drain(): void;
  close(): Promise<void>;
}

/**
 * The whole service without its socket.
 *
 * @throws StartError with everything that is wrong with the saved queries, or with the key file
 */
export async function openApp(options: AppOptions): Promise<App> {
  const { config, apiKey, log, now = systemClock.now, after = systemClock.after } = options;
  const catalog = loadCatalog(config.queriesDir);
  const keys = openKeys({ file: config.apiKeysFile, apiKey, catalog, log, now });
  const openShared = await sharedCache(config, log);
  const engine = options.engine ?? (await configuredEngine(options, catalog, now));

  const results = openResults({
    catalog,
    engine,
    engineConcurrency: config.engineConcurrency,
    memoryBytes: config.cacheMemoryBytes,
    openShared,
    clock: { now, after },
    log,
    onCost: (endpoint, cost) => log.info({ endpoint, ...cost }, 'query ran'),
  });
  await results.ready;
  const { get: ask } = results;
  keys.watch();
  const authenticate = buildAuthenticate(keys.keyring);
  // A configured key is a secret of the operator's; one that was made at start stands in the welcome too.
  const showsKey = config.apiKey === undefined && !config.production && isLoopback(config.host);
  const page = buildGraphiqlPage(catalog);
  const crowd = buildInFlightLimit();
  let ready = true;
  const router = buildRouter(
    {
      rest: buildRest({ catalog, ask, authenticate, log, now }),
      graphql: buildGraphql({
        catalog,
        ask,
        authenticate,
        introspection: config.introspection,
        log,
        now,
      }),
      page: config.graphiql
        ? (incoming) => page(showsKey && isFromHere(incoming) ? apiKey : undefined)
        : undefined,
      refuseKeys: buildRefuseKeys(apiKey),
      isReady: () => ready,
      crowd,
      loggedPath: buildKnownPaths(catalog),
    },
    config,
    log,
  );
  return {
    catalog,
    counters: results.counters,
    fetch: router.fetch,
    listener: buildNodeFront(router, crowd),
    drain: () => {
      ready = false;
    },
    async close() {
      keys.close();
      await results.close();
      await engine.close();
    },
  };
}

function configuredEngine(
  { config, log, onProgress }: AppOptions,
  catalog: Catalog,
  now: () => Date,
): Promise<Engine> {
  return engines[config.engine].open({
    catalog,
    config,
    now,
    listener: {
      problem: (message) => log.warn(message),
      news: (message) => log.info(message),
      ...(onProgress && { progress: onProgress }),
      queryChecked: ({ query: { name: endpoint }, bytesProcessed, problems }) => {
        log.info({ endpoint, bytesProcessed }, 'query checked');
        for (const problem of problems) log.warn({ endpoint }, describeProblem(problem));
      },
    },
  });
}

/** Redis's client is read only where it is used: it would be a part of every start. */
async function sharedCache({ cacheUrl: url }: Config, log: Logger): Promise<OpenSharedCache | undefined> {
  if (url === undefined) return undefined;
  const { openRedisCache } = await import('./results/redis/redis-cache.ts');
  return (onUp) => openRedisCache({ url, log, onUp, hotKeyLimit });
}
