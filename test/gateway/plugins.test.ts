import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { counts } from '../../examples/plugins/counts.ts';
import { endpointNames } from '../../examples/plugins/endpoint-names.ts';
import { tabs } from '../../examples/plugins/tabs.ts';
import { systemClock } from '../../src/concurrency/clock.ts';
import { GatewayError, StartError } from '../../src/errors.ts';
import type { BoundQuery } from '../../src/catalog/binding/bind.ts';
import { createGateway, type Gateway } from '../../src/gateway/create-gateway.ts';
import { buildPluginHooks } from '../../src/gateway/plugin-hooks.ts';
import type { GatewayOptions } from '../../src/gateway/options.ts';
import type { GatewayPlugin } from '../../src/gateway/plugin.ts';
import type { Renderer } from '../../src/formats/renderer.ts';
import type { Reply } from '../../src/http/message/reply.ts';
import type { PluginRoute } from '../../src/http/message/route.ts';
import { PreparedResponse } from '../../src/http/node/prepared-response.ts';
import { redis } from '../../src/gateway/redis.ts';
import { apiKey as keyOf } from '../../src/keys/sources/api-key.ts';
import { costs } from '../../src/plugins/costs/costs.ts';
import { live } from '../../src/plugins/live/live.ts';
import { logflare } from '../../src/plugins/logflare/logflare.ts';
import { mcp } from '../../src/plugins/mcp/mcp.ts';
import { openapi } from '../../src/plugins/openapi/openapi.ts';
import { metrics } from '../../src/plugins/metrics/metrics.ts';
import { eventually } from '../support/eventually.ts';
import { listen } from '../support/listen.ts';
import { sendRaw } from '../support/raw-request.ts';
import { makeQueryFolder, type QueryFolder, queryText, uuidOf } from '../support/query-folder.ts';
import { hasRedis, redisServer } from '../support/redis-server.ts';
import { openedEngine } from '../support/test-app.ts';

const apiKey = 'a-key-for-tests-only';
const cost = { bytesProcessed: 42, bytesBilled: 42, slotMs: 1, cacheHit: false, jobId: undefined };

let folder: QueryFolder;
let gateway: Gateway | undefined;
let lines: Record<string, unknown>[];

beforeEach(() => {
  folder = makeQueryFolder({ 'q.sql': queryText({ id: uuidOf(1), header: 'live: 5s\n', caching: '60s' }) });
  lines = [];
});

afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
  folder.close();
});

const open = (...plugins: GatewayPlugin[]) => openWith({ reload: false }, ...plugins);

async function openWith(
  options: Partial<Pick<GatewayOptions, 'reload' | 'after' | 'engine' | 'log' | 'writeLine'>>,
  ...plugins: GatewayPlugin[]
): Promise<Gateway> {
  gateway = await createGateway({
    queries: folder.folder,
    engine: openedEngine({
      source: 'test',
      run: async () => ({ rows: ['{"n":1}'], truncated: false, cost }),
      close: async () => {},
    }),
    keys: keyOf(apiKey),
    plugins,
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    ...options,
  });
  return gateway;
}

const get = async (path: string, headers: Record<string, string> = { 'x-api-key': apiKey }) =>
  (gateway as Gateway).fetch(new Request(`http://gateway.test${path}`, { headers }));

const rest = '/api/endpoints/query/q';
const graphql = `/graphql?query=${encodeURIComponent('{ q { rowCount } }')}`;

/** How often the OpenAPI of a gateway says that a result may be renewed, in seconds. */
async function followedEvery(...plugins: GatewayPlugin[]): Promise<unknown> {
  await gateway?.close();
  await open(...plugins);
  return (await (await get('/openapi.json')).json()).paths[rest].get['x-live'];
}

describe('a gateway without plug-ins', () => {
  test('serves REST and GraphQL, and nothing of the plug-ins', async () => {
    await open();
    expect(await (await get(rest)).json()).toEqual({ result: [{ n: 1 }] });
    expect(await (await get(graphql)).json()).toEqual({ data: { q: { rowCount: 1 } } });
    for (const path of ['/metrics', '/openapi.json', '/openapi', '/'])
      expect((await get(path)).status).toBe(404);
  });

  test('refuses event streams, ignores Prefer: wait, and has no subscriptions until live() adds them', async () => {
    await open();
    const key = { 'x-api-key': apiKey };
    const events = await get(rest, { ...key, accept: 'text/event-stream' });
    expect([events.status, (await events.json()).error.code]).toEqual([406, 'NOT_ACCEPTABLE']);
    const waits = { ...key, prefer: 'wait=30', 'if-none-match': (await get(rest)).headers.get('etag') ?? '' };
    expect((await get(rest, waits)).status).toBe(304);
    const types = await get(
      `/graphql?query=${encodeURIComponent('{ __schema { subscriptionType { name } } }')}`,
    );
    expect(await types.json()).toEqual({ data: { __schema: { subscriptionType: null } } });
    expect((await get('/api/live')).status).toBe(404);
    expect(await followedEvery(openapi())).toBeUndefined();
    expect(await followedEvery(openapi(), live())).toBe(5);
    expect((await get('/api/live')).status).toBe(405);
    const again = await get(
      `/graphql?query=${encodeURIComponent('{ __schema { subscriptionType { name } } }')}`,
    );
    expect(await again.json()).toEqual({
      data: { __schema: { subscriptionType: { name: 'Subscription' } } },
    });
  });
});

