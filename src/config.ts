import { join } from 'node:path';
import { z } from 'zod';
import { parseAddressList } from './config/address-list.ts';
import { duckdbDefaults, storeFileOf } from './config/duckdb-defaults.ts';
import { jwtConfig, jwtProblems, jwtSettings } from './config/jwt-settings.ts';
import { isLoopback } from './config/loopback.ts';
import { StartError } from './errors.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const onOff = ['on', 'off'] as const;

const wholeNumber = (low: number, high: number) =>
  z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= low && Number(text) <= high, {
      error: ({ input }) => `got ${JSON.stringify(input)}; must be a whole number from ${low} to ${high}`,
    })
    .transform(Number);

/** A token of RFC 9110. */
const headerName = /^[!#$%&'*+.^_`|~\w-]{1,64}$/;

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, {
    error: ({ input }) => `got ${JSON.stringify(input)}; must be one of ${values.join(', ')}`,
  });

const matching = (pattern: RegExp, right: string) =>
  z.string().regex(pattern, { error: ({ input }) => `got ${JSON.stringify(input)}; must be ${right}` });

/**
 * Every setting, by its environment variable. All defaults are here, or in `toConfig` if they depend on other
 * settings.
 */
const settings = z.object({
  PORT: wholeNumber(0, 65535).default(4000),
  HOST: z.string().default('127.0.0.1'),
  SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 600).optional(),
  QUERIES_DIR: z.string().default('queries'),
  RELOAD: oneOf(onOff).default('on'),
  DATA_DIR: z.string().optional(),
  STORE_FILE: z.string().optional(),
  DATA_REFRESH_SECONDS: wholeNumber(1, 86_400).default(duckdbDefaults.refreshSeconds),
  DATA_RETENTION_DAYS: wholeNumber(1, 36_500).optional(),
  // The characters that an HTTP header can carry.
  API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{1,256}$/, 'must be up to 256 printable ASCII characters without spaces')
    .optional(),
  API_KEYS_FILE: z.string().optional(),
  KEYS_DEFAULT_EXPIRY: matching(/^[1-9]\d{0,5}[mhd]$/, 'a duration, as in 90d or 12h').optional(),
  HIDE_ENDPOINTS: oneOf(['tenants', 'all', 'off']).default('tenants'),
  ...jwtSettings,
  TRUST_PROXY: z
    .string()
    .refine((text) => parseAddressList(listOf(text)) !== undefined, {
      error: ({ input }) =>
        `got ${JSON.stringify(input)}; must be addresses or ranges joined by commas, as in 10.0.0.0/8, or loopback, or private`,
    })
    .optional(),
  CORS_ORIGINS: z
    .string()
    .refine((text) => text === '*' || text.split(',').every((origin) => parseOrigin(origin) !== undefined), {
      error: ({ input }) =>
        `got ${JSON.stringify(input)}; must be * or origins joined by commas, as in https://dash.example.com`,
    })
    .optional(),
  CORS_HEADERS: z
    .string()
    .refine((text) => text.split(',').every((name) => headerName.test(name.trim())), {
      error: ({ input }) =>
        `got ${JSON.stringify(input)}; must be names of headers joined by commas, as in x-team, x-page`,
    })
    .optional(),
  COMPAT: oneOf(['logflare']).optional(),
  GRAPHIQL: oneOf(onOff).optional(),
  PAGES: oneOf(onOff).optional(),
  GRAPHQL_INTROSPECTION: oneOf(onOff).optional(),
  TRUSTED_DOCUMENTS: z.string().optional(),
  ENGINE: matching(
    /^(?:duckdb|bigquery)$|[./\\]/,
    'duckdb, bigquery, or the module of another engine, as in ./engine.js or @example/engine',
  ).default('duckdb'),
  ENGINE_TIMEOUT_MS: wholeNumber(1, 3_600_000).default(30_000),
  ENGINE_CONCURRENCY: wholeNumber(1, 64).default(4),
  ENGINE_QUEUE_LENGTH: wholeNumber(0, 100_000).default(100),
  DUCKDB_MEMORY_LIMIT: matching(
    /^[1-9]\d{0,8}\s?(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/i,
    'a size, as in 512MB',
  ).default(duckdbDefaults.memoryLimit),
  DUCKDB_THREADS: wholeNumber(1, 1024).default(duckdbDefaults.threads),
  BIGQUERY_PROJECT: matching(
    /^([a-z0-9.-]+:)?[a-z][a-z0-9-]{1,61}[a-z0-9]$/,
    'the id of a Google Cloud project',
  ).optional(),
  BIGQUERY_DATASET: matching(/^\w{1,1024}$/, 'the name of a dataset, without its project').optional(),
  BIGQUERY_LOCATION: matching(/^[a-zA-Z0-9-]+$/, 'a location, as in EU or us-east1').optional(),
  BIGQUERY_API_ENDPOINT: z
    .string()
    .regex(/^https?:\/\/[^\s/]+$/, {
      // What is before an @ may be a password.
      error: ({ input }) =>
        `${String(input).includes('@') ? '' : `got ${JSON.stringify(input)}; `}must be the URL of an emulator, as in http://127.0.0.1:9050`,
    })
    .optional(),
  BIGQUERY_MAXIMUM_BYTES_BILLED: matching(/^[1-9]\d{0,14}$/, 'a whole number of bytes')
    .transform(Number)
    .optional(),
  BIGQUERY_START_CHECK: oneOf(['report', 'stop', 'off']).default('report'),
  // It may contain a password, so the message does not show it.
  CACHE_URL: z
    .string()
    .refine((text) => /^rediss?:$/.test(URL.parse(text)?.protocol ?? ''), {
      error: 'must be the URL of a Redis, as in redis://127.0.0.1:6379 or rediss://user:password@host:6380/1',
    })
    .optional(),
  CACHE_SECRET: z
    .string()
    .regex(/^[\x21-\x7e]{32,256}$/, 'must be 32 to 256 printable ASCII characters without spaces')
    .optional(),
  CACHE_MEMORY_LIMIT: matching(/^[1-9]\d{0,5}\s?(KB|MB|GB)$/i, 'a size, as in 64MB')
    .default('64MB')
    .transform(parseBytes),
  METRICS: oneOf(onOff).default('on'),
  METRICS_PORT: wholeNumber(0, 65535).optional(),
  LOG_LEVEL: oneOf(logLevels).default('info'),
  NODE_ENV: z.string().optional(),
});

