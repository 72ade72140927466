import { isIP } from 'node:net';
import { didYouMean } from '@querygate/text';
import { z } from 'zod';
import { parseAddressList } from './address-list.ts';
import { budgetLineProblem, parseBudget } from './budget.ts';
import { reservationName, reservationRule } from './reservation.ts';
import { basePathRule } from './base-path.ts';
import { duckdbDefaults } from './duckdb-defaults.ts';
import { emulatorUrl } from './option-rules.ts';
import { cacheMemory, engineLimits, type NumberRule, numberText } from './engine-limits.ts';
import { jwtSettings } from './jwt-settings.ts';
import { type SecretRule, secretRules } from './secret-rules.ts';
import { isTimeZone } from './time-zone.ts';
import { originsProblem } from './web-origins.ts';

/** The value of DATA_DIR for rows of the demo in place of a folder. */
export const demoData = ':demo:';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const onOff = ['on', 'off'] as const;

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: ({ input }) => {
        const isUnit = /^[\d.]+\s?[a-z%]+$/i.test(String(input));
        return `got ${JSON.stringify(input)}; must be ${numberText({ min, max })}${isUnit ? ', without a unit' : ''}`;
      },
    })
    .transform(Number);

const withDefault = ({ min, max, byDefault }: NumberRule) => wholeNumber(min, max).default(byDefault);

const secret = ({ is, must }: SecretRule) => z.string().refine(is, must);

/** Words of other programs for the values of a switch. */
const switchWords = [
  ['on', /^(?:on|yes|y|true|1|enabled?)$/i],
  ['off', /^(?:off|no|n|false|0|disabled?|none)$/i],
] as const;

/** Words of other programs for the levels of a log. */
const levelWords = [
  ['warn', /^warnings?$/i],
  ['error', /^err$/i],
  ['fatal', /^(?:crit(?:ical)?|emerg(?:ency)?|alert|panic)$/i],
  ['info', /^(?:information(?:al)?|notice|default|normal)$/i],
  ['debug', /^verbose$/i],
  ['trace', /^(?:all|silly|finest)$/i],
] as const;

function meantValue(text: string, values: readonly string[]): string {
  const meant = [...switchWords, ...levelWords].find(
    ([value, words]) => values.includes(value) && words.test(text),
  )?.[0];
  return meant === undefined ? didYouMean(text, values) : `; did you mean ${meant}?`;
}

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, {
    error: ({ input }) => {
      const right =
        values.length === 1 ? values[0] : `one of ${values.join(', ')}${meantValue(String(input), values)}`;
      return `got ${JSON.stringify(input)}; must be ${right}`;
    },
  });

const matching = (pattern: RegExp, right: string, names: readonly string[] = []) =>
  z.string().regex(pattern, {
    error: ({ input }) => `got ${JSON.stringify(input)}; must be ${right}${didYouMean(String(input), names)}`,
  });

/** A path, or a word between colons, of which there is one. */
const pathOr = (word: string, right: string) =>
  matching(new RegExp(`^(?:${word}$|[^:])`), `${right}, or ${word}`, [word]);

const origins = (isAny: (text: string) => boolean, right: string) => {
  const problemOf = (text: string) => originsProblem(text, text.split(','), right);
  return z
    .string()
    .refine((text) => isAny(text) || problemOf(text) === undefined, {
      error: ({ input }) => problemOf(String(input)),
    })
    .optional();
};

const size = (example: string) =>
  matching(
    /^[1-9]\d{0,5}\s?(KB|MB|GB)$/i,
    `a size, as in ${example}: a whole number of up to 6 digits with KB, MB or GB`,
  );

const isHost = (text: string) => isIP(withoutBrackets(text)) > 0 || /^(?![\d.]+$)[\w.-]+$/.test(text);

/** In a URL an address of IPv6 has brackets, with which no socket takes it. */
const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

/**
 * Every setting, by its environment variable. All defaults are here, or in `toConfig` if they depend on other
 * settings.
 */
