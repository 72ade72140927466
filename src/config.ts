import { cpus } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { StartError } from './errors.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const onOff = ['on', 'off'] as const;

const whole = (low: number, high: number) =>
  z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= low && Number(text) <= high, {
      error: ({ input }) => `got ${JSON.stringify(input)}; must be a whole number from ${low} to ${high}`,
    })
    .transform(Number);

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, {
    error: ({ input }) => `got ${JSON.stringify(input)}; must be one of ${values.join(', ')}`,
  });

const matching = (pattern: RegExp, right: string) =>
  z.string().regex(pattern, { error: ({ input }) => `got ${JSON.stringify(input)}; must be ${right}` });

/** Every setting, by the environment variable it is read from. All defaults live here; README says what each is for. */
const settings = z.object({
  PORT: whole(0, 65535).default(4000),
  HOST: z.string().default('127.0.0.1'),
  QUERIES_DIR: z.string().default('queries'),
  DATA_DIR: z.string().optional(),
  STORE_FILE: z.string().optional(),
  DATA_REFRESH_SECONDS: whole(1, 86_400).default(5),
  DATA_RETENTION_DAYS: whole(1, 36_500).optional(),
  // The pattern is what an HTTP header may carry.
  API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{1,256}$/, 'must be up to 256 printable ASCII characters without spaces')
    .optional(),
  API_KEYS_FILE: z.string().optional(),
  CORS_ORIGINS: z
    .string()
    .refine((text) => text === '*' || text.split(',').every((one) => originOf(one) !== undefined), {
      error: ({ input }) =>
        `got ${JSON.stringify(input)}; must be * or origins joined by commas, as in https://dash.example.com`,
    })
    .optional(),
  GRAPHIQL: oneOf(onOff).optional(),
  GRAPHQL_INTROSPECTION: oneOf(onOff).optional(),
  ENGINE: oneOf(['duckdb', 'bigquery']).default('duckdb'),
  ENGINE_TIMEOUT_MS: whole(1, 3_600_000).default(30_000),
  ENGINE_CONCURRENCY: whole(1, 64).default(4),
  ENGINE_QUEUE_LENGTH: whole(0, 100_000).default(100),
  DUCKDB_MEMORY_LIMIT: matching(
    /^[1-9]\d{0,8}\s?(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/i,
    'a size, as in 512MB',
  ).default('1GB'),
  DUCKDB_THREADS: whole(1, 1024).default(cpus().length),
  BIGQUERY_PROJECT: matching(
    /^([a-z0-9.-]+:)?[a-z][a-z0-9-]{1,61}[a-z0-9]$/,
    'the id of a Google Cloud project',
  ).optional(),
  BIGQUERY_DATASET: matching(/^\w{1,1024}$/, 'the name of a dataset, without its project').optional(),
  BIGQUERY_LOCATION: matching(/^[a-zA-Z0-9-]+$/, 'a location, as in EU or us-east1').optional(),
  BIGQUERY_API_ENDPOINT: matching(
    /^https?:\/\/[^\s/]+$/,
    'where an emulator answers, as in http://127.0.0.1:9050',
  ).optional(),
  BIGQUERY_MAXIMUM_BYTES_BILLED: matching(/^[1-9]\d{0,14}$/, 'a whole number of bytes')
    .transform(Number)
    .optional(),
  BIGQUERY_START_CHECK: oneOf(['report', 'stop', 'off']).default('report'),
  // It may hold a password: a bad one is never shown.
  CACHE_URL: z
    .string()
    .refine((text) => /^rediss?:$/.test(URL.parse(text)?.protocol ?? ''), {
      error: 'must be the URL of a Redis, as in redis://127.0.0.1:6379 or rediss://user:password@host:6380/1',
    })
    .optional(),
  CACHE_MEMORY_LIMIT: matching(/^[1-9]\d{0,5}\s?(KB|MB|GB)$/i, 'a size, as in 64MB')
    .default('64MB')
    .transform(bytes),
  LOG_LEVEL: oneOf(logLevels).default('info'),
  NODE_ENV: z.string().optional(),
});

/** In the data folder; what is hidden there is not taken for data. */
const storeBeside = ['.querygate', 'store.duckdb'];

export type Settings = z.output<typeof settings>;
export type SettingName = keyof Settings;

/** The names of all variables that are read, in the order of the README's table. */
export const settingNames = Object.keys(settings.shape) as readonly SettingName[];