/** The plug-in that docs/plugins.md shows, as readers paste it. */
async function fromDocs<T>(start: string, check: (module: T) => Promise<void>): Promise<void> {
  const blocks = readFileSync('docs/plugins.md', 'utf8').matchAll(
    /```ts\n(?<code>[^`]*(?:`[^`]+`[^`]*)*?)\n```/g,
  );
  const text = [...blocks].map(({ groups }) => groups?.code ?? '').find((code) => code.includes(start)) ?? '';
  expect(text.trim().split('\n').length).toBeLessThan(50);
  const file = join(mkdtempSync(join(import.meta.dirname, 'plugin-')), 'plugin.ts');
  try {
    const code = text
      .replace("'querygate'", "'../../../src/index.ts'")
      .replace("'querygate/catalog'", "'../../../src/exports/catalog.ts'")
      .replace("'querygate/plugins'", "'../../../src/exports/plugins.ts'");
    writeFileSync(file, code);
    await check((await import(file)) as T);
  } finally {
    rmSync(join(file, '..'), { recursive: true });
  }
}

describe('the plug-ins of docs/plugins.md', () => {
  test('adds a route, a header, a metric, a log field, and refuses; by REST and GraphQL, hit and miss', async () => {
    await fromDocs<{ spending(blocked: ReadonlySet<string>): GatewayPlugin }>(
      'spending(',
      async ({ spending }) => {
        const blocked = new Set<string>();
        const ofMetrics = metrics();
        await open(spending(blocked), ofMetrics);
        for (const path of [rest, rest, graphql, graphql]) {
          const response = await get(path);
          expect(response.status).toBe(200);
          expect(response.headers.get('x-query-cost')).toBe('42');
        }
        expect((await get('/spending', {})).status).toBe(401);
        expect(await (await get('/spending')).json()).toEqual({ queries: 1, total: 42 });
        expect(ofMetrics.render()).toContain('\nspending_bytes_total 42\n');
        const requests = lines.filter(({ msg }) => msg === 'request');
        expect(requests.slice(0, 4).map(({ results }) => results)).toEqual([1, 1, 1, 1]);
        expect(requests.at(-1)?.path).toBe('/spending');
        blocked.add(String(requests[0]?.key));
        for (const path of [rest, graphql]) expect((await get(path)).status).toBe(403);
      },
    );
  });

  test('adds a form of rows, with all that the others have', async () => {
    await open(tabs(), openapi());
    const byName = await get(`${rest}.tsv`);
    const accept = { 'x-api-key': apiKey, accept: 'text/tab-separated-values' };
    const byType = await get(rest, accept);
    for (const response of [byName, byType, await get(`${rest}?format=tsv`)])
      expect([response.status, await response.text()]).toEqual([200, 'n\n1\n']);
    expect(byName.headers.get('content-type')).toBe('text/tab-separated-values; charset=utf-8');
    expect(byName.headers.get('content-disposition')).toMatch(/^attachment; filename="q-.*\.tsv"$/);
    const etag = byName.headers.get('etag') ?? '';
    expect(etag).not.toBe((await get(rest)).headers.get('etag'));
    expect((await get(`${rest}.tsv`, { 'x-api-key': apiKey, 'if-none-match': etag })).status).toBe(304);
    expect(await (await get('/openapi.json')).text()).toContain('text/tab-separated-values');
    expect((await (await get(`${rest}?format=tab`)).json()).error.message).toContain('tsv');
    expect(lines.filter(({ path }) => path === `${rest}.tsv`)).toHaveLength(2);
    await expect(open({ ...tabs(), name: 'more' }, tabs())).rejects.toThrow(
      'plugins[1] (tabs): the name tsv is taken; give the renderer another one',
    );
  });

  test('has the errors of its renderers in the log as its own, also of parts that are sent', async () => {
    const fail = () => {
      throw new Error('no tabs');
    };
    const form = (name: string, how: Partial<Renderer>): Renderer => ({
      ...{ names: [name], contentType: 'text/plain', mediaTypes: [], fileExtension: undefined },
      ...how,
    });
    const partsThatFail = function* (): Generator<string> {
      yield 'n';
      fail();
    };
    const renderers = [
      form('at-once', { parts: fail }),
      form('later', { parts: partsThatFail }),
      form('in-whole', { whole: async () => fail() }),
      form('in-settings', { settings: fail, parts: () => ['n'].values() }),
      form('async', {
        async *parts() {
          yield 'n';
        },
      } as never),
      form('of-numbers', { parts: () => [5].values() as never }),
      form('without-bytes', { whole: async () => 'n' as never }),
      form('without-json', { settings: () => 5n, parts: () => ['n'].values() }),
    ];
    await open({ name: 'forms', renderers });
    for (const { names } of renderers) expect((await get(`${rest}?format=${names[0]}`)).status).toBe(500);
    expect(
      lines.filter(({ level }) => level === 50).map(({ msg, plugin, hook }) => [msg, plugin, hook]),
    ).toEqual(
      ['parts', 'parts', 'whole', 'settings', 'parts', 'parts', 'whole', 'settings'].map((hook) => [
        'a plug-in has failed',
        'forms',
        `renderers: ${hook}`,
      ]),
    );
  });

  test('makes no further parts for a caller who has left', async () => {
    const left = new AbortController();
    let made = 0;
    const parts = function* (): Generator<string> {
      for (; made < 1e6; made += 1) {
        if (made === 5) left.abort();
        yield 'n';
      }
    };
    const form = {
      names: ['n'] as const,
      contentType: 'text/plain',
      mediaTypes: [],
      fileExtension: undefined,
    };
    const opened = await open({ name: 'forms', renderers: [{ ...form, parts, isWhole: true }] });
    const init = { headers: { 'x-api-key': apiKey }, signal: left.signal };
    const request = new Request(`http://gateway.test${rest}?format=n`, init);
    expect((await opened.fetch(request)).status).toBe(499);
    await setTimeout(20);
    const before = made;
    await setTimeout(20);
    expect(made).toBe(before);
  });

  test('that changes replies must return one', async () => {
    const wrong = [undefined, null, {}, { status: 200 }] as unknown as Reply[];
    for (const made of wrong) {
      await open({ name: 'silent', onReply: () => made });
      expect((await get(rest)).status).toBe(200);
      const { err } = lines.find(({ plugin }) => plugin === 'silent') as { err: { message: string } };
      expect(err.message).toBe('onReply must return a reply');
      lines.length = 0;
    }
  });

  test('adds fields of GraphQL, which load results as the fields of saved queries do', async () => {
    await open(counts());
    const query = encodeURIComponent('{ q { rowCount } _qCount again: _qCount }');
    const response = await get(`/graphql?query=${query}`);
    expect(await response.json()).toEqual({ data: { q: { rowCount: 1 }, _qCount: 1, again: 1 } });
    expect(lines.filter(({ msg }) => msg === 'request').map(({ results }) => results)).toEqual([undefined]);
    const broken: GatewayPlugin = {
      name: 'broken',
      extendSchema() {
        throw new Error('no fields');
      },
    };
    await expect(open(broken)).rejects.toThrow(StartError);
  });

  test('with groups of the seam checks its options, and lists what the key may query', async () => {
    expect(() => endpointNames({ limit: 0 })).toThrow(
      expect.objectContaining({
        problems: [{ message: 'limit: got 0; must be a whole number from 1 to 1000' }],
      }),
    );
    await open(endpointNames({ limit: 1 }));
    expect(await (await get('/endpoints.json')).json()).toEqual(['q']);
  });
});

