import { join } from 'node:path';
import { parseBasePath } from './config/base-path.ts';
import { storeFileOf } from '@querygate/duckdb-import/store-file';
import { waitingForEach } from './config/engine-limits.ts';
import { formerRights, formerSetting } from './config/former-settings.ts';
import { jwtConfig, jwtProblems } from './config/jwt-settings.ts';
import { isLoopback } from './config/loopback.ts';
import { demoData, listOf, type Settings, settingNames, settings } from './config/settings.ts';
import { parseOrigin } from './config/web-origins.ts';
import { StartError } from './errors.ts';

export type Config = ReturnType<typeof toConfig>;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The configuration that an environment describes. An empty variable counts as not set.
 *
 * @param label how messages name a setting that did not come from the environment
 * @throws StartError with every invalid value; an invalid API_KEY, CACHE_URL or CACHE_SECRET is never shown
 */
export function readConfig(env: Environment, label: (name: string) => string = (name) => name): Config {
  const values = variablesOf(env);
  const parsed = settings.safeParse(values);
  const { ENGINE: engine = '' } = values;
  const missing = needsOf(engine).filter((name) => !(name in values));
  const combined = [
    ...unreadRights(env),
    ...jwtProblems(values, label),
    ...weakKey(values, label),
    ...samePorts(values, label),
  ];
  if (!parsed.success || missing.length > 0 || combined.length > 0) {
    throw new StartError('The configuration has problems', [
      ...(parsed.error?.issues ?? []).map((issue) => ({
        message: `${label(issue.path.join('.'))}: ${issue.message}`,
      })),
      ...combined,
      ...missing.map((name) => ({
        message: `${name}: is missing; ENGINE=${isQuack(engine) ? 'quack://…' : engine} needs it`,
      })),
    ]);
  }
  return toConfig(parsed.data);
}

/** The settings of the commands that change keys. Other invalid settings must not keep a key from being revoked. */
export function readKeySettings(env: Environment): Pick<Config, 'apiKeysFile' | 'queriesDir'> {
  const read = settings.pick({ API_KEYS_FILE: true, QUERIES_DIR: true }).parse(variablesOf(env));
  return { apiKeysFile: read.API_KEYS_FILE, queriesDir: read.QUERIES_DIR };
}

function toConfig(read: Settings) {
  const production = isProduction(read.NODE_ENV);
  const exploring = production ? 'off' : 'on';
  return Object.freeze({
    port: read.PORT,
    host: read.HOST,
    /** How long requests are still served after `/readyz` has ceased to be ready: until balancers have noticed. */
    shutdownDelaySeconds: read.SHUTDOWN_DELAY_SECONDS ?? (production ? 5 : 0),
    queriesDir: read.QUERIES_DIR,
    /** The unrestricted key. If there are no other keys, a random one is made at start in development. */
    apiKey: read.API_KEY,
    /** The file of restricted keys. */
    apiKeysFile: read.API_KEYS_FILE,
    /** True if only this machine can reach the gateway, and it is not said to be in production. */
    isDevelopment: isDevelopment(read.HOST, read.NODE_ENV),
    /** How JSON Web Tokens are verified; undefined: they are not accepted. */
    jwt: jwtConfig(read),
    /** Proxies whose X-Forwarded-For is believed; undefined: none. */
    trustedProxies: read.TRUST_PROXY === undefined ? undefined : listOf(read.TRUST_PROXY),
    /** Web origins that may read responses; `*` means any. */
    corsOrigins: parseOrigins(read.CORS_ORIGINS),
    /** The path below which callers reach the gateway; empty for the root. */
    basePath: parseBasePath(read.BASE_PATH ?? '') ?? '',
    /** The service whose clients REST accepts as they are; undefined: none. */
    compat: read.COMPAT,
    /** True if browsers get the pages of the saved queries, that of the OpenAPI document, and GraphiQL. */
    pages: (read.PAGES ?? exploring) === 'on',
    /** Origins whose pages may show charts in frames. */
    embedOrigins: (read.EMBED_ORIGINS ?? '').split(',').flatMap((origin) => parseOrigin(origin) ?? []),
    /** The folder of prompts for agents, which need not exist. */
    promptsDir: join(read.QUERIES_DIR, 'prompts'),
    /** The options of the Model Context Protocol, which agents use; undefined: it is off. */
    mcp: read.MCP === 'on' ? Object.freeze({ oauth: oauthOf(read) }) : undefined,
    /** True if GraphQL introspection is allowed. */
    introspection: (read.GRAPHQL_INTROSPECTION ?? exploring) === 'on',
    /** True if GraphQL is a subgraph of Federation 2. */
    federation: read.FEDERATION === 'on',
    /** The file of the only GraphQL documents that are answered; undefined for any. */
    trustedDocumentsFile: read.TRUSTED_DOCUMENTS,
    /** The name of an engine, or a module that exports one. */
    engine: read.ENGINE,
    engineTimeoutMs: read.ENGINE_TIMEOUT_MS,
    /** How many queries run at the same time. */
    engineConcurrency: read.ENGINE_CONCURRENCY,
    /** How many more queries may wait in the queue. */
    engineQueueLength: waitingForEach * read.ENGINE_CONCURRENCY,
    /** True if the engine `duckdb` makes rows of the demo when it has no folder of data. */
    demo: read.DATA_DIR === demoData || (read.DATA_DIR === undefined && !production),
    /** The options of the engine `duckdb`. */
    duckdb: duckdbConfig(read),
    /** The options of the engine `quack`; of other engines, `url` is their name. */
    quack: Object.freeze({
      url: read.ENGINE,
      token: read.QUACK_TOKEN ?? '',
      extensionsDir: read.DUCKDB_EXTENSIONS,
      memoryLimit: read.DUCKDB_MEMORY_LIMIT,
    }),
    /** The options of the engine `bigquery`; the first two are '' for other engines. */
    bigquery: bigqueryConfig(read),
    /** The Redis that gateways share; undefined means that each has its own memory only. */
    cacheUrl: read.CACHE_URL,
    /** Proves to gateways that what they read from it was written by one of them. */
    cacheSecret: read.CACHE_SECRET,
    cacheMemoryBytes: read.CACHE_MEMORY_LIMIT,
    /** The file of accounts, if there is no Redis; undefined: they end with the process. */
    accountsFile: read.ACCOUNTS_FILE,
    /** The most that all runs may cost; undefined: unlimited. */
    budget: read.BUDGET,
    budgetTimeZone: read.BUDGET_TIME_ZONE,
    /** A port for metrics alone, without a key; undefined: only /metrics beside the API, for keys with the permission. */
    metricsPort: read.METRICS_PORT,
    logLevel: read.LOG_LEVEL,
    logFormat: read.LOG_FORMAT,
    production,
  });
}

