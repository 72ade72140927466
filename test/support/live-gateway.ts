import type { Server } from 'node:http';
import { pino } from 'pino';
import type { BoundQuery } from '../../src/catalog/binding/bind.ts';
import { apiKey as keyOf } from '../../src/exports/keys.ts';
import { createGateway, type Gateway } from '../../src/gateway/create-gateway.ts';
import type { GatewayOptions } from '../../src/gateway/options.ts';
import { type LivePlugin, live as livePlugin } from '../../src/plugins/live/live.ts';
import { openServer } from '../../src/http/node/open-server.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import { type FakeEngine, fakeEngine } from './fake-engine.ts';
import { listen } from './listen.ts';
import { apiKey, openedEngine } from './test-app.ts';
import { queryText, uuidOf } from './query-folder.ts';

export interface LiveGateway {
  readonly gateway: Gateway;
  /** Counts of what clients follow. */
  readonly counters: LivePlugin['counters'];
  readonly clock: FakeClock;
  readonly engine: FakeEngine;
  /** The lines of the log. */
  readonly logged: readonly Readonly<Record<string, unknown>>[];
  /** The rows that the engine gives from now on. */
  setRows(rows: readonly string[]): void;
  /** Replaces the saved queries, and waits until they are served. */
  setQueries(queries: Readonly<Record<string, string>>): Promise<void>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  close(): Promise<void>;
}

interface LiveGatewayOptions
  extends Partial<
    Pick<GatewayOptions, 'keys' | 'basePath' | 'cache' | 'corsOrigins' | 'plugins' | 'now' | 'after'>
  > {
  readonly queries?: Readonly<Record<string, string>>;
  readonly clock?: FakeClock;
  readonly source?: string;
  /** The rows of a run, in place of `setRows`. */
  readonly rowsOf?: (parameters: BoundQuery['parameters']) => readonly string[];
}

export const liveQueries = {
  'counts.sql': queryText({ id: uuidOf(1), header: 'live: 5s\n', caching: '60s' }),
  'warmed.sql': queryText({ id: uuidOf(2), header: 'cache_warming: 10s\n', caching: '60s' }),
  'plain.sql': queryText({ id: uuidOf(3), caching: '60s' }),
};

export const countsPath = '/api/endpoints/query/counts';

/** A gateway whose time is the test's, over an engine whose rows are. */
export async function openLiveGateway({
  queries = liveQueries,
  clock = fakeClock(),
  source = 'fake',
  keys = keyOf(apiKey),
  rowsOf,
  plugins = [],
  ...options
}: LiveGatewayOptions = {}): Promise<LiveGateway> {
  let rows: readonly string[] = ['{"n":1}'];
  const soon = (_ms: number, run: () => void) => {
    const immediate = setImmediate(run);
    return () => clearImmediate(immediate);
  };
  const engine = fakeEngine({
    clock: { ...clock, after: soon },
    rows: ({ parameters }) => rowsOf?.(parameters) ?? rows,
    source,
  });
  const logged: Record<string, unknown>[] = [];
  let texts = queries;
  let onChange = () => {};
  const ofLive = livePlugin();
  const gateway = await createGateway({
    queries: {
      read: () => texts,
      watch: (listener) => {
        onChange = listener;
        return () => {};
      },
    },
    engine: openedEngine(engine),
    keys,
    now: clock.now,
    after: clock.after,
    plugins: [ofLive, ...plugins],
    log: pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) }),
    ...options,
  });
  const send = (path: string, init: RequestInit) =>
    gateway.fetch(new Request(`http://gateway.test${path}`, init), { address: '127.0.0.1' });
  return {
    gateway,
    counters: ofLive.counters,
    clock,
    engine,
    logged,
    setRows(next) {
      rows = next;
    },
    async setQueries(next) {
      const before = logged.length;
      texts = next;
      onChange();
      while (!logged.slice(before).some(({ msg }) => msg === 'saved queries reloaded'))
        await new Promise((resolve) => setTimeout(resolve, 10));
    },
    get: (path, headers = {}) => send(path, { headers: { 'x-api-key': apiKey, ...headers } }),
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    close: () => gateway.close(),
  };
}

/** The same behind a socket. */
export async function serveGateway(
  gateway: Gateway,
): Promise<{ readonly server: Server; readonly port: number; close(): Promise<void> }> {
  const { server } = openServer(gateway.listener, { log: pino({ level: 'silent' }) });
  const port = await listen(server);
  return {
    server,
    port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