test('a route says what decides its replies, which are then kept as those of REST are, also behind logflare()', async () => {
  const replies: unknown[] = [];
  let made = 0;
  const own: GatewayPlugin = {
    name: 'own',
    routes: () => [
      {
        path: '/own',
        access: 'key',
        isKept: ({ method }) => method === 'GET',
        answer(_, { url }) {
          made += 1;
          const identity = Buffer.from(url.search);
          return { status: 200, headers: {}, body: identity, madeOf: { encodings: { identity } } };
        },
      },
    ],
    onReply(_exchange, reply) {
      replies.push(reply);
      return reply;
    },
  };
  await open(logflare(), own);
  for (const path of ['/own?a', '/own?a', '/own?a', '/own?b'])
    expect(await (await get(path, { 'x-api-key': apiKey, accept: '*/*' })).text()).toBe(path.slice(4));
  expect(made).toBe(3);
  replies.length = 0;
  for (let count = 0; count < 4; count += 1) await get(rest);
  // The same object, as it is only if nothing was bound or put together again.
  expect(replies[3]).toBe(replies[2]);
});

test('a route of another plug-in precedes a fallback with the same path', async () => {
  const answer = () => ({ status: 200, headers: {}, body: 'own' });
  await open(mcp(), { name: 'own', routes: () => [{ path: '/sse', access: 'public', answer }] });
  expect(await (await get('/sse')).text()).toBe('own');
});

test('replies of a route with the same frozen headers each have their own body and status, and fields of the log', async () => {
  const headers = Object.freeze({ 'Content-Type': 'text/plain', 'content-length': '1' });
  const answer: PluginRoute['answer'] = (_, { url }) => {
    const n = url.search.slice(1);
    return { status: n === '3' ? 201 : 200, headers, body: n, logFields: { n, status: 'its own is kept' } };
  };
  await open({ name: 'own', routes: () => [{ path: '/own', access: 'key', answer }] });
  for (const [n, status] of [
    ['1', 200],
    ['2', 200],
    ['3', 201],
  ] as const) {
    const response = await get(`/own?${n}`);
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      status,
      'text/plain',
      n,
    ]);
    expect(lines.findLast(({ msg }) => msg === 'request')).toMatchObject({ path: '/own', n, status });
  }
});

