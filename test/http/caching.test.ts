import { createServer } from 'node:http';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { type FakeClock, fakeClock } from '../support/fake-clock.ts';
import { type FakeEngine, fakeEngine } from '../support/fake-engine.ts';
import { listen } from '../support/listen.ts';
import { apiKey, openTestApp, type TestApp } from '../support/test-app.ts';

const stats = '/api/endpoints/query/functions.invocation-stats';
const statsById = (id: string) => `/api/endpoints/query/${id}`;

describe('what responses say about the cache', () => {
  let clock: FakeClock;
  let engine: FakeEngine;
  let app: TestApp;
  const row = (count: number) => `{"timestamp":1773144000000000,"count":${count},"error_count":0}`;
  beforeEach(async () => {
    clock = fakeClock();
    engine = fakeEngine({
      clock: {
        ...clock,
        after: (_ms, run) => {
          const soon = setImmediate(run);
          return () => clearImmediate(soon);
        },
      },
      rows: (_, run) => Array.from({ length: 100 }, () => row(run)),
    });
    app = await openTestApp({}, {}, { engine, clock: clock.now });
  });
  afterEach(() => app.close());

  const get = (path: string, headers: Record<string, string> = {}) =>
    app.fetch(path, { headers: { 'x-api-key': apiKey, ...headers } });
  const headersOf = ({ headers }: Response) =>
    Object.fromEntries(['age', 'cache-control', 'cache-status'].map((name) => [name, headers.get(name)]));

  test('REST: age, lifetime and origin', async () => {
    const cacheControl = 'private, max-age=300, stale-while-revalidate=600, stale-if-error=1500';
    expect(headersOf(await get(`${stats}?project=p`))).toEqual({
      age: '0',
      'cache-control': cacheControl,
      'cache-status': 'querygate; fwd=miss; stored',
    });
    await clock.pass(100_500);
    expect(headersOf(await get(`${stats}?project=p&interval=1day`))).toEqual({
      age: '100',
      'cache-control': cacheControl,
      'cache-status': 'querygate; hit; ttl=800',
    });
    engine.failing = true;
    await clock.pass(900_000);
    const stale = await get(`${stats}?project=p`);
    expect(stale.status).toBe(200);
    expect(headersOf(stale)).toMatchObject({
      age: '1000',
      'cache-status': 'querygate; hit; ttl=-100; detail=stale-if-error',
    });
  });

  test('REST: uncached results say so, and errors are not cached', async () => {
    expect(headersOf(await get('/api/endpoints/query/logs.all?project=p'))).toMatchObject({
      'cache-control': 'private, no-cache',
      'cache-status': 'querygate; fwd=bypass',
    });
    expect((await get('/api/endpoints/query/nope')).headers.get('cache-control')).toBe('no-store');
  });

  test('REST: 304 without a body if the caller has the rows already, and new rows if not', async () => {
    const first = await get(`${stats}?project=p`);
    const etag = first.headers.get('etag') ?? '';
    for (const known of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
      const again = await get(`${stats}?project=p`, { 'if-none-match': known });
      expect(again.status).toBe(304);
      expect(await again.text()).toBe('');
      expect(again.headers.get('etag')).toBe(etag);
      expect(again.headers.get('cache-control')).toContain('max-age=300');
      expect(again.headers.get('content-type')).toBeNull();
    }
    const other = await get(`${stats}?project=p`, {
      'if-none-match': 'W/"other"',
      'cache-control': 'no-cache',
    });
    expect(other.status).toBe(200);
    expect(other.headers.get('etag')).not.toBe(etag);
  });

  test('no-cache runs the query again, in REST and in GraphQL', async () => {
    await get(`${stats}?project=p`);
    const uncached = await get(`${stats}?project=p`, { 'cache-control': 'no-cache' });
    expect(uncached.headers.get('cache-status')).toBe('querygate; fwd=request; stored');
    const response = await app.fetch('/graphql', {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'cache-control': 'no-cache' },
      body: JSON.stringify({ query: '{ functionsInvocationStats(project: "p") { cacheStatus } }' }),
    });
    expect(await response.json()).toEqual({ data: { functionsInvocationStats: { cacheStatus: 'BYPASS' } } });
    expect(engine.runs).toBe(3);
  });

  test.each([
    ['zstd, gzip', 'zstd'],
    ['gzip, deflate, br', 'gzip'],
    ['x-gzip', 'gzip'],
    ['X-GZIP;q=1, zstd;q=0.5', 'gzip'],
    ['x-gzip;q=0', null],
    ['gzip;q=1.0, zstd;q=0.5', 'gzip'],
    ['zstd;q=0, gzip;q=0', null],
    ['*', 'zstd'],
    ['br', null],
    ['identity', null],
    ['', null],
  ])('Accept-Encoding: %s gets %s', async (accepted, coding) => {
    const response = await get(`${stats}?project=p`, { 'accept-encoding': accepted });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-encoding')).toBe(coding);
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(response.headers.get('vary')).toContain('Accept-Encoding');
    const plain = { zstd: zstdDecompressSync, gzip: gunzipSync, null: (same: Buffer) => same }[
      String(coding)
    ];
    expect(JSON.parse(String(plain?.(bytes))).result).toHaveLength(100);
  });

  test('GraphQL: when it was computed, whether it is stale, how it was obtained', async () => {
    const query = '{ functionsInvocationStats(project: "p") { computedAt stale cacheStatus rowCount } }';
    const computedAt = '2026-03-10T12:00:00.000000Z';
    const metadata = async () => (await app.data(query)).functionsInvocationStats;
    expect(await metadata()).toEqual({ computedAt, stale: false, cacheStatus: 'MISS', rowCount: 100 });
    await clock.pass(1_000);
    expect(await metadata()).toEqual({ computedAt, stale: false, cacheStatus: 'HIT', rowCount: 100 });
    engine.failing = true;
    await clock.pass(900_000);
    expect(await metadata()).toEqual({ computedAt, stale: true, cacheStatus: 'STALE', rowCount: 100 });
  });

  test('GraphQL by GET: the headers cover all results of the request', async () => {
    const field = (project: string) =>
      `${project}: functionsInvocationStats(project: "${project}") { rowCount }`;
    const path = (...fields: string[]) => `/graphql?query=${encodeURIComponent(`{ ${fields.join(' ')} }`)}`;
    await get(path(field('a')));
    await clock.pass(200_000);
    await get(path(field('b')));
    await clock.pass(50_000);
    const both = await get(path(field('a'), field('b')));
    expect(headersOf(both)).toEqual({
      age: '250',
      'cache-control': 'private, max-age=300, stale-while-revalidate=600, stale-if-error=1500',
      'cache-status': 'querygate; hit; ttl=650',
    });
    const etag = both.headers.get('etag') ?? '';
    const again = await get(path(field('a'), field('b')), { 'if-none-match': etag });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');

    const live = await get(path(field('a'), 'logsAll(project: "a") { rowCount }'));
    expect(live.headers.get('cache-control')).toBe('private, no-cache');
    for (const uncacheable of [
      '{ __typename }',
      '{ nope }',
      `{ ${field('a')} c: usageApiCounts(project: "(", interval: DAILY) { rowCount } }`,
    ]) {
      const response = await get(`/graphql?query=${encodeURIComponent(uncacheable)}`);
      expect(response.headers.get('cache-control'), uncacheable).toBe('no-store');
    }
  });

  test('1,000 equal cold requests, in REST by name and UUID and in GraphQL: one run', async () => {
    const { byName } = await app.data('{ byName: endpoint(name: "functions.invocation-stats") { id } }');
    const { id } = byName as { id: string };
    const send = async (at: number): Promise<number> => {
      if (at % 2 === 0) {
        const data = await app.data('{ functionsInvocationStats(project: "cold") { rows { count } } }');
        return (data.functionsInvocationStats as { rows: { count: number }[] }).rows[0]?.count ?? 0;
      }
      const path = at % 4 === 1 ? stats : statsById(id.toUpperCase());
      const { result } = (await (await get(`${path}?project=cold&ref=${at}`)).json()) as {
        result: { count: number }[];
      };
      return result[0]?.count ?? 0;
    };
    const counts = await Promise.all(Array.from({ length: 1_000 }, (_, at) => send(at)));
    expect(new Set(counts)).toEqual(new Set([1]));
    expect(engine.runs).toBe(1);
    expect(app.counters).toMatchObject({ runs: 1, failures: 0, entries: 1 });
    expect(app.counters.hits + app.counters.misses).toBe(1_000);
  });

  test('on a socket an error says when to try again, in REST and in GraphQL', async () => {
    engine.failing = true;
    engine.fault = new GatewayError('ENGINE_BUSY', 'Too many queries', { retryAfterSeconds: 4.2 });
    const server = createServer(app.listener);
    const origin = `http://127.0.0.1:${await listen(server)}`;
    const headers = { 'x-api-key': apiKey };
    const query = encodeURIComponent('{ functionsInvocationStats(project: "p") { rowCount } }');
    try {
      for (const path of [`${stats}?project=p`, `/graphql?query=${query}`]) {
        const response = await fetch(`${origin}${path}`, { headers });
        expect(await response.text()).toContain('ENGINE_BUSY');
        expect([response.headers.get('retry-after'), response.headers.get('cache-control')], path).toEqual([
          '5',
          'no-store',
        ]);
      }
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  test('a socket gives the same as app.fetch', async () => {
    const server = createServer(app.listener);
    const origin = `http://127.0.0.1:${await listen(server)}`;
    try {
      const requests: [string, RequestInit?][] = [
        [`${stats}?project=p`],
        [`${stats}?project=p`, { method: 'HEAD' }],
        [`${stats}?project=p`, { method: 'POST', body: 'x' }],
        [`${stats}?project=p`, { method: 'OPTIONS' }],
        [`${stats}?project=p`, { headers: {} }],
        [`${stats}`],
        ['/api/endpoints/query/nope'],
        ['/nothing'],
        ['/healthz'],
        ['/readyz', { method: 'DELETE' }],
        [`/graphql?query=${encodeURIComponent('{ functionsInvocationStats(project: "p") { rowCount } }')}`],
        ['/graphql', { method: 'OPTIONS' }],
      ];
      await get(`${stats}?project=p`);
      for (const [path, init] of requests) {
        const sent = { 'x-api-key': apiKey, 'accept-encoding': 'identity', 'x-request-id': 'the-same' };
        const options = { ...init, headers: { ...sent, ...init?.headers } };
        const without = await app.fetch(path, options);
        const on = await fetch(`${origin}${path}`, options);
        expect(on.status, path).toBe(without.status);
        expect(await on.text()).toBe(await without.text());
        const {
          date,
          connection,
          'keep-alive': alive,
          'transfer-encoding': chunked,
          ...headers
        } = Object.fromEntries(on.headers);
        const expected = Object.fromEntries(without.headers);
        // Only a socket adds the length of an empty body.
        if (headers['content-length'] === '0') delete headers['content-length'];
        expect(headers, `${init?.method} ${path}`).toEqual(expected);
        expect([date, connection, alive, chunked]).toHaveLength(4);
      }
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