type Settings = z.output<typeof settings>;

export type SettingName = keyof Settings;

/** Settings in the form of environment variables. */
export type SettingValues = Readonly<Partial<Record<SettingName, string>>>;

/** The names of all variables, in the order of the README's table. */
export const settingNames = Object.keys(settings.shape) as readonly SettingName[];

/** The default as it could be set; undefined without one, or if it depends on other settings. */
export function settingDefault(name: SettingName): string | undefined {
  const schema: z.core.$ZodType = settings.shape[name];
  const input = schema instanceof z.ZodPipe ? schema.in : schema;
  return input instanceof z.ZodDefault ? String(input.def.defaultValue) : undefined;
}

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
  const missing = (values.ENGINE === 'bigquery' ? bigqueryNeeds : []).filter((name) => !(name in values));
  const combined = [...jwtProblems(values, label), ...weakKey(values, label)];
  if (!parsed.success || missing.length > 0 || combined.length > 0) {
    throw new StartError('The configuration has problems', [
      ...(parsed.error?.issues ?? []).map((issue) => ({
        message: `${label(issue.path.join('.'))}: ${issue.message}`,
      })),
      ...combined,
      ...missing.map((name) => ({ message: `${name}: is missing; ENGINE=bigquery needs it` })),
    ]);
  }
  return toConfig(parsed.data);
}

/** The settings of the commands that change keys. Other invalid settings must not keep a key from being revoked. */
export function readKeySettings(
  env: Environment,
): Pick<Config, 'apiKeysFile' | 'queriesDir'> & { readonly defaultExpiry: string | undefined } {
  const values = variablesOf(env);
  const read = settings.pick({ API_KEYS_FILE: true, QUERIES_DIR: true }).parse(values);
  return {
    apiKeysFile: read.API_KEYS_FILE,
    queriesDir: read.QUERIES_DIR,
    /** As it is set: only the command that uses it checks it. */
    defaultExpiry: values.KEYS_DEFAULT_EXPIRY,
  };
}

