import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../../../src/keys/key-text.ts';
import { eventually } from '../../support/eventually.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const path = '/api/endpoints/query';
const stats = `${path}/functions.invocation-stats?project=p`;

describe('keys in REST and GraphQL', () => {
  const clock = fakeClock();
  const engine = fakeEngine({ clock, queryMs: 500, rows: () => [] });
  let app: TestApp;
  let file: KeyFile;
  beforeAll(async () => {
    file = writeKeyFile({
      plain: {},
      fresh: { permissions: ['fresh'] },
      catalog: { permissions: ['catalog'] },
      byName: { endpoints: ['logs.all'] },
      byId: { endpoints: ['C41E8B72-93da-4D05-b6f1-5a2e7f80c9d4'] },
      bound: { tenants: ['p'] },
      expired: { expires: '2026-03-10T11:59:59Z' },
      revoked: { revoked: '2026-03-10T11:00:00Z' },
      rated: { rate: { requests_per_minute: 3 } },
      ratedGraphql: { rate: { requests_per_minute: 2 } },
      narrow: { rate: { concurrent_queries: 2 } },
    });
    app = await openTestApp(
      {},
      { API_KEYS_FILE: file.path, CORS_ORIGINS: 'https://dash.example.com' },
      { engine, clock: clock.now },
    );
  });
  afterAll(async () => {
    await app.close();
    file.remove();
  });

  const get = (url: string, headers: Record<string, string>) => app.fetch(url, { headers });
  const keyed = (name: string) => ({ 'x-api-key': file.keyOf(name) });
  const graphql = (name: string, query: string) =>
    app.fetch('/graphql', {
      method: 'POST',
      headers: { ...keyed(name), 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
  /** Lets the fake engine finish what the request waits for. */
  const meanwhile = async <T>(pending: Promise<T>): Promise<T> => {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    pending.then(done, done);
    // Turns of the event loop pass before the engine runs.
    while (!isDone) await clock.pass(200);
    return pending;
  };

  test('a 401 says whether a key was sent, and of a wrong one nothing: equal status, headers and body', async () => {
    const [first, second] = [file.keyOf('plain'), file.keyOf('fresh')];
    const mistyped = `${first.slice(0, -1)}${first.endsWith('0') ? '1' : '0'}`;
    const attempts: Record<string, readonly Record<string, string>[]> = {
      'No key was sent; ': [
        {},
        { 'x-api-key': '' },
        { authorization: `Basic ${first}` },
        { 'x-api-key': '', authorization: `Basic ${first}` },
        { 'x-api-key': '', authorization: 'Bearer ' },
      ],
      'Two different keys were sent; ': [
        { 'x-api-key': first, authorization: `Bearer ${second}` },
        { 'x-api-key': 'unknown', authorization: 'Bearer other' },
        { 'x-api-key': `${first}, ${second}` },
        { 'x-api-key': `${first}, ${first}, ${second}`, authorization: `Bearer ${first}` },
        { 'x-api-key': `${first}, ${first}`, authorization: `Bearer ${second}` },
      ],
      'The key that was sent is not valid; ': [
        { 'x-api-key': 'unknown' },
        { 'x-api-key': makeKey().text },
        { 'x-api-key': mistyped },
        { 'x-api-key': file.keyOf('expired') },
        { authorization: `Bearer ${file.keyOf('revoked')}` },
        { 'x-api-key': makeKey().text.replace(/^qg_[^_]+/, `qg_${file.idOf('plain')}`) },
        { 'x-api-key': 'unknown, unknown' },
        { 'x-api-key': `${first},${first}` },
      ],
    };
    for (const url of [stats, `${path}/nope`, '/graphql?query={__typename}']) {
      for (const [sent, headersOfAttempts] of Object.entries(attempts)) {
        const responses = await Promise.all(
          headersOfAttempts.map(async (headers) => {
            const response = await get(url, { ...headers, 'x-request-id': 'the-same' });
            return [response.status, [...response.headers], await response.text()];
          }),
        );
        expect(responses[0]?.[0]).toBe(401);
        expect(responses[0]?.[2]).toContain('UNAUTHENTICATED');
        expect(responses[0]?.[2]).toContain(sent);
        for (const one of responses) expect(one).toEqual(responses[0]);
      }
    }
  });

  test('the same key twice, or beside an empty one, is one key', async () => {
    const key = file.keyOf('plain');
    const bearer = { authorization: `Bearer ${key}` };
    for (const headers of [
      { 'x-api-key': '', ...bearer },
      { 'x-api-key': key, authorization: 'Bearer ' },
      { 'x-api-key': key, authorization: '' },
      { 'x-api-key': `${key}, ${key}` },
      { 'x-api-key': `, ${key}`, ...bearer },
    ])
      expect((await meanwhile(get(stats, headers))).status, JSON.stringify(headers)).toBe(200);
  });

  test('the same key in both headers is one key; Basic credentials are ignored', async () => {
    const key = file.keyOf('plain');
    for (const authorization of [`Bearer ${key}`, 'Basic dXNlcjpwYXNz']) {
      const pending = get(stats, { 'x-api-key': key, authorization });
      expect((await meanwhile(pending)).status).toBe(200);
    }
  });

  test.each([
    ['api_key', 'anything'],
    ['apikey', ''],
    ['API-KEY', 'x'],
    ['X-Api-Key', 'x'],
    ['access_token', 'x'],
    ['Authorization', 'x'],
    ['key', apiKey],
    ['ref', apiKey],
    ['ref', `Bearer ${apiKey}`],
    ['ref', `old,${apiKey};new`],
    [`see ${apiKey}`, ''],
    ['ref', makeKey().text],
    ['ref', `see ${makeKey().text}.`],
    [makeKey().text, ''],
    ['variables', JSON.stringify({ key: makeKey().text })],
  ])(
    'a query string with %s is rejected with 400 on every path, before authentication',
    async (name, value) => {
      const search = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
      const query = encodeURIComponent('{ __typename }');
      const requests: [string, RequestInit][] = [
        [`${stats}&${search}`, {}],
        [`${stats}&${search}`, { method: 'HEAD' }],
        [`${stats}&${search}`, { method: 'OPTIONS' }],
        [`${path}/nope?${search}`, {}],
        [`/healthz?${search}`, {}],
        [`/readyz?${search}`, { method: 'POST' }],
        [`/?${search}`, {}],
        [`/graphql?${search}`, { method: 'OPTIONS' }],
        [`/graphql?${search}`, { method: 'PUT' }],
        [`/graphql?query=${query}&${search}`, {}],
        [`/graphql?${search}`, { method: 'POST', body: JSON.stringify({ query: '{ __typename }' }) }],
        [`/graphql?${search}`, { headers: { accept: 'text/html' } }],
      ];
      const runs = engine.runs;
      for (const [url, init] of requests) {
        for (const headers of [keyed('plain'), {}]) {
          const response = await app.fetch(url, {
            ...init,
            headers: { 'content-type': 'application/json', ...headers, ...init.headers },
          });
          expect(response.status, url).toBe(400);
          const text = await response.text();
          if (init.method !== 'HEAD') expect(text).toContain('"BAD_REQUEST"');
          for (const secret of [apiKey, 'qg_']) expect(text).not.toContain(secret);
        }
      }
      expect(engine.runs).toBe(runs);
    },
  );

  test.each([1, 2, 3, 4])('a key that was percent-encoded %i times in a URL is recognized', async (times) => {
    const encode = (text: string) => {
      let encoded = text.replaceAll('_', '%5f').replace(/^q/, '%71').replaceAll('-', '%2d');
      for (let count = 1; count < times; count += 1) encoded = encodeURIComponent(encoded);
      return encoded;
    };
    for (const key of [file.keyOf('plain'), apiKey, `Bearer%20${apiKey}`]) {
      const urls = [`${stats}&ref=${encode(key)}`, `${stats}&${encode(key)}=1`, `/graphql?${encode(key)}`];
      for (const url of urls) expect((await get(url, keyed('plain'))).status, url).toBe(400);
    }
    // What is no key stays a value, ill-formed or not.
    for (const value of ['100%25', '%2525', '%25zz', '%25E0%25A4', '%2571g_not_a_key']) {
      expect((await meanwhile(get(`${stats}&ref=${value}`, keyed('plain')))).status, value).toBe(200);
    }
  });

  test('a key may query the endpoints that it lists, by name or UUID, in REST and GraphQL', async () => {
    const usage = `${path}/usage.api-counts?project=p&interval=daily`;
    const byUuid = `${path}/c41e8b72-93da-4d05-b6f1-5a2e7f80c9d4?project=p&interval=daily`;
    expect((await meanwhile(get(usage, keyed('byId')))).status).toBe(200);
    expect((await get(byUuid, keyed('byId'))).status).toBe(200);
    for (const url of [usage, byUuid, stats, `${path}/usage.api-counts`]) {
      const refused = await get(url, keyed('byName'));
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ error: { code: 'FORBIDDEN' } });
    }
    expect((await get(`${path}/nope`, keyed('byName'))).status).toBe(404);
    const pending = graphql(
      'byName',
      `{
      logsAll(project: "p") { rowCount }
      usageApiCounts(project: "p", interval: DAILY) { rowCount }
      endpoints { name }
      its: endpoint(name: "logs.all") { name }
      other: endpoint(name: "usage.api-counts") { name }
      otherById: endpoint(id: "c41e8b72-93da-4d05-b6f1-5a2e7f80c9d4") { name }
    }`,
    );
    expect(await (await meanwhile(pending)).json()).toMatchObject({
      data: {
        logsAll: { rowCount: 0 },
        usageApiCounts: null,
        endpoints: [{ name: 'logs.all' }],
        its: { name: 'logs.all' },
        other: null,
        otherById: null,
      },
      errors: [{ path: ['usageApiCounts'], extensions: { code: 'FORBIDDEN' } }],
    });
  });

  test('only the permission catalog gives SQL; without it the other fields are still returned', async () => {
    const query = '{ endpoint(name: "logs.all") { name query } }';
    const refused = (await (await graphql('plain', query)).json()) as object;
    expect(refused).toMatchObject({
      data: { endpoint: { name: 'logs.all', query: null } },
      errors: [{ path: ['endpoint', 'query'], extensions: { code: 'FORBIDDEN' } }],
    });
    expect(JSON.stringify(refused)).not.toMatch(/select/i);
    const allowed = (await (await graphql('catalog', query)).json()) as object;
    expect(allowed).toMatchObject({ data: { endpoint: { query: expect.stringMatching(/select/) } } });
  });

  test('no-cache runs the query again with the permission fresh, and is ignored without', async () => {
    const noCache = { 'cache-control': 'no-cache' };
    await meanwhile(get(stats, keyed('plain')));
    const runs = engine.runs;
    expect((await get(stats, { ...keyed('plain'), ...noCache })).headers.get('cache-status')).toContain(
      'hit',
    );
    const query = '/graphql?query={functionsInvocationStats(project:"p"){cacheStatus}}';
    const response = await get(query, { ...keyed('plain'), ...noCache });
    expect(await response.json()).toEqual({ data: { functionsInvocationStats: { cacheStatus: 'HIT' } } });
    expect(engine.runs).toBe(runs);
    const fresh = await meanwhile(get(stats, { ...keyed('fresh'), ...noCache }));
    expect(fresh.headers.get('cache-status')).toContain('fwd=request');
    expect(engine.runs).toBe(runs + 1);
  });

  test('REST: every response to a key with a rate has its state, and 429 says when to try again', async () => {
    await meanwhile(get(stats, keyed('plain')));
    const rateLimitOf = ({ headers, status }: Response) => [
      status,
      headers.get('ratelimit-policy'),
      headers.get('ratelimit'),
      headers.get('retry-after'),
    ];
    const policy = '"default";q=3;w=60';
    expect(rateLimitOf(await get(stats, keyed('rated')))).toEqual([200, policy, '"default";r=2;t=20', null]);
    expect(rateLimitOf(await get(`${path}/nope`, keyed('rated')))).toEqual([
      404,
      policy,
      '"default";r=1;t=40',
      null,
    ]);
    const known = { ...keyed('rated'), 'if-none-match': '*' };
    expect(rateLimitOf(await get(stats, known))).toEqual([304, policy, '"default";r=0;t=60', null]);
    const over = await get(stats, { ...keyed('rated'), origin: 'https://dash.example.com' });
    expect(rateLimitOf(over)).toEqual([429, policy, '"default";r=0;t=60', '20']);
    expect(over.headers.get('access-control-expose-headers')).toBe('*');
    expect(await over.json()).toMatchObject({ error: { code: 'RATE_LIMITED' } });
    expect(rateLimitOf(await get(stats, keyed('plain')))).toEqual([200, null, null, null]);
    await clock.pass(20_000);
    expect((await get(stats, keyed('rated'))).status).toBe(200);
  });

  test('GraphQL: a document is one request', async () => {
    const query = `{ a: endpoints { name } b: endpoints { name } }`;
    const first = await graphql('ratedGraphql', query);
    expect([first.status, first.headers.get('ratelimit')]).toEqual([200, '"default";r=1;t=30']);
    await graphql('ratedGraphql', query);
    const over = await graphql('ratedGraphql', query);
    expect([over.status, over.headers.get('ratelimit'), over.headers.get('retry-after')]).toEqual([
      429,
      '"default";r=0;t=60',
      '30',
    ]);
    expect(await over.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] });
  });

  test('concurrent queries are counted over REST and GraphQL; the fields of one document wait for each other', async () => {
    const field = (project: string) => `${project}: logsAll(project: "${project}") { rowCount }`;
    engine.most = 0;
    const dashboard = graphql('narrow', `{ ${['a', 'b', 'c', 'd', 'e'].map(field).join(' ')} }`);
    // All but the first one wait a moment for other tenants.
    const untilRunning = (count: number) =>
      eventually(async () => {
        await clock.pass(20);
        expect(engine.running).toBe(count);
      });
    await untilRunning(2);
    const rest = await get(`${path}/logs.all?project=f`, keyed('narrow'));
    expect([rest.status, rest.headers.get('retry-after')]).toEqual([429, '1']);
    const document = await graphql('narrow', `{ ${field('g')} ${field('i')} }`);
    expect([document.status, document.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await document.json()).toMatchObject({
      data: { g: null, i: null },
      errors: [{ extensions: { code: 'RATE_LIMITED' } }, { extensions: { code: 'RATE_LIMITED' } }],
    });
    const byGet = await get(`/graphql?query=${encodeURIComponent(`{ ${field('g')} }`)}`, keyed('narrow'));
    expect([byGet.status, byGet.headers.get('cache-control')]).toEqual([429, 'no-store']);
    // There is data: another field, or a field that is null for another reason.
    for (const other of [
      'endpoints { name }',
      'endpoint(name: "nope") { name }',
      'logsAll(project: "") { rowCount }',
    ]) {
      const partial = await graphql('narrow', `{ ${field('g')} other: ${other} }`);
      expect([partial.status, partial.headers.get('retry-after')], other).toEqual([200, '1']);
    }
    const other = get(`${path}/logs.all?project=h`, keyed('plain'));
    await untilRunning(3);
    await clock.pass(1_000);
    expect((await meanwhile(other)).status).toBe(200);
    expect(await (await meanwhile(dashboard)).json()).toEqual({
      data: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((project) => [project, { rowCount: 0 }])),
    });
    expect(engine.most).toBe(3);
    expect((await meanwhile(get(`${path}/logs.all?project=f`, keyed('narrow')))).status).toBe(200);
  });
});

