import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { zstdDecompressSync } from 'node:zlib';
import { pino } from 'pino';
import { GatewayError } from '../../src/errors.ts';
import { createGateway, type Gateway } from '../../src/gateway/create-gateway.ts';
import type { GatewayPlugin } from '../../src/gateway/plugin.ts';
import type { Caller } from '../../src/keys/sources/key-function.ts';
import { mcp } from '../../src/plugins/mcp/mcp.ts';
import { type FakeClock, fakeClock } from '../support/fake-clock.ts';
import { type FakeEngine, fakeEngine } from '../support/fake-engine.ts';
import { queryText, uuidOf } from '../support/query-folder.ts';
import { openedEngine } from '../support/test-app.ts';

let clock: FakeClock;
let engine: FakeEngine;
let gateway: Gateway;
let hooks: Partial<GatewayPlugin>;
let callers: Record<string, Caller>;
let lines: Record<string, unknown>[];

let rows: readonly string[];

const row = JSON.stringify({ n: 7, text: 'some text '.repeat(500) });

beforeEach(async () => {
  rows = [row];
  clock = fakeClock();
  engine = fakeEngine({ clock, queryMs: 0, rows: () => rows });
  hooks = {};
  callers = { one: { id: 'one' }, two: { id: 'two', requestsPerMinute: 100 } };
  lines = [];
  const columns = '  text: { type: string, description: Text. }\n---*/';
  const query = (at: number, header = '') =>
    queryText({ id: uuidOf(at), header }).replace('---*/\n', `${columns}\n`);
  gateway = await createGateway({
    queries: { read: () => ({ 'q.sql': query(1, 'labels: [team]\n'), 'other.sql': query(2) }) },
    engine: openedEngine(engine),
    now: clock.now,
    after: clock.after,
    log: pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) }),
    keys: ({ headers }) => callers[headers['x-api-key'] ?? ''],
    plugins: [
      mcp(),
      {
        name: 'guard',
        onRequest: (exchange) => hooks.onRequest?.(exchange),
        onResult: (bound, result) => hooks.onResult?.(bound, result),
      },
    ],
  });
});

afterEach(() => gateway.close());

type Headers = Readonly<Record<string, string>>;

