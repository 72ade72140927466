import { duckdbDefaults } from './duckdb-defaults.ts';
import { agentLimits, waitingForEach } from './engine-limits.ts';
import { clockSkewSeconds } from './jwt-settings.ts';

interface FormerSetting {
  /** Says what replaces it. */
  now(value: string): string;
  /** Callers would have other rights if it were not read. */
  readonly isOfRights?: true;
}

const formerClaim = (claim: string): FormerSetting => ({
  now: (value) => `write JWT_CLAIMS=${claim}=${value}`,
  isOfRights: true,
});

const always = (now: string): FormerSetting => ({ now: () => now });

/** Settings of former versions, by their environment variables. */
const formerSettings: ReadonlyMap<string, FormerSetting> = new Map(
  Object.entries({
    RELOAD: always('changed saved queries are always served without a restart'),
    DEMO: always('DATA_DIR=:demo: makes the rows of the demo'),
    DATA_REFRESH_SECONDS: always(`DATA_DIR is scanned every ${duckdbDefaults.refreshSeconds} seconds`),
    KEYS_DEFAULT_EXPIRY: always('give --expires to querygate keys create'),
    HIDE_ENDPOINTS: {
      now: () => 'endpoints that a key may not query are hidden from keys that are bound to tenants',
      isOfRights: true,
    },
    JWT_CLOCK_SKEW_SECONDS: always(`clocks may always differ by ${clockSkewSeconds} seconds`),
    JWT_TENANTS_CLAIM: formerClaim('tenants'),
    JWT_ENDPOINTS_CLAIM: formerClaim('endpoints'),
    JWT_RATE_CLAIM: formerClaim('rate'),
    JWT_PERMISSIONS_CLAIM: formerClaim('permissions'),
    JWT_WITHOUT_TENANTS: {
      now: () => 'JWT_CLAIMS=tenants? lets tokens without tenants read all',
      isOfRights: true,
    },
    CORS_HEADERS: always('pages of CORS_ORIGINS may send any header'),
    GRAPHIQL: always('PAGES turns GraphiQL on and off too'),
    MCP_MAX_ROWS: always(`an answer to an agent has at most ${agentLimits.maxRows.byDefault} rows`),
    MCP_MAX_BYTES: always(
      `an answer to an agent has at most ${agentLimits.maxBytes.byDefault} bytes of rows`,
    ),
    ENGINE_QUEUE_LENGTH: always(`${waitingForEach} queries may wait for each of ENGINE_CONCURRENCY`),
    DUCKDB_THREADS: always('DuckDB uses all cores that the process may use'),
    SANDBOX_DISK_LIMIT: always('SANDBOX_MEMORY_LIMIT is the limit of both'),
    SANDBOX_PROCESSOR_MS: always(
      `SQL of a caller may use ${duckdbDefaults.sandbox.processorMs / 1000} seconds of processor time`,
    ),
    METRICS: always('requests, results and runs are always counted'),
  }),
);

/** The names of former settings. */
export const formerNames: readonly string[] = [...formerSettings.keys()];

/** Those by which callers had rights: a start that cannot read them is refused. */
export const formerRights = formerNames.filter((name) => formerSettings.get(name)?.isOfRights);

/** The message about a former setting that is set; undefined if it never was one. */
export function formerSetting(name: string, value: string): string | undefined {
  const former = formerSettings.get(name);
  return former && `is no longer a setting: ${former.now(value)}`;
}
