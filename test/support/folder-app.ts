import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { gatewayOptions } from '../../src/cli/start/gateway-options.ts';
import { readConfig } from '../../src/config.ts';
import type { Engine } from '../../src/engine-contract/engine.ts';
import { createGateway, type Gateway } from '../../src/gateway/create-gateway.ts';
import type { GatewayOptions } from '../../src/gateway/options.ts';
import { makeQueryFolder, type QueryFolder } from './query-folder.ts';
import { apiKey, inThisProcess, openedEngine } from './test-app.ts';

interface LogLine extends Readonly<Record<string, unknown>> {
  readonly msg: string;
}

export interface FolderApp {
  readonly app: Gateway;
  readonly queries: QueryFolder;
  /** Lines of the log, without those of requests. */
  readonly logged: readonly LogLine[];
  get(address: string, options?: GetOptions): Promise<Response>;
  graphql(
    query: string,
    key?: string,
    variables?: object,
  ): Promise<{ data?: Record<string, unknown>; errors?: { message: string }[] }>;
  /** The value of a sample of the metrics, as they are scraped; undefined if it is not there. */
  metric(sample: string): Promise<number | undefined>;
  close(): Promise<void>;
}

interface GetOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface FolderAppOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly level?: string;
  readonly engine?: Engine;
  readonly now?: () => Date;
  /** Of the gateway, besides those that are settings. */
  readonly options?: Partial<GatewayOptions>;
  /** Whether DuckDB has a process of its own. */
  readonly isIsolated?: boolean;
}

/** A gateway over a folder of queries, on DuckDB in memory. */
export async function openFolderApp(
  files: Readonly<Record<string, string>>,
  { env = {}, level = 'info', engine, now, isIsolated = false, options: given = {} }: FolderAppOptions = {},
): Promise<FolderApp> {
  const queries = makeQueryFolder(files);
  const dataDir = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const logged: LogLine[] = [];
  const write = (line: string) => {
    const parsed = JSON.parse(line) as LogLine;
    if (parsed.msg !== 'request') logged.push(parsed);
  };
  const close = () => {
    queries.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const config = readConfig({
    QUERIES_DIR: queries.folder,
    DATA_DIR: dataDir,
    STORE_FILE: ':memory:',
    ENGINE_CONCURRENCY: '4',
    ...env,
  });
  const options = await gatewayOptions(config, apiKey);
  const app = await createGateway({
    ...options,
    log: pino({ level }, { write }),
    ...(engine === undefined
      ? !isIsolated && { engine: inThisProcess(config, options) }
      : { engine: openedEngine(engine) }),
    ...(now && { now }),
    ...given,
  }).catch((error: unknown) => {
    close();
    throw error;
  });
  const send = (path: string, key: string, init: RequestInit = {}) =>
    app.fetch(
      new Request(`http://gateway.test${path}`, { ...init, headers: { 'x-api-key': key, ...init.headers } }),
    );
  return {
    app,
    queries,
    logged,
    get: (address, { key = apiKey, headers = {} } = {}) =>
      send(`/api/endpoints/query/${address}`, key, { headers }),
    async graphql(query, key = apiKey, variables = {}) {
      const headers = { 'content-type': 'application/json' };
      const response = await send('/graphql', key, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query, variables }),
      });
      return (await response.json()) as Awaited<ReturnType<FolderApp['graphql']>>;
    },
    async metric(sample) {
      const text = await (await send('/metrics', apiKey)).text();
      const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
      return line === undefined ? undefined : Number(line.slice(sample.length + 1));
    },
    async close() {
      await app.close();
      close();
    },
  };
}
