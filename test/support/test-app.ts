import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import { type Logger, pino } from 'pino';
import type { BoundValues } from '../../src/catalog/binding/bind.ts';
import { textsOf } from '../../src/catalog/binding/list-values.ts';
import { loadTables } from '../../src/catalog/folder/load-tables.ts';
import { gatewayOptions } from '../../src/cli/start/gateway-options.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { Engine } from '../../src/engine-contract/engine.ts';
import { duckdb } from '../../src/engines/duckdb/duckdb.ts';
import type { DuckdbOptions } from '../../src/engines/duckdb/duckdb-options.ts';
import { createGateway, type Gateway } from '../../src/gateway/create-gateway.ts';
import type { GatewayOptions } from '../../src/gateway/options.ts';

export const apiKey = 'a-key-for-tests-only';

/** The time in every test app: in the middle of a second, a minute, an hour and a day. */
export const now = new Date('2026-03-10T12:34:56.789Z');

/** A moment before `now`, as NDJSON files have it. */
export function ago({ days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 } = {}): string {
  const back = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms;
  return new Date(now.getTime() - back).toISOString();
}

export interface TestApp extends Pick<Gateway, 'counters' | 'listener'> {
  /** The folder of its local files. */
  readonly dataDir: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The rows of a REST call that succeeds. */
  rows(name: string, parameters?: BoundValues): Promise<Record<string, unknown>[]>;
  /** The `data` of a GraphQL request that succeeds. */
  data(query: string, variables?: Record<string, unknown>): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export type Rows = Readonly<Record<string, readonly object[]>>;

/** `general`: every table gets a row whose records have two elements each, so that all are stored as lists. */
export const forms = { general: false };

export interface TestAppOptions {
  /** Other files of the data folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Replaces the configured engine. */
  readonly engine?: Engine;
  /** Of DuckDB, besides those that are settings. */
  readonly duckdb?: DuckdbOptions;
  /** Of the gateway, besides those that are settings. */
  readonly options?: Partial<GatewayOptions>;
  readonly clock?: () => Date;
  /** Receives the log, which is discarded otherwise. */
  readonly log?: Logger;
}

/** The whole service over the given rows of each table, or over an engine of the test, without a socket. */
export async function openTestApp(
  tables: Rows,
  env: Record<string, string> = {},
  {
    files = {},
    engine,
    duckdb: ofDuckdb = {},
    options: given = {},
    clock = () => now,
    log = pino({ level: 'silent' }),
  }: TestAppOptions = {},
): Promise<TestApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  for (const [table, rows] of Object.entries(tables)) {
    writeFileSync(join(dataDir, `${table}.ndjson`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  if (forms.general) writePlural(dataDir);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(dataDir, name), content);
  const config = readConfig({
    DATA_DIR: dataDir,
    STORE_FILE: ':memory:',
    ENGINE_CONCURRENCY: '2',
    ...env,
  });
  const options = await gatewayOptions(config, apiKey);
  const app = await createGateway({
    ...options,
    log,
    now: clock,
    engine: engine === undefined ? inThisProcess(config, options, ofDuckdb) : openedEngine(engine),
    ...given,
  });

  const fetch = (path: string, init: RequestInit = {}) =>
    app.fetch(new Request(`http://gateway.test${path}`, { headers: { 'x-api-key': apiKey }, ...init }));
  return {
    counters: app.counters,
    listener: app.listener,
    dataDir,
    fetch,
    async rows(name, parameters = {}) {
      const response = await fetch(`/api/endpoints/query/${name}?${queryString(parameters)}`);
      const body = (await response.json()) as { result: Record<string, unknown>[] };
      if (response.status !== 200) throw new Error(JSON.stringify(body));
      return body.result;
    },
    async data(query, variables = {}) {
      const response = await fetch('/graphql', {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      const body = (await response.json()) as { data: Record<string, unknown>; errors?: unknown };
      if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors));
      return body.data;
    },
    async close() {
      await app.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** The configured engine, without a process of its own: tests open many. */
export const inThisProcess = (
  config: Config,
  { engine }: Pick<GatewayOptions, 'engine'>,
  options: DuckdbOptions = {},
): GatewayOptions['engine'] =>
  config.engine === 'duckdb' ? duckdb({ ...config.duckdb, isolate: false, ...options }) : engine;

/** An engine of a test in place of one that is opened. */
export const openedEngine = (engine: Engine): GatewayOptions['engine'] => ({
  name: 'test',
  sql: 'bigquery',
  flags: { enforcesTenants: true },
  open: async () => engine,
});

/** Every value of a list is a parameter of its own. */
export function queryString(parameters: BoundValues): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    textsOf(value).map((text): [string, string] => [name, text]),
  );
  return String(new URLSearchParams(pairs));
}

/** Old rows, outside of every time window. */
function writePlural(dataDir: string): void {
  for (const { name, fields } of loadTables('queries/tables').tables) {
    mkdirSync(join(dataDir, name));
    const row = { ...pluralRecord(fields), timestamp: '2001-01-01T00:00:00Z' };
    writeFileSync(join(dataDir, name, 'plural.ndjson'), `${JSON.stringify(row)}\n`);
  }
}

function pluralRecord(fields: readonly Field[]): object {
  const records = fields.filter((field) => field.fields !== undefined);
  return Object.fromEntries(
    records.map(({ name, fields: inner = [] }) => [name, [pluralRecord(inner), pluralRecord(inner)]]),
  );
}