describe('the log', () => {
  test('shows the id of a request’s key, but no key that was pasted into a path', async () => {
    const file = writeKeyFile({ one: {} });
    const key = file.keyOf('one');
    let written = '';
    const sink = new Writable({
      write(chunk, _, done) {
        written += chunk;
        done();
      },
    });
    const app = await openTestApp({}, { API_KEYS_FILE: file.path }, { log: pino(sink) });
    const paths = [
      `${path}/logs.all&api_key=${key}`,
      `${path}/${key}`,
      `/${key.replaceAll('_', '%5F')}`,
      `/%FF${key}`,
      `${path}/${apiKey}`,
      `${path}/${encodeURIComponent(`x ${apiKey}`)}`,
      `/graphql/${key}`,
    ];
    for (const one of paths) {
      const response = await app.fetch(one, { headers: { 'x-api-key': key } });
      expect(await response.text()).not.toMatch(/qg_/);
    }
    await app.fetch(`${path}/logs.all?project=p`, { headers: { 'x-api-key': key } });
    await app.fetch('/graphql?query={__typename}');
    await app.close();
    file.remove();
    expect(written).not.toContain(key);
    expect(written).not.toContain(key.replaceAll('_', '%5F'));
    expect(written).not.toContain(apiKey);
    const lines = written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'request');
    expect(lines.at(-2)).toMatchObject({ path: `${path}/logs.all`, status: 200, key: file.idOf('one') });
    expect(lines.at(-1)).toMatchObject({ path: '/graphql', status: 200, key: 'API_KEY' });
    expect(lines[0].path).toBe('unknown');
    expect(lines.filter(({ missing }) => missing !== undefined)).toEqual([]);
  });

  test('shows which endpoint a caller with a valid key missed, if its name cannot be a key', async () => {
    const lines: string[] = [];
    const app = await openTestApp(
      {},
      {},
      { log: pino({}, { write: (line: string) => void lines.push(line) }) },
    );
    const headers = { 'x-api-key': apiKey };
    for (const name of ['functions.req-stats', 'x'.repeat(65), 'hunter2', 'Secret', 'a%22b', apiKey])
      await app.fetch(`${path}/${name}?secret=x`, { headers });
    for (const other of [{}, { 'x-api-key': 'wrong' }])
      await app.fetch(`${path}/functions.no-stats`, { headers: other });
    await app.fetch(`${path}/logs.all?project=p`, { headers });
    await app.close();
    const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    expect(requests).toHaveLength(9);
    expect(requests.map(({ missing }) => missing).filter(Boolean)).toEqual(['functions.req-stats']);
    expect(requests[0]).toMatchObject({ path: 'unknown', status: 404 });
  });
});