test('a reply that a plug-in changes and gives again is sent as it is now', async () => {
  const headers: Record<string, string> = { 'content-type': 'text/plain' };
  const reply = { status: 200, headers, body: '', logFields: {} };
  const answer: PluginRoute['answer'] = (_, { url }) => {
    const n = url.search.slice(1);
    headers['X-Number'] = n;
    return Object.assign(reply, { body: n, logFields: { n } });
  };
  const changed = { status: 200, headers: {}, body: '' };
  await open({
    name: 'own',
    routes: () => [{ path: '/own', access: 'key', answer }],
    onReply(exchange, before) {
      if (exchange.path === '/own') return before;
      return Object.assign(changed, { headers: before.headers, body: before.headers.etag });
    },
  });
  for (const n of ['1', '22', '1']) {
    const response = await get(`/own?${n}`);
    expect([response.headers.get('x-number'), response.headers.get('content-length')]).toEqual([n, null]);
    expect(await response.text()).toBe(n);
    expect(lines.findLast(({ msg }) => msg === 'request')).toMatchObject({ path: '/own', n });
  }
  for (const path of [rest, graphql]) {
    const response = await get(path);
    expect(await response.text()).toBe(response.headers.get('etag'));
  }
});

test('a reply that a plug-in gives for several requests has the fields of each in the log', async () => {
  const same = { status: 503, headers: {}, body: 'closed' };
  const answer: PluginRoute['answer'] = (_, { url }) => {
    const plain = { status: 200, headers: {}, body: 'open' };
    return url.search === '' ? plain : { ...plain, logFields: { n: url.search } };
  };
  await open({ name: 'own', routes: () => [{ path: '/own', access: 'key', answer }], onReply: () => same });
  for (const n of ['?1', '?2', undefined]) {
    expect((await get(`/own${n ?? ''}`)).status).toBe(503);
    expect(lines.findLast(({ msg }) => msg === 'request')?.n).toBe(n);
  }
});

test('a log that fails leaves the requests', async () => {
  const fail = () => {
    throw new Error('full');
  };
  const log = pino({ level: 'info' }, { write: fail });
  for (const broken of [{ writeLine: fail }, { log }, { log, writeLine: fail }]) {
    const { listener } = await openWith(
      { reload: false, ...broken },
      { name: 'own', routes: () => [{ path: '/own', access: 'public', answer: fail }], onResult: fail },
    );
    const server = createServer(listener);
    const url = `http://127.0.0.1:${await listen(server)}`;
    try {
      for (const [path, key, status] of [
        [rest, apiKey, 200],
        [rest, 'another key', 401],
        ['/own', apiKey, 500],
      ] as const) {
        const headers = { 'x-api-key': key };
        expect((await get(path, headers)).status).toBe(status);
        expect((await fetch(url + path, { headers })).status).toBe(status);
      }
    } finally {
      server.close();
      await gateway?.close();
    }
  }
});