function duckdbConfig(read: Settings) {
  const dataDir = read.DATA_DIR === demoData ? undefined : read.DATA_DIR;
  const sandboxBytes = read.SANDBOX_MEMORY_LIMIT;
  return Object.freeze({
    dataDir,
    storeFile: read.STORE_FILE ?? storeFileOf(dataDir),
    demoDir: join(read.QUERIES_DIR, 'demo'),
    retentionDays: read.DATA_RETENTION_DAYS,
    memoryLimit: read.DUCKDB_MEMORY_LIMIT,
    extensionsDir: read.DUCKDB_EXTENSIONS,
    sandbox: Object.freeze({ memoryBytes: sandboxBytes, diskBytes: sandboxBytes }),
  });
}

const bigqueryConfig = (read: Settings) =>
  Object.freeze({
    projectId: read.BIGQUERY_PROJECT ?? '',
    dataset: read.BIGQUERY_DATASET ?? '',
    location: read.BIGQUERY_LOCATION,
    apiEndpoint: read.BIGQUERY_API_ENDPOINT,
    maximumBytesBilled: read.BIGQUERY_MAXIMUM_BYTES_BILLED,
    startCheck: read.BIGQUERY_START_CHECK,
    definitions: read.BIGQUERY_DEFINITIONS,
    reservation: read.BIGQUERY_RESERVATION,
  });

function variablesOf(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(settingNames.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** If they were ignored, callers would have other rights. */
const unreadRights = (env: Environment) =>
  formerRights.flatMap((name) => {
    const value = env[name];
    return value ? [{ message: `${name}: ${formerSetting(name, value)}` }] : [];
  });

/** A key that can be guessed may be used only where no other machine can reach the gateway. */
function weakKey(
  { API_KEY: key, HOST: host = '127.0.0.1', NODE_ENV: mode }: Readonly<Record<string, string>>,
  label: (name: string) => string,
) {
  if (key === undefined || key.length >= minKeyLength || isDevelopment(host, mode)) return [];
  const message = `${label('API_KEY')}: must have at least ${minKeyLength} characters; shorter ones are for development: HOST is this machine's loopback, and NODE_ENV is not production`;
  return [{ message }];
}

/** Otherwise the second is refused by the system, after the import. */
function samePorts(
  { PORT: port = '4000', METRICS_PORT: metricsPort }: Readonly<Record<string, string>>,
  label: (name: string) => string,
) {
  if (metricsPort === undefined || Number(metricsPort) === 0 || Number(metricsPort) !== Number(port))
    return [];
  return [
    { message: `${label('METRICS_PORT')}: got ${metricsPort}; PORT is the same, and must be another one` },
  ];
}

/** Agents get tokens by themselves if their audience is the URL of the endpoint, as RFC 8707 wants it. */
function oauthOf({ JWT_ISSUER: issuer, JWT_AUDIENCE: resource }: Settings) {
  const isUrl = /^https?:$/.test(URL.parse(resource ?? '')?.protocol ?? '');
  return issuer !== undefined && resource !== undefined && isUrl ? { resource, issuer } : undefined;
}

export const isProduction = (mode: string | undefined): boolean => mode?.toLowerCase() === 'production';

const isDevelopment = (host: string, mode: string | undefined): boolean =>
  isLoopback(host) && !isProduction(mode);

const minKeyLength = 20;

function needsOf(engine: string): readonly (keyof Settings)[] {
  if (isQuack(engine)) return ['QUACK_TOKEN'];
  return engine === 'bigquery' ? ['BIGQUERY_PROJECT', 'BIGQUERY_DATASET'] : [];
}

/** True if a setting `ENGINE` is the address of a server of DuckDB. */
export const isQuack = (engine: string): boolean => engine.startsWith('quack:');

function parseOrigins(text = ''): readonly string[] | '*' {
  if (text === '*') return '*';
  return text.split(',').flatMap((origin) => parseOrigin(origin) ?? []);
}
