import { isLoopback } from '../../config/loopback.ts';
import type { Config } from '../../config.ts';
import { engines } from '../../engines/engines.ts';
import type { Features, GatewayOptions } from '../../gateway/options.ts';
import { redis } from '../../gateway/redis.ts';
import { apiKey as keyOf } from '../../keys/sources/api-key.ts';
import { jwt } from '../../keys/sources/jwt.ts';
import { keyFile } from '../../keys/sources/key-file.ts';

/** The options of the gateway that the settings describe. @param apiKey configured, or generated at start */
export function gatewayOptions(config: Config, apiKey: string | undefined): GatewayOptions {
  return {
    queries: config.queriesDir,
    engine: { name: config.engine, open: (host) => engines[config.engine].open({ ...host, config }) },
    keys: [
      ...(config.apiKeysFile === undefined
        ? []
        : [keyFile(config.apiKeysFile, { acceptsCutFile: config.acceptsCutKeyFile })]),
      ...(config.jwt === undefined ? [] : [jwt(config.jwt)]),
      ...(apiKey === undefined ? [] : [keyOf(apiKey)]),
    ],
    cache: {
      memoryBytes: config.cacheMemoryBytes,
      shared:
        config.cacheUrl === undefined
          ? undefined
          : redis({ url: config.cacheUrl, secret: config.cacheSecret }),
    },
    reload: config.reload,
    hideEndpoints: config.hideEndpoints,
    introspection: config.introspection,
    trustedDocuments: config.trustedDocumentsFile,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    corsHeaders: config.corsHeaders,
    engineConcurrency: config.engineConcurrency,
    engineTimeoutMs: config.engineTimeoutMs,
  };
}

/** What is served besides REST and GraphQL. */
export function featuresOf(config: Config, apiKey: string | undefined): Features {
  // A configured key is the operator's secret; one that was generated at start is also printed in the start banner.
  const showsKey = config.apiKey === undefined && !config.production && isLoopback(config.host);
  return {
    metrics: config.metrics,
    pages: config.pages,
    graphiql: config.graphiql,
    compat: config.compat,
    shownKey: showsKey ? apiKey : undefined,
  };
}