describe('a plug-in that fails', () => {
  const fail = () => {
    throw new Error('a defect');
  };
  const failed = () => lines.filter(({ msg }) => msg === 'a plug-in has failed').map(({ hook }) => hook);
  const isAnswered = async () => {
    for (const path of [rest, rest, graphql]) expect((await get(path)).status).toBe(200);
  };
  const hooks = ['translate', 'onResult', 'onReply', 'logFields', 'onSent', 'onRun'] as const;

  test.each(hooks)('in %s is logged, and the request is answered', async (hook) => {
    await open({ name: 'broken', [hook]: fail });
    await isAnswered();
    expect(failed()).toContain(hook);
  });

  test.each(hooks)('in %s by a promise, which may fail later, likewise', async (hook) => {
    await open({ name: 'broken', [hook]: async () => fail() });
    await isAnswered();
    expect(failed()).toContain(hook);
  });

  test.each(hooks)('in %s by a value that has no sense, likewise', async (hook) => {
    for (const value of [undefined, null, 5, {}, { headers: null }]) {
      await gateway?.close();
      await open({ name: 'broken', [hook]: () => value } as GatewayPlugin);
      await isAnswered();
    }
  });

  test('in what it returns for a run', async () => {
    await open({ name: 'broken', onRun: () => ({ onStart: fail, onEnd: fail }) });
    await isAnswered();
    expect(failed()).toContain('onRun');
  });

  test.each([
    ['throws', fail],
    ['rejects', async () => fail()],
  ])('in onRequest, which %s, refuses the request', async (_, onRequest) => {
    await open({ name: 'broken', onRequest });
    for (const path of [rest, graphql]) expect((await get(path)).status).toBe(500);
    expect(failed()).toEqual(['onRequest', 'onRequest']);
  });

  test.each([...hooks, 'onRequest'] as const)(
    'in %s by a promise of another realm, likewise',
    async (hook) => {
      const reject = runInNewContext('(error) => Promise.reject(error)');
      await open({ name: 'broken', [hook]: () => reject(new GatewayError('FORBIDDEN', 'No')) });
      if (hook !== 'onRequest') return isAnswered();
      for (const path of [rest, rest, graphql]) expect((await get(path)).status).toBe(403);
    },
  );

  test('in onRequest by a promise that never settles ends with the time for it, or with its caller', async () => {
    const after: GatewayOptions['after'] = (ms, run) => systemClock.after(ms === 30_000 ? 50 : ms, run);
    await openWith({ after }, { name: 'broken', onRequest: () => new Promise(() => {}) });
    expect((await get(rest)).status).toBe(500);
    expect(failed()).toEqual(['onRequest']);
    await gateway?.close();
    const left = new AbortController();
    const onRequest = () => {
      setImmediate(() => left.abort());
      return new Promise<void>(() => {});
    };
    const opened = await open({ name: 'broken', onRequest });
    const init = { headers: { 'x-api-key': apiKey }, signal: left.signal };
    expect((await opened.fetch(new Request(`http://gateway.test${rest}`, init))).status).toBe(499);
  });

  test.each([Number.NaN, undefined, Number.POSITIVE_INFINITY])('in paceOf, by %s, is as none', (pace) => {
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const plugin: GatewayPlugin = { name: 'broken', paceOf: () => pace as number };
    const { paceOf } = buildPluginHooks([plugin], log, systemClock);
    expect([paceOf({} as BoundQuery), failed()]).toEqual([1, ['paceOf']]);
  });

  test('in onRequest by a value that is not a promise does not', async () => {
    await open({ name: 'broken', onRequest: (() => true) as () => void });
    await isAnswered();
  });

  test('in open or routes ends the start, and says which it is', async () => {
    const broken: readonly (readonly [GatewayPlugin, string])[] = [
      [{ name: 'broken', open: fail }, 'broken, open: a defect'],
      [{ name: 'broken', open: async () => fail() }, 'broken, open: a defect'],
      [{ name: 'broken', routes: fail }, 'broken, routes: a defect'],
      [{ name: 'broken', routes: () => [null as never] }, 'broken, routes[0]: is null; must be an object'],
      [{ name: 'broken', routes: (async () => []) as never }, 'broken, routes: it must return an array'],
    ];
    for (const [plugin, message] of broken)
      await expect(open(plugin)).rejects.toMatchObject({ name: 'StartError', problems: [{ message }] });
  });

  test('in its metrics leaves the others', async () => {
    const family = { name: 'x', help: 'x', type: 'gauge' } as const;
    const wrong = [
      { value: 'six' },
      {},
      { labels: { 'a-b': 'six' }, value: 6 },
      { labels: { a: { toString: 1 } }, value: 6 },
      { labels: {}, metricName: 'six six', value: 6 },
    ];
    const sampled = [
      fail,
      () => undefined,
      async () => fail(),
      ...wrong.map((one) => () => [{ labels: {}, value: 6 }, one]),
      () => [{ value: 5 }, { labels: { le: 'x' }, value: Number.NaN }],
    ];
    const ofMetrics = metrics();
    await open(
      {
        name: 'broken',
        metrics: sampled.map((samples, at) => ({ ...family, name: `x${at}`, samples: samples as never })),
      },
      {
        name: 'taken',
        metrics: ['x0', 'querygate_build_info', 'process_cpu_seconds_total'].map((name) => ({
          ...{ ...family, name, samples: () => [{ labels: {}, value: 6 }] },
        })),
      },
      ofMetrics,
    );
    expect(ofMetrics.render()).toContain('\nx8 5\nx8{le="x"} NaN\n');
    expect(lines.flatMap(({ metric = [] }) => metric)).toHaveLength(3);
    expect(ofMetrics.render()).not.toContain(' 6\n');
    expect(ofMetrics.render()).not.toMatch(/six|undefined/);
    expect(ofMetrics.render()).toContain('querygate_build_info');
  });

  test('in a route, or in the reply to its error, is the error of one request', async () => {
    const base = { access: 'public' } as const;
    const plain = { status: 200, headers: {}, body: 'f' };
    await open({
      name: 'broken',
      routes: () => [
        { ...base, path: '/a', answer: fail },
        { ...base, path: '/b', answer: async () => fail() },
        { ...base, path: '/c', answer: fail, replyError: fail },
        { ...base, path: '/d', answer: (() => undefined) as never },
        { ...base, path: '/e', answer: () => ({ status: 200, headers: { 'x-bad': 'a\nb' }, body: 'e' }) },
        { ...base, path: '/f', answer: () => ({ ...plain, logFields: { bytes: 5n as never } }) },
        { ...base, path: '/g', answer: () => ({ ...plain, logFields: null as never }) },
      ],
    });
    for (const path of ['/a', '/b', '/c', '/d', '/e', '/f', '/g']) {
      expect((await get(path)).status, path).toBe(500);
      expect(lines.findLast(({ level }) => level === 50)).toMatchObject({ plugin: 'broken' });
    }
    expect(new Set(failed())).toEqual(new Set(['routes', 'replyError']));
    await isAnswered();
  });

  const wrongReplies = [
    ...[0, 99, 101, 200.5, 600, Number.NaN, '200'].map((status) => ({ status })),
    ...[null, 5, {}, new ReadableStream()].map((body) => ({ body })),
    { headers: null },
  ] as unknown as readonly Partial<Reply>[];

  test.each(wrongReplies)('in a reply that cannot be sent, with %o, likewise', async (wrong) => {
    const plain = { status: 200, headers: {}, body: 'own' };
    const answer = () => ({ ...plain, ...wrong });
    await open({
      name: 'broken',
      routes: () => [{ access: 'public', path: '/own', answer }],
      onReply: ({ path }, reply) => (path === '/own' ? reply : { ...reply, ...wrong }),
    });
    expect((await get('/own')).status).toBe(500);
    await isAnswered();
    expect(failed()).toEqual(['routes', 'onReply', 'onReply', 'onReply']);
  });

  test('in close, or that never resolves there, does not keep the gateway open', async () => {
    let closed = 0;
    await open(
      {
        name: 'first',
        async close() {
          closed += 1;
        },
      },
      { name: 'rejecting', close: async () => fail() },
      { name: 'endless', close: () => new Promise(() => {}) },
    );
    await gateway?.close();
    expect(closed).toBe(1);
    const ends = lines.filter(({ msg }) => msg === 'a plug-in has failed');
    expect(ends.map(({ plugin, hook }) => [plugin, hook])).toEqual([
      ['endless', 'close'],
      ['rejecting', 'close'],
    ]);
  });

  test('are closed when runs have ended, or if the engine does not end in time', async () => {
    const engine = (close: () => Promise<void>) =>
      openedEngine({ source: 'test', run: async () => ({ rows: [], truncated: false }), close });
    const closed: string[] = [];
    const plugin = (onClosed = () => {}): GatewayPlugin => ({
      name: 'one',
      async close() {
        closed.push('plug-in');
        onClosed();
      },
    });
    const close = async () => void closed.push('engine');
    await openWith({ reload: false, engine: engine(close) }, plugin());
    await gateway?.close();
    expect(closed.splice(0)).toEqual(['engine', 'plug-in']);
    const { promise, resolve } = Promise.withResolvers<void>();
    await openWith({ reload: false, engine: engine(() => promise.then(close)) }, plugin(resolve));
    await gateway?.close();
    expect(closed).toEqual(['plug-in', 'engine']);
  });

  test('with a header that HTTP does not allow leaves the reply as it was', async () => {
    const onReply: GatewayPlugin['onReply'] = (_exchange, reply) => ({
      ...reply,
      headers: { ...reply.headers, 'x-bad': 'a\nb' },
    });
    await open({ name: 'broken', onReply });
    const response = await get(rest);
    expect([response.status, response.headers.get('x-bad')]).toEqual([200, null]);
    expect(failed()).toEqual(['onReply']);
  });
});

