import type { Config } from '../../config.ts';
import { loadEngine } from '../../author/configured-engine.ts';
import { jwt, keyFile, apiKey as keyOf } from '../../exports/keys.ts';
import {
  costs,
  deprecation,
  federation,
  type GatewayPlugin,
  graphiql,
  increments,
  live,
  logflare,
  mcp,
  type MetricsPlugin,
  metrics,
  openapi,
  pages,
  shadow,
  sharedRuns,
} from '../../exports/plugins.ts';
import type { GatewayOptions, SharedStore } from '../../index.ts';
import { redis } from '../../exports/redis.ts';
import { nameSettings } from '../settings/name-settings.ts';
import { featuresOff } from './features-off.ts';

interface StartFacts {
  /** Warnings about variables that are not read. */
  readonly misspelt?: readonly string[];
  /** One of the plug-ins. */
  readonly metricsPlugin?: MetricsPlugin;
}

/**
 * The options of the gateway that the settings describe.
 *
 * @param apiKey configured, or generated at start
 */
export async function gatewayOptions(
  config: Config,
  apiKey: string | undefined,
  { misspelt = [], metricsPlugin: ofMetrics = metrics() }: StartFacts = {},
): Promise<GatewayOptions> {
  return {
    plugins: [...pluginsOf(config, apiKey, ofMetrics), ofMetrics, ofSettings(misspelt), featuresOff(config)],
    queries: config.queriesDir,
    engine: await loadEngine(config),
    keys: [
      ...(config.apiKeysFile === undefined
        ? []
        : [keyFile(config.apiKeysFile, { acceptsCutFile: config.isDevelopment })]),
      ...(config.jwt === undefined ? [] : [jwt(config.jwt)]),
      ...(apiKey === undefined ? [] : [keyOf(apiKey)]),
    ],
    cache: {
      memoryBytes: config.cacheMemoryBytes,
      shared:
        config.cacheUrl === undefined ? undefined : configuredRedis(config.cacheUrl, config.cacheSecret),
    },
    introspection: config.introspection,
    trustedDocuments: config.trustedDocumentsFile,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    basePath: config.basePath,
    engineConcurrency: config.engineConcurrency,
    engineQueueLength: config.engineQueueLength,
    engineTimeoutMs: config.engineTimeoutMs,
  };
}

function configuredRedis(url: string, secret: string | undefined): SharedStore {
  const store = redis({ url, secret });
  return { ...store, warnings: store.warnings.map(nameSettings) };
}

/** For the metrics: a log is read when something is known to be wrong. */
const ofSettings = (misspelt: readonly string[]): GatewayPlugin => ({
  name: 'settings',
  metrics: [
    {
      name: 'querygate_misspelt_settings',
      help: 'Variables of the environment that are nearly a setting, and not read.',
      type: 'gauge',
      samples: () => [{ labels: {}, value: misspelt.length }],
    },
  ],
});

/** The plug-ins that the settings turn on besides REST and GraphQL. */
function pluginsOf(
  config: Config,
  apiKey: string | undefined,
  ofMetrics: MetricsPlugin,
): readonly GatewayPlugin[] {
  const { embedOrigins } = config;
  // A configured key is the operator's secret; one that was generated at start is also printed in the start banner.
  const showsKey = config.apiKey === undefined && config.isDevelopment;
  const shownKey = showsKey ? apiKey : undefined;
  return [
    ...(config.compat === 'logflare' ? [logflare()] : []),
    increments(),
    sharedRuns(),
    costs({ budget: config.budget, file: config.accountsFile, timeZone: config.budgetTimeZone }),
    shadow(),
    deprecation(),
    live(),
    openapi(),
    ...(config.federation ? [federation()] : []),
    ...(config.pages
      ? [
          pages({
            apiKey: shownKey,
            graphiql: true,
            agents: config.mcp !== undefined,
            metrics: ofMetrics,
            embedOrigins,
          }),
        ]
      : []),
    ...(config.mcp ? [mcp({ ...config.mcp, origins: config.corsOrigins, prompts: config.promptsDir })] : []),
    ...(config.pages ? [graphiql({ apiKey: shownKey, pages: true, agents: config.mcp !== undefined })] : []),
  ];
}