function toConfig(read: Settings) {
  const production = read.NODE_ENV?.toLowerCase() === 'production';
  const exploring = production ? 'off' : 'on';
  return Object.freeze({
    port: read.PORT,
    host: read.HOST,
    /** How long requests are still served after `/readyz` has ceased to be ready: until balancers have noticed. */
    shutdownDelaySeconds: read.SHUTDOWN_DELAY_SECONDS ?? (production ? 5 : 0),
    queriesDir: read.QUERIES_DIR,
    /** Whether changed saved queries and tables are served without a restart. */
    reload: read.RELOAD === 'on',
    /** The unrestricted key. If this and `apiKeysFile` are undefined, a random one is made at start. */
    apiKey: read.API_KEY,
    /** The file of restricted keys. */
    apiKeysFile: read.API_KEYS_FILE,
    /** Whether a start accepts a key file that may have been cut, because only this machine can reach the gateway. */
    acceptsCutKeyFile: isLoopback(read.HOST) && !production,
    /** For which keys endpoints that they may not query do not seem to exist. */
    hideEndpoints: read.HIDE_ENDPOINTS,
    /** How JSON Web Tokens are verified; undefined: they are not accepted. */
    jwt: jwtConfig(read),
    /** Proxies whose X-Forwarded-For is believed; undefined: none. */
    trustedProxies: read.TRUST_PROXY === undefined ? undefined : listOf(read.TRUST_PROXY),
    /** Web origins that may read responses; `*` means any. */
    corsOrigins: parseOrigins(read.CORS_ORIGINS),
    /** Request headers that they may send, besides the usual ones. */
    corsHeaders: (read.CORS_HEADERS ?? '').split(',').flatMap((name) => name.trim() || []),
    /** The service whose clients REST accepts as they are; undefined: none. */
    compat: read.COMPAT,
    /** Whether GraphiQL is served to browsers. */
    graphiql: (read.GRAPHIQL ?? exploring) === 'on',
    /** Whether browsers get the pages of the saved queries, and the page of the OpenAPI document. */
    pages: (read.PAGES ?? exploring) === 'on',
    /** Whether GraphQL introspection is allowed. */
    introspection: (read.GRAPHQL_INTROSPECTION ?? exploring) === 'on',
    /** The file of the only GraphQL documents that are answered; undefined for any. */
    trustedDocumentsFile: read.TRUSTED_DOCUMENTS,
    /** The name of an engine, or a module that exports one. */
    engine: read.ENGINE,
    engineTimeoutMs: read.ENGINE_TIMEOUT_MS,
    /** How many queries run at the same time. */
    engineConcurrency: read.ENGINE_CONCURRENCY,
    /** How many more queries may wait in the queue. */
    engineQueueLength: read.ENGINE_QUEUE_LENGTH,
    /** The options of the engine `duckdb`. */
    duckdb: Object.freeze({
      dataDir: read.DATA_DIR,
      storeFile: read.STORE_FILE ?? storeFileOf(read.DATA_DIR),
      demoDir: join(read.QUERIES_DIR, 'demo'),
      refreshSeconds: read.DATA_REFRESH_SECONDS,
      retentionDays: read.DATA_RETENTION_DAYS,
      memoryLimit: read.DUCKDB_MEMORY_LIMIT,
      threads: read.DUCKDB_THREADS,
    }),
    /** The options of the engine `bigquery`; the first two are '' for other engines. */
    bigquery: Object.freeze({
      projectId: read.BIGQUERY_PROJECT ?? '',
      dataset: read.BIGQUERY_DATASET ?? '',
      location: read.BIGQUERY_LOCATION,
      apiEndpoint: read.BIGQUERY_API_ENDPOINT,
      maximumBytesBilled: read.BIGQUERY_MAXIMUM_BYTES_BILLED,
      startCheck: read.BIGQUERY_START_CHECK,
    }),
    /** The Redis that gateways share; undefined means that each has its own memory only. */
    cacheUrl: read.CACHE_URL,
    /** Proves to gateways that what they read from it was written by one of them. */
    cacheSecret: read.CACHE_SECRET,
    cacheMemoryBytes: read.CACHE_MEMORY_LIMIT,
    /** Whether requests, results and runs are counted. */
    metrics: read.METRICS === 'on',
    /** A port for metrics alone, without a key; undefined: only /metrics beside the API, for keys with the permission. */
    metricsPort: read.METRICS_PORT,
    logLevel: read.LOG_LEVEL,
    production,
  });
}

function variablesOf(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(settingNames.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** A key that can be guessed may be used only where no other machine can reach the gateway. */
function weakKey(
  { API_KEY: key, HOST: host = '127.0.0.1', NODE_ENV: mode }: Readonly<Record<string, string>>,
  label: (name: string) => string,
) {
  const isDevelopment = isLoopback(host) && mode?.toLowerCase() !== 'production';
  if (key === undefined || key.length >= minKeyLength || isDevelopment) return [];
  const message = `${label('API_KEY')}: must have at least ${minKeyLength} characters; shorter ones are for development: HOST is this machine's loopback, and NODE_ENV is not production`;
  return [{ message }];
}

const minKeyLength = 20;

const listOf = (text: string): readonly string[] => text.split(',').map((one) => one.trim());

const bigqueryNeeds = ['BIGQUERY_PROJECT', 'BIGQUERY_DATASET'] as const satisfies (keyof Settings)[];

/** Powers of 1000, as DuckDB reads the same units. */
function parseBytes(size: string): number {
  const power = ['KB', 'MB', 'GB'].indexOf(size.slice(-2).toUpperCase()) + 1;
  return Number.parseInt(size, 10) * 1000 ** power;
}

function parseOrigins(text = ''): readonly string[] | '*' {
  if (text === '*') return '*';
  return text.split(',').flatMap((origin) => parseOrigin(origin) ?? []);
}

/**
 * An origin as browsers send it, in lowercase and without its default port; undefined if the text is not an origin.
 */
function parseOrigin(text: string): string | undefined {
  const url = URL.parse(text.trim());
  const isOrigin = url !== null && /^https?:\/\/[^\s/?#@\\]+$/i.test(text.trim());
  return isOrigin && url.origin !== 'null' ? url.origin : undefined;
}