describe('a reply of a plug-in', () => {
  test('may be another one for each request, also of a cached result', async () => {
    let count = 0;
    await open({
      name: 'counter',
      onReply(_exchange, reply) {
        count += 1;
        return { ...reply, headers: { ...reply.headers, 'X-Count': String(count) } };
      },
    });
    const counts = [];
    for (let at = 0; at < 3; at += 1) counts.push((await get(rest)).headers.get('x-count'));
    expect(counts).toEqual(['1', '2', '3']);
    const etag = (await get(rest)).headers.get('etag') ?? '';
    const unchanged = await get(rest, { 'x-api-key': apiKey, 'if-none-match': etag });
    expect([unchanged.status, unchanged.headers.get('x-count')]).toEqual([304, '5']);
  });

  test('is a hook that a plug-in may add when it opens, and delete with a version of the saved queries', async () => {
    let calls = 0;
    const plugin: GatewayPlugin = {
      name: 'marker',
      open() {
        plugin.onReply = (_exchange, reply) => {
          calls += 1;
          return reply;
        };
      },
      onCatalog: () => void delete plugin.onReply,
    };
    const opened = await openWith({ reload: true }, plugin);
    await get(rest);
    expect(calls).toBe(1);
    folder.write('other.sql', queryText({ id: uuidOf(2), caching: '60s' }));
    opened.reload();
    await eventually(async () => expect((await get('/api/endpoints/query/other')).status).toBe(200));
    const before = calls;
    await get(rest);
    expect(calls).toBe(before);
  });

  test('is none of costs() unless a budget may be near its end', async () => {
    const plugin = costs();
    const opened = await openWith({ reload: true }, plugin);
    expect(plugin).not.toHaveProperty('onReply');
    const write = (budget: string) => {
      const header = `budget: { bytes_per_day: 1GB${budget} }\n`;
      folder.write('q.sql', queryText({ id: uuidOf(1), header, caching: '60s' }));
      opened.reload();
    };
    write('');
    await eventually(() => expect(plugin).toHaveProperty('onReply'));
    write(', tracking: true');
    await eventually(() => expect(plugin).not.toHaveProperty('onReply'));
  });

  test('is a new one: the reply that it gets may be sent to others too, and cannot be changed', async () => {
    const onReply: GatewayPlugin['onReply'] = (_, reply) =>
      Object.assign(reply, { headers: Object.assign(reply.headers, { 'x-user': 'somebody' }) });
    await open({ name: 'broken', onReply });
    for (let count = 0; count < 3; count += 1) expect((await get(rest)).headers.has('x-user')).toBe(false);
    expect(lines.filter(({ msg }) => msg === 'a plug-in has failed')).toHaveLength(3);
  });

  test('may be a stream of texts, by fetch too, and has none for HEAD', async () => {
    const bodies: Readable[] = [];
    const routes: GatewayPlugin['routes'] = () =>
      [() => Readable.from(['ä', 'b']), () => new PassThrough().setEncoding('utf8').end('äb')].map(
        (of, at) => ({
          path: `/${at}`,
          access: 'public',
          answer: () => ({ status: 200, headers: {}, body: bodies[bodies.push(of()) - 1] }),
        }),
      );
    const sent: number[] = [];
    const onStreamed: GatewayPlugin['onStreamed'] = (_, bytes) => void sent.push(bytes);
    const opened = await open({ name: 'own', routes, onStreamed }, metrics());
    for (const path of ['/0', '/1']) {
      sent.length = 0;
      expect(await (await get(path)).text()).toBe('äb');
      await (await get(path)).body?.cancel();
      await setTimeout(20);
      expect([sent[0], sent.length, bodies.at(-1)?.destroyed]).toEqual([3, 2, true]);
    }
    sent.length = 0;
    const head = await opened.fetch(new Request('http://gateway.test/0', { method: 'HEAD' }));
    expect([head.status, head.body, bodies.at(-1)?.destroyed]).toEqual([200, null, true]);
    const server = createServer(opened.listener);
    try {
      const url = `http://127.0.0.1:${await listen(server)}/0`;
      const ofNode = await fetch(url, { method: 'HEAD' });
      expect([ofNode.status, bodies.at(-1)?.readableDidRead, sent]).toEqual([200, false, [0, 0]]);
    } finally {
      server.close();
    }
  });

  test('has no body if its status has none, and the length of its body, in a connection of the gateway', async () => {
    const headers = { 'Content-Length': '3', 'transfer-encoding': 'chunked', connection: 'keep-alive' };
    const answer: PluginRoute['answer'] = (_, { url }) => ({
      ...{ status: Number(url.search.slice(1)), headers, body: 'a longer text' },
    });
    await open({
      name: 'own',
      routes: () => [{ path: '/own', access: 'public', answer }],
      onReply: (_, reply) => ({ ...reply, headers: { ...reply.headers, ...headers } }),
    });
    const shown = async (path: string) => {
      const {
        status,
        headers: sent,
        text,
      } = await get(path).then(async (response) => ({
        ...{ status: response.status, headers: response.headers, text: await response.text() },
      }));
      expect([sent.has('transfer-encoding'), sent.has('connection')]).toEqual([false, false]);
      return [status, text.length - Number(sent.get('content-length') ?? text.length)];
    };
    expect([await shown('/own?200'), await shown('/own?204'), await shown('/own?304')]).toEqual([
      [200, 0],
      [204, 0],
      [304, 0],
    ]);
    for (let count = 0; count < 2; count += 1) expect(await shown(rest)).toEqual([200, 0]);
  });

  test('has no length without a body but for HEAD, and may close the connection', async () => {
    const headers = { 'content-length': '5', connection: 'close', 'keep-alive': 'timeout=9' };
    const answer = () => ({ status: 200, headers, body: undefined });
    const { listener } = await open({
      ...{ name: 'own', routes: () => [{ path: '/own', access: 'public', answer }] },
    });
    for (const options of [{}, { ServerResponse: PreparedResponse }]) {
      const server = createServer(options, listener);
      try {
        const port = await listen(server);
        const sent = async (method: string) =>
          (await sendRaw(port, `${method} /own HTTP/1.1\r\nHost: a\r\n\r\n`)).match(
            /(?<=^(?:content-length|connection|keep-alive): ).*(?=\r$)/gim,
          );
        expect((await sent('HEAD'))?.toSorted()).toEqual(['5', 'close']);
        expect((await sent('GET'))?.toSorted()).toEqual(['close']);
      } finally {
        server.close();
      }
    }
  });

  test.each([{ status: 600 }, { headers: { 'a b': 'x' } }, { logFields: null }])(
    'that cannot be sent, with %j, leaves no stream open, nor an error of one that fails',
    async (wrong) => {
      const bodies: Readable[] = [];
      const plain = { status: 200, headers: {}, body: 'own' };
      const broken = () => {
        const body = createReadStream(join(import.meta.dirname, 'no such file'));
        bodies.push(body);
        return { ...plain, body, ...wrong } as unknown as Reply;
      };
      await open({
        name: 'broken',
        routes: () => [{ path: '/own', access: 'public', answer: broken }],
        onReply: ({ path }, reply) => (path === '/own' || 'logFields' in wrong ? reply : broken()),
      });
      for (const path of ['/own', rest]) await get(path);
      expect(bodies.map(({ destroyed }) => destroyed)).toEqual(bodies.map(() => true));
      expect(bodies.length).toBeGreaterThan(0);
    },
  );

  test('may have another body, whose length is set, and may be an error', async () => {
    await open({ name: 'body', onReply: (_exchange, reply) => ({ ...reply, body: 'ä' }) });
    const response = await get(rest);
    expect([await response.text(), response.headers.get('content-length')]).toEqual(['ä', '2']);
    await gateway?.close();
    const refuse = () => {
      throw new GatewayError('FORBIDDEN', 'No');
    };
    await open({ name: 'refusing', onReply: refuse });
    expect((await get(rest)).status).toBe(403);
  });
});