/** What only the engine `bigquery` reads; `project` and `dataset` are '' where another engine runs. */
export interface BigqueryConfig {
  readonly project: string;
  /** Where plain table names are looked up. */
  readonly dataset: string;
  readonly location: string | undefined;
  /** An emulator's address, as in `http://127.0.0.1:9050`; undefined means Google's. */
  readonly apiEndpoint: string | undefined;
  readonly maximumBytesBilled: number | undefined;
  /** Whether a dry run of all queries at start is reported, must pass, or is left out. */
  readonly startCheck: Settings['BIGQUERY_START_CHECK'];
}

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly queriesDir: string;
  /** Where local log files stand; undefined means the demo. */
  readonly dataDir: string | undefined;
  /** Where imported rows are kept: a file, or `:memory:`. */
  readonly storeFile: string;
  /** How often the data folder is looked at. */
  readonly dataRefreshSeconds: number;
  /** Rows older than this are dropped; undefined keeps all. */
  readonly dataRetentionDays: number | undefined;
  /** Where this and `apiKeysFile` are undefined, a random one is made at start. */
  readonly apiKey: string | undefined;
  /** The file of keys with bounds. */
  readonly apiKeysFile: string | undefined;
  /** Web origins that may read answers; `*` is any. */
  readonly corsOrigins: readonly string[] | '*';
  /** Whether a browser is given the page that explores. */
  readonly graphiql: boolean;
  /** Whether the GraphQL schema may be asked for. */
  readonly introspection: boolean;
  readonly engine: Settings['ENGINE'];
  readonly engineTimeoutMs: number;
  /** How many queries run at the same moment. */
  readonly engineConcurrency: number;
  /** How many more may wait for their turn. */
  readonly engineQueueLength: number;
  readonly duckdbMemoryLimit: string;
  readonly duckdbThreads: number;
  readonly bigquery: BigqueryConfig;
  /** The Redis that gateways share; undefined means that each has its memory only. */
  readonly cacheUrl: string | undefined;
  readonly cacheMemoryBytes: number;
  readonly logLevel: Settings['LOG_LEVEL'];
  readonly production: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The configuration that an environment describes. A variable set to nothing counts as not set.
 *
 * @throws StartError with every bad value; a bad API_KEY is never shown
 */
export function readConfig(env: Environment): Config {
  const given = givenIn(env);
  const parsed = settings.safeParse(given);
  const missing = (given.ENGINE === 'bigquery' ? bigqueryNeeds : []).filter((name) => !(name in given));
  if (!parsed.success || missing.length > 0) {
    throw new StartError('The configuration has problems', [
      ...(parsed.error?.issues ?? []).map((issue) => ({
        message: `${issue.path.join('.')}: ${issue.message}`,
      })),
      ...missing.map((name) => ({ message: `${name}: is missing; ENGINE=bigquery needs it` })),
    ]);
  }
  const read = parsed.data;
  const production = read.NODE_ENV?.toLowerCase() === 'production';
  const exploring = production ? 'off' : 'on';
  return Object.freeze({
    port: read.PORT,
    host: read.HOST,
    queriesDir: read.QUERIES_DIR,
    dataDir: read.DATA_DIR,
    storeFile:
      read.STORE_FILE ?? (read.DATA_DIR === undefined ? ':memory:' : join(read.DATA_DIR, ...storeBeside)),
    dataRefreshSeconds: read.DATA_REFRESH_SECONDS,
    dataRetentionDays: read.DATA_RETENTION_DAYS,
    apiKey: read.API_KEY,
    apiKeysFile: read.API_KEYS_FILE,
    corsOrigins: origins(read.CORS_ORIGINS),
    graphiql: (read.GRAPHIQL ?? exploring) === 'on',
    introspection: (read.GRAPHQL_INTROSPECTION ?? exploring) === 'on',
    engine: read.ENGINE,
    engineTimeoutMs: read.ENGINE_TIMEOUT_MS,
    engineConcurrency: read.ENGINE_CONCURRENCY,
    engineQueueLength: read.ENGINE_QUEUE_LENGTH,
    duckdbMemoryLimit: read.DUCKDB_MEMORY_LIMIT,
    duckdbThreads: read.DUCKDB_THREADS,
    bigquery: Object.freeze({
      project: read.BIGQUERY_PROJECT ?? '',
      dataset: read.BIGQUERY_DATASET ?? '',
      location: read.BIGQUERY_LOCATION,
      apiEndpoint: read.BIGQUERY_API_ENDPOINT,
      maximumBytesBilled: read.BIGQUERY_MAXIMUM_BYTES_BILLED,
      startCheck: read.BIGQUERY_START_CHECK,
    }),
    cacheUrl: read.CACHE_URL,
    cacheMemoryBytes: read.CACHE_MEMORY_LIMIT,
    logLevel: read.LOG_LEVEL,
    production,
  });
}

/** What the commands that change keys need: nothing else that is wrong keeps a key from being revoked. */
export function readKeySettings(env: Environment): Pick<Config, 'apiKeysFile' | 'queriesDir'> {
  const read = settings.pick({ API_KEYS_FILE: true, QUERIES_DIR: true }).parse(givenIn(env));
  return { apiKeysFile: read.API_KEYS_FILE, queriesDir: read.QUERIES_DIR };
}

function givenIn(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(settingNames.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

const bigqueryNeeds = ['BIGQUERY_PROJECT', 'BIGQUERY_DATASET'] as const satisfies readonly SettingName[];

/** Powers of 1000, as DuckDB reads the same words. */
function bytes(size: string): number {
  const power = ['KB', 'MB', 'GB'].indexOf(size.slice(-2).toUpperCase()) + 1;
  return Number.parseInt(size, 10) * 1000 ** power;
}

function origins(text = ''): Config['corsOrigins'] {
  if (text === '*') return '*';
  return text.split(',').flatMap((one) => originOf(one) ?? []);
}

/** An origin as browsers send it, in lower case and without its default port; undefined for what is none. */
function originOf(text: string): string | undefined {
  const url = URL.parse(text.trim());
  const isOrigin = url !== null && /^https?:\/\/[^\s/?#@\\]+$/i.test(text.trim());
  return isOrigin && url.origin !== 'null' ? url.origin : undefined;
}