export const settings = z.object({
  PORT: wholeNumber(0, 65535).default(4000),
  HOST: z
    .string()
    .refine(isHost, {
      error: ({ input }) =>
        `got ${JSON.stringify(input)}; must be an address or a name of this machine, without a scheme and a port, as in 0.0.0.0`,
    })
    .transform(withoutBrackets)
    .default('127.0.0.1'),
  SHUTDOWN_DELAY_SECONDS: wholeNumber(0, 600).optional(),
  QUERIES_DIR: z.string().default('queries'),
  DATA_DIR: pathOr(demoData, 'a folder')
    .refine((text) => !/^ducklake:.*password\s*=|:\/\/[^/]*:[^/]*@/is.test(text), {
      error:
        'must not have a password, which logs would show: PGPASSWORD, or ~/.pgpass, has that of Postgres, and AWS_SECRET_ACCESS_KEY that of a bucket',
    })
    .optional(),
  STORE_FILE: pathOr(':memory:', 'a file').optional(),
  DATA_RETENTION_DAYS: wholeNumber(1, 36_500).optional(),
  API_KEY: secret(secretRules.apiKey).optional(),
  API_KEYS_FILE: z.string().optional(),
  ...jwtSettings,
  TRUST_PROXY: z
    .string()
    .refine((text) => parseAddressList(listOf(text)) !== undefined, {
      error: ({ input }) =>
        `got ${JSON.stringify(input)}; must be addresses or ranges joined by commas, as in 10.0.0.0/8, or loopback, or private`,
    })
    .optional(),
  CORS_ORIGINS: origins(
    (text) => text === '*',
    '* or origins joined by commas, as in https://dash.example.com',
  ),
  BASE_PATH: z
    .string()
    .refine((text) => basePathRule(text) === undefined, {
      error: ({ input }) => `got ${JSON.stringify(input)}; must be ${basePathRule(String(input))}`,
    })
    .optional(),
  COMPAT: oneOf(['logflare']).optional(),
  PAGES: oneOf(onOff).optional(),
  EMBED_ORIGINS: origins(() => false, 'origins joined by commas, as in https://wiki.example.com'),
  MCP: oneOf(onOff).default('off'),
  GRAPHQL_INTROSPECTION: oneOf(onOff).optional(),
  FEDERATION: oneOf(onOff).default('off'),
  TRUSTED_DOCUMENTS: z.string().optional(),
  ENGINE: matching(
    /^(?:duckdb|bigquery)$|^(?:quack|file):\/\/|^(?![A-Za-z][\w+.-]+:\/\/).*[./\\]/,
    'duckdb, bigquery, quack://host:port, or the module of another engine, as in ./engine.js or @example/engine',
    ['duckdb', 'bigquery'],
  ).default('duckdb'),
  ENGINE_TIMEOUT_MS: withDefault(engineLimits.engineTimeoutMs),
  ENGINE_CONCURRENCY: withDefault(engineLimits.engineConcurrency),
  DUCKDB_MEMORY_LIMIT: matching(
    /^[1-9]\d{0,8}\s?(KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/i,
    'a size, as in 512MB: a whole number with KB, MB, GB, TB, KiB, MiB, GiB or TiB',
  ).default(duckdbDefaults.memoryLimit),
  DUCKDB_EXTENSIONS: z.string().optional(),
  QUACK_TOKEN: secret(secretRules.quackToken).optional(),
  SANDBOX_MEMORY_LIMIT: size('256MB')
    .default(`${duckdbDefaults.sandbox.memoryBytes / 1e6}MB`)
    .transform(parseBytes),
  BIGQUERY_PROJECT: matching(
    /^([a-z0-9.-]+:)?[a-z][a-z0-9-]{1,61}[a-z0-9]$/,
    'the id of a Google Cloud project, as in my-project-123: lowercase letters, digits and hyphens',
  ).optional(),
  BIGQUERY_DATASET: matching(/^\w{1,1024}$/, 'the name of a dataset, without its project').optional(),
  BIGQUERY_LOCATION: matching(/^[a-zA-Z0-9-]+$/, 'a location, as in EU or us-east1').optional(),
  BIGQUERY_API_ENDPOINT: z
    .string()
    .regex(emulatorUrl, {
      // The text before an @ may be a password.
      error: ({ input }) =>
        `${String(input).includes('@') ? '' : `got ${JSON.stringify(input)}; `}must be the URL of an emulator without a path, as in http://127.0.0.1:9050`,
    })
    .optional(),
  BIGQUERY_MAXIMUM_BYTES_BILLED: matching(/^[1-9]\d{0,14}$/, 'a whole number of bytes, as in 1000000000')
    .transform(Number)
    .optional(),
  BIGQUERY_START_CHECK: oneOf(['report', 'stop', 'off']).default('report'),
  BIGQUERY_DEFINITIONS: oneOf(['sent', 'stored']).default('sent'),
  BIGQUERY_RESERVATION: z
    .string()
    .regex(reservationName, { error: ({ input }) => `got ${JSON.stringify(input)}; ${reservationRule}` })
    .optional(),
  CACHE_URL: secret(secretRules.redisUrl).optional(),
  CACHE_SECRET: secret(secretRules.redisSecret).optional(),
  CACHE_MEMORY_LIMIT: size('64MB')
    .default(`${cacheMemory.byDefault / 1e6}MB`)
    .transform(parseBytes),
  ACCOUNTS_FILE: z.string().optional(),
  BUDGET: z
    .string()
    .refine((text) => parseBudget(text) !== undefined, {
      error: ({ input }) => `got ${JSON.stringify(input)}; ${budgetLineProblem(String(input))}`,
    })
    .transform(parseBudget)
    .optional(),
  BUDGET_TIME_ZONE: z
    .string()
    .refine(isTimeZone, {
      error: ({ input }) => `got ${JSON.stringify(input)}; must be a time zone, as in Europe/Zurich`,
    })
    .default('UTC'),
  METRICS_PORT: wholeNumber(0, 65535).optional(),
  LOG_LEVEL: oneOf(logLevels).default('info'),
  LOG_FORMAT: oneOf(['json', 'gcp', 'pretty']).optional(),
  NODE_ENV: z.string().optional(),
});

export type Settings = z.output<typeof settings>;

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

/** A value that lists several, joined by commas. */
export const listOf = (text: string): readonly string[] => text.split(',').map((one) => one.trim());

/** Powers of 1000, as DuckDB reads the same units. */
function parseBytes(size: string): number {
  const power = ['KB', 'MB', 'GB'].indexOf(size.slice(-2).toUpperCase()) + 1;
  return Number.parseInt(size, 10) * 1000 ** power;
}