describe('a plug-in', () => {
  test('may translate a request to another one, of the same caller', async () => {
    const seen: unknown[] = [];
    await open({
      name: 'short',
      translate: (head) =>
        head.url?.endsWith('/short') ? { ...head, url: head.url.replace('/short', rest) } : head,
      onRequest: ({ head }) => void seen.push(head.address, head.signal.aborted),
    });
    const headers = { 'x-api-key': apiKey };
    const short = new Request('http://gateway.test/short', { headers });
    const response = await gateway?.fetch(short, { address: '192.0.2.7' });
    expect([await response?.json(), seen]).toEqual([{ result: [{ n: 1 }] }, ['192.0.2.7', false]]);
    const server = createServer(gateway?.listener);
    try {
      const port = await listen(server);
      expect((await fetch(`http://127.0.0.1:${port}/short`, { headers })).status).toBe(200);
      expect(seen.slice(2)).toEqual([expect.stringContaining('127.0.0.1'), false]);
    } finally {
      server.close();
    }
  });

  test('may have routes in the place of those of the gateway, with headers in any case', async () => {
    const routes: GatewayPlugin['routes'] = () =>
      ['/healthz', '/graphql'].map((path) => ({
        path,
        access: 'public',
        answer: () => ({ status: 200, headers: { 'X-Frame-Options': 'SAMEORIGIN' }, body: 'mine' }),
      }));
    await open({ name: 'a', routes });
    for (const path of ['/healthz', graphql]) {
      const response = await get(path);
      expect([await response.text(), response.headers.get('x-frame-options')]).toEqual([
        'mine',
        'SAMEORIGIN',
      ]);
    }
    expect((await get(rest)).status).toBe(200);
  });
});