const send = async (path: string, headers: Headers = {}, body?: object, method?: string) => {
  const sent = gateway.fetch(
    new Request(`http://gateway.test${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { 'x-api-key': 'one', ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    }),
  );
  let isAnswered = false;
  sent.finally(() => {
    isAnswered = true;
  });
  while (!isAnswered) await clock.pass(1);
  return sent;
};

const rest = '/api/endpoints/query/q';
const query = '{ q { rows { n text } } }';
const ways: Readonly<Record<string, (headers?: Headers) => Promise<Response>>> = {
  JSON: (headers) => send(rest, headers),
  CSV: (headers) => send(`${rest}.csv`, headers),
  'GraphQL by POST': (headers) => send('/graphql', headers, { query }),
  'GraphQL by GET': (headers) => send(`/graphql?query=${encodeURIComponent(query)}`, headers),
  'a call of an agent': (headers) =>
    send('/mcp', headers, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'q', arguments: {} },
    }),
};

const plain = async (response: Response) => {
  const bytes = await response.bytes();
  const isCoded = response.headers.get('content-encoding') === 'zstd';
  return String(isCoded ? zstdDecompressSync(bytes) : Buffer.from(bytes));
};

describe.each(Object.entries(ways))('%s', (name, ask) => {
  const isAgent = name === 'a call of an agent';

  test('is answered again with the same bytes and headers', async () => {
    const first = await plain(await ask());
    const dated = [
      'age',
      'cache-status',
      'cache-control',
      'x-request-id',
      'content-encoding',
      'content-length',
    ];
    const headersOf = ({ headers }: Response) => [...headers].filter(([header]) => !dated.includes(header));
    const second = await ask();
    const headers = headersOf(second);
    expect(await plain(second)).toBe(first);
    for (const accepted of ['identity', 'zstd', 'zstd', 'identity', 'zstd']) {
      const again = await ask({ 'accept-encoding': accepted });
      expect(await plain(again)).toBe(first);
      expect(headersOf(again)).toEqual(headers);
      expect(again.headers.get('content-encoding')).toBe(isAgent || accepted === 'identity' ? null : 'zstd');
    }
    expect(engine.runs).toBe(1);
    expect(gateway.counters.hits).toBe(6);
  });

  test('is refused by a plug-in, also if it was answered before', async () => {
    for (let at = 0; at < 3; at += 1) expect((await ask()).status).toBe(200);
    const isRefused = async () => {
      const response = await ask();
      return response.status === 403 || (await response.text()).includes('not today');
    };
    const refuse = () => {
      throw new GatewayError('FORBIDDEN', 'not today');
    };
    hooks = { onResult: refuse };
    expect(await isRefused()).toBe(true);
    hooks = { onRequest: refuse };
    expect(await isRefused()).toBe(true);
    hooks = {};
    expect(await isRefused()).toBe(false);
  });

  test('is not answered for a key that lost its endpoint, and again when it has it back', async () => {
    for (let at = 0; at < 3; at += 1) expect((await ask()).status).toBe(200);
    callers.one = { id: 'one', endpoints: ['other'] };
    expect(await (await ask()).text()).not.toContain('some text');
    callers.one = { id: 'one', tenants: ['a'] };
    expect(await (await ask()).text()).not.toContain('some text');
    callers.one = { id: 'one' };
    expect(await (await ask()).text()).toContain('some text');
    delete callers.one;
    expect((await ask()).status).toBe(401);
  });
});

test.each(Object.entries(ways))('labels are those of the request: %s', async (_, ask) => {
  const labels: unknown[] = [];
  hooks = { onResult: (bound) => void labels.push(bound.labels) };
  const askFor = async (...teams: string[]) => {
    for (const team of teams) await ask({ 'lf-endpoint-labels': `team=${team}` });
  };
  await ask();
  await askFor('a', 'a', 'a', 'b', 'b');
  expect(labels).toEqual([undefined, ...['a', 'a', 'a', 'b', 'b'].map((team) => ({ team }))]);
  const wrong = await ask({ 'lf-endpoint-labels': 'team=A B' });
  expect(await wrong.text()).toContain('lowercase letters');
});

test.each(['POST', 'GET'])(
  'a large answer of GraphQL by %s takes no memory beside its result',
  async (method) => {
    rows = Array.from({ length: 50 }, () => JSON.stringify({ n: 7, text: 'a'.repeat(100_000) }));
    const ask = ways[`GraphQL by ${method}`];
    await ask?.();
    const { bytes } = gateway.counters;
    expect(bytes).toBeGreaterThan(5_000_000);
    for (let at = 0; at < 3; at += 1) expect((await ask?.())?.status).toBe(200);
    expect(gateway.counters.bytes - bytes).toBeLessThan(100_000);
    expect(engine.runs).toBe(1);
  },
);

test('headers that say how old a result is are those of the second in which it is sent', async () => {
  for (const ask of [ways.JSON, ways.CSV, ways['GraphQL by GET']]) {
    for (let at = 0; at < 3; at += 1) await ask?.();
    const before = Number((await ask?.())?.headers.get('age'));
    for (const seconds of [1, 2, 3]) {
      await clock.pass(1_000);
      const headers = (await ask?.())?.headers;
      expect(headers?.get('age')).toBe(String(before + seconds));
      expect(headers?.get('cache-status')).toBe(`querygate; hit; ttl=${3_600 - before - seconds}`);
    }
  }
});

test('a caller who has the rows gets 304, and one who asks for the head gets no body', async () => {
  for (let at = 0; at < 3; at += 1) await ways.JSON?.();
  const etag = (await ways.JSON?.())?.headers.get('etag') ?? '';
  expect((await ways.JSON?.({ 'if-none-match': etag }))?.status).toBe(304);
  const head = await send(rest, {}, undefined, 'HEAD');
  expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
});

test('each caller gets its own rate, and a line in the log with what the answer warns of', async () => {
  const misspelled = `${rest}?formt=csv`;
  for (let at = 0; at < 3; at += 1) await send(misspelled);
  const { headers } = await send(misspelled, { 'x-api-key': 'two' });
  expect(headers.get('ratelimit')).toMatch(/^"default";r=99;/);
  expect(headers.get('querygate-warning')).toContain('format');
  expect((await send(misspelled)).headers.get('ratelimit')).toBeNull();
  const last = lines.filter(({ msg }) => msg === 'request').slice(-2);
  expect(last.map(({ key, misspelled: count, status }) => [key, count, status])).toEqual([
    ['two', 1, 200],
    ['one', 1, 200],
  ]);
});