describe('a start that fails', () => {
  const routes: GatewayPlugin['routes'] = () => [
    { path: '/x', access: 'public', answer: () => ({ status: 204, headers: {}, body: undefined }) },
  ];

  /** Opens a gateway that cannot start. @returns what was closed, in this order */
  async function closedOf(
    plugins: readonly GatewayPlugin[],
    options: Partial<GatewayOptions> = {},
  ): Promise<readonly string[]> {
    const closed: string[] = [];
    const noting = (name: string) => ({ close: async () => void closed.push(name) });
    const engine = { source: 'test', run: async () => ({ rows: [], truncated: false }), ...noting('engine') };
    const opening = createGateway({
      queries: folder.folder,
      engine: openedEngine(engine),
      keys: { open: () => ({ find: () => undefined, ...noting('keys') }) },
      plugins: plugins.map((plugin) => ({ ...noting(plugin.name), ...plugin })),
      ...options,
    });
    await expect(opening).rejects.toThrow(StartError);
    return closed;
  }

  test('by two plug-ins with one name closes the engine and the keys', async () => {
    expect(await closedOf([{ name: 'a' }, { name: 'a' }])).toEqual(['engine', 'keys']);
  });

  test('by a plug-in that another open gateway uses leaves it to that one', async () => {
    const [ofLive, shared] = [live(), { name: 'shared' }];
    await open(ofLive, shared);
    const first = gateway as Gateway;
    const message = 'plugins[1] (live): is used by another gateway; make one for each';
    await expect(open(shared, ofLive)).rejects.toMatchObject({ problems: [{ message }] });
    expect((await (await get('/api/live')).json()).error.code).toBe('METHOD_NOT_ALLOWED');
    await expect(open(ofLive)).rejects.toThrow(StartError);
    await first.close();
    await open(ofLive, shared);
  });

  test('by two plug-ins with one route closes all that was opened, also if closing fails', async () => {
    const a: GatewayPlugin = { name: 'a', routes };
    expect(await closedOf([a, { ...a, name: 'b' }])).toEqual(['b', 'a', 'engine', 'keys']);
    const close = () => Promise.reject(new Error('a defect'));
    expect(await closedOf([a, { ...a, name: 'b', close }])).toEqual(['a', 'engine', 'keys']);
  });

  test.skipIf(!hasRedis)('closes its connections to Redis', async () => {
    const server = await redisServer();
    await server.start();
    try {
      const shared = redis({
        url: server.url,
        secret: 'a secret of thirty-two characters'.replaceAll(' ', '-'),
      });
      await closedOf(
        [
          { name: 'a', routes },
          { name: 'b', routes },
        ],
        { cache: { shared } },
      );
      const others = () =>
        server.run(async (client) => (await client.sendCommand(['CLIENT', 'LIST'])) as string);
      await eventually(async () => expect((await others()).trim().split('\n')).toHaveLength(1));
    } finally {
      await server.close();
    }
  });
});
