import { getIntrospectionQuery } from 'graphql';
import { auditServer } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { securityHeaders } from '../../../src/http/finish/response-headers.ts';
import { sendRaw } from '../../support/raw-request.ts';
import { type ServedApp, serveTestApp } from '../../support/served-app.ts';
import { apiKey } from '../../support/test-app.ts';

describe('the GraphQL server', () => {
  let served: ServedApp;
  beforeAll(async () => {
    served = await serveTestApp();
  });
  afterAll(() => served.close());

  const url = () => `http://127.0.0.1:${served.port}/graphql`;
  const post = async (query: string, headers: Record<string, string> = {}) =>
    fetch(url(), {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    });
  const messages = async (query: string) =>
    ((await (await post(query)).json()) as { errors: { message: string }[] }).errors.map(
      ({ message }) => message,
    );

  test('passes every audit of graphql-http', async () => {
    const results = await auditServer({
      url: url(),
      fetchFn: (target: string, init: RequestInit = {}) =>
        fetch(target, {
          ...init,
          headers: { ...(init.headers as Record<string, string>), 'x-api-key': apiKey },
        }),
    });
    const failed = results.filter(({ status }) => status !== 'ok');
    expect(failed.map(({ name, status }) => `${status}: ${name}`)).toEqual([]);
    expect(results).toHaveLength(61);
  });

  test('supports the full introspection query of tools', async () => {
    const response = await post(
      getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true }),
    );
    expect(await response.json()).toMatchObject({ data: { __schema: { queryType: { name: 'Query' } } } });
  });

  test('answers a dashboard of twenty fields with all their columns', async () => {
    const one = (at: number) =>
      `f${at}: functionsInvocationStats(project: "p${at}", interval: ONE_HOUR) { computedAt stale rows { timestamp count errorCount avgExecutionTime p95ExecutionTime } }`;
    const response = await post(`{ ${Array.from({ length: 20 }, (_, at) => one(at)).join('\n')} }`);
    const { data } = (await response.json()) as { data: object };
    expect(Object.keys(data)).toHaveLength(20);
  });

  test('error messages name the limit and the size', async () => {
    expect(await messages(`{ ${'__typename '.repeat(21)} }`)).toEqual([
      'The operation has 21 root fields; at most 20 are allowed: send the others in another request',
    ]);
    const twice = (at: number) => `fragment F${at} on Query { __typename ...F${at + 1} ...F${at + 1} }`;
    const bomb = `{ ...F0 } ${Array.from({ length: 60 }, (_, at) => twice(at)).join(' ')} fragment F60 on Query { __typename }`;
    expect(await messages(bomb)).toEqual([
      'The operation has more than 200 root fields; at most 20 are allowed: send the others in another request',
    ]);
    expect(await messages(`{ ${'a '.repeat(2_001)} }`)).toEqual([
      'The document has more than 2000 tokens; split it into several requests',
    ]);
  });

  test.each([
    ['{ logsAl { rowCount } }', 'Cannot query field "logsAl" on type "Query"; did you mean logsAll?'],
    [
      '{ logsAll(projec: "p") { rowCount } }',
      'Unknown argument "projec" on field "Query.logsAll"; did you mean project?',
    ],
    [
      '{ logsAll(project: "p") { rows(first: 10) { id } } }',
      'Unknown argument "first" on field "LogsAllResult.rows"; logsAllConnection has pages',
    ],
    [
      '{ logsAll(project: "p", after: "x") { rowCount } }',
      'Unknown argument "after" on field "Query.logsAll"; logsAllConnection has pages',
    ],
    [
      '{ usageApiCounts(project: "p", interval: DAYLY) { rowCount } }',
      'Value "DAYLY" does not exist in "UsageInterval" enum; one of MINUTELY, HOURLY, DAILY; did you mean DAILY?',
    ],
    [
      '{ usageApiCounts(project: "p", interval: "hourly") { rowCount } }',
      'Enum "UsageInterval" cannot represent non-enum value: "hourly"; did you mean HOURLY, without quotes?',
    ],
    [
      '{ functionsInvocationStats(project: "p", interval: "1hr") { rowCount } }',
      'Enum "InvocationInterval" cannot represent non-enum value: "1hr"; did you mean ONE_HOUR, without quotes?',
    ],
    [
      '{ functionsInvocationStats(project: "p", interval: "ONE_HOUR") { rowCount } }',
      'Enum "InvocationInterval" cannot represent non-enum value: "ONE_HOUR"; did you mean ONE_HOUR, without quotes?',
    ],
    [
      '{ usageApiCounts(project: "p", interval: YEARS) { rowCount } }',
      'Value "YEARS" does not exist in "UsageInterval" enum; one of MINUTELY, HOURLY, DAILY',
    ],
    [
      '{ usageApiCounts(project: "p", interval: "every 2 min") { rowCount } }',
      'Enum "UsageInterval" cannot represent non-enum value: "every 2 min"; one of MINUTELY, HOURLY, DAILY',
    ],
    [
      '{ usageApiCounts(project: "p", interval: 60) { rowCount } }',
      'Enum "UsageInterval" cannot represent non-enum value: 60; one of MINUTELY, HOURLY, DAILY',
    ],
    [
      '{ functionsInvocationStats(project: "p") { timestamp } }',
      'Cannot query field "timestamp" on type "FunctionsInvocationStatsResult"; it is a field of rows: rows { timestamp }',
    ],
    [
      '{ functionsInvocationStats(project: "p") { error_count } }',
      'Cannot query field "error_count" on type "FunctionsInvocationStatsResult"; it is a field of rows: rows { errorCount }',
    ],
    ['{ ...A } fragment A on Quer { __typename }', 'Unknown type "Quer"; did you mean Query?'],
    ['{ logsAll(project: "p") { nothing } }', 'Cannot query field "nothing" on type "LogsAllResult".'],
    ['{ nothingLikeIt }', 'Cannot query field "nothingLikeIt" on type "Query".'],
  ])('%s is reported with the name that is probably meant', async (query, message) => {
    expect(await messages(query)).toContain(message);
  });

  test.each([
    [
      'hourli',
      '"hourli" does not exist in "UsageInterval" enum; one of MINUTELY, HOURLY, DAILY; did you mean HOURLY?',
    ],
    ['hourly', '"hourly" does not exist in "UsageInterval" enum; did you mean HOURLY?'],
    ['say "years"', '" does not exist in "UsageInterval" enum; one of MINUTELY, HOURLY, DAILY'],
    ['x'.repeat(100), '" enum; one of MINUTELY, HOURLY, DAILY'],
    [7, 'Enum "UsageInterval" cannot represent non-string value: 7; one of MINUTELY, HOURLY, DAILY'],
  ])('a variable is reported with the value that is probably meant, or all: %j', async (i, expected) => {
    const query = 'query ($i: UsageInterval!) { usageApiCounts(project: "p", interval: $i) { rowCount } }';
    const response = await fetch(url(), {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { i } }),
    });
    const { errors } = (await response.json()) as { errors: readonly { message: string }[] };
    expect(errors[0]?.message).toContain(expected);
    expect(errors[0]?.message).toMatch(/\?$|DAILY$/);
  });

  test('accepts Content-Encoding: identity, and rejects others with what would be valid', async () => {
    expect((await post('{ __typename }', { 'content-encoding': 'identity' })).status).toBe(200);
    const coded = await post('{ __typename }', { 'content-encoding': 'gzip' });
    expect(await coded.json()).toMatchObject({
      errors: [{ message: 'Send the body without a Content-Encoding' }],
    });
  });

  test('shortens long values in error messages', async () => {
    for (const message of await messages(`{ endpoint(name: ${'9'.repeat(10_000)}) { id } }`)) {
      expect(message.length).toBeLessThan(400);
    }
  });

  test('reports at most ten errors of a document', async () => {
    expect((await messages(`{ ${'x y z '.repeat(6)} }`)).length).toBeLessThanOrEqual(11);
  });

  test('results are private, and every response has the security headers', async () => {
    const rest = `http://127.0.0.1:${served.port}/api/endpoints/query/logs.all?project=p`;
    const headers = { 'x-api-key': apiKey };
    const responses = {
      rest: await fetch(rest, { headers }),
      get: await fetch(`${url()}?query={logsAll(project:"p"){rowCount}}`, { headers }),
      post: await post('{ logsAll(project: "p") { rowCount } }'),
    };
    for (const [name, response] of Object.entries(responses)) {
      expect(response.status, name).toBe(200);
      expect(response.headers.get('cache-control'), name).toMatch(/^private, /);
      expect(response.headers.get('vary'), name).toContain('X-API-KEY');
    }
    const others = [
      fetch(rest),
      fetch(url(), { method: 'OPTIONS' }),
      fetch(`${url()}/x`),
      fetch(url().replace('graphql', 'readyz')),
    ];
    for (const response of [...Object.values(responses), ...(await Promise.all(others))]) {
      expect(Object.fromEntries(response.headers)).toMatchObject(securityHeaders);
      expect(response.headers.get('x-powered-by')).toBeNull();
    }
  });

  test('answers programs that also accept text/html with data', async () => {
    const headers = { 'x-api-key': apiKey, accept: 'text/html, image/gif, */*; q=.2' };
    const response = await fetch(`${url()}?query={__typename}`, { headers });
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  });

  test('serves browsers a page that only this site can use', async () => {
    const response = await fetch(url(), { headers: { accept: 'text/html', origin: 'https://evil.example' } });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/default-src 'none';.*frame-ancestors 'none'/);
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline/);
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect((await fetch(url(), { method: 'HEAD', headers: { accept: 'text/html' } })).status).toBe(200);
  });

  const page = async (headers: Record<string, string> = {}, port = served.port) => {
    const sent = Object.entries({ Host: '127.0.0.1:4000', Accept: 'text/html', ...headers });
    const lines = sent.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const text = await sendRaw(port, `GET /graphql HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`);
    expect(text).toContain('<title>GraphiQL – Querygate</title>');
    return text;
  };

  test('fills the key generated at start into the page only for a browser on this machine', async () => {
    expect(await page()).toContain(apiKey);
    for (const headers of [
      { Host: 'gateway.example' },
      { Forwarded: 'for=192.0.2.1' },
      { Via: '1.1 proxy' },
      { 'X-Forwarded-For': '' },
      { 'X-Forwarded-Proto': 'https' },
      { 'X-Real-IP': '192.0.2.1' },
    ]) {
      expect(await page(headers), JSON.stringify(headers)).not.toContain(apiKey);
    }
  });

  test('shows the catalog only to a browser on this machine; others get a page without it, compressed', async () => {
    const examples = 'query LogsAll';
    expect(await page()).toContain(examples);
    for (const headers of [{ Host: 'gateway.example' }, { 'X-Forwarded-For': '192.0.2.1' }]) {
      const text = await page(headers);
      for (const word of [examples, 'logsAll', 'usageApiCounts', apiKey]) expect(text).not.toContain(word);
    }
    const remote = (headers: Record<string, string> = {}) =>
      fetch(url(), { headers: { accept: 'text/html', 'x-forwarded-for': '192.0.2.1', ...headers } });
    const first = await remote({ 'accept-encoding': 'gzip, br' });
    expect(first.headers.get('content-encoding')).toBe('br');
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    expect(Number(first.headers.get('content-length'))).toBeLessThan(2000);
    expect(await first.text()).toContain('<title>GraphiQL – Querygate</title>');
    const etag = first.headers.get('etag') ?? '';
    const again = await remote({ 'if-none-match': etag });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await remote({ 'accept-encoding': 'gzip;q=0' })).headers.get('content-encoding')).toBeNull();
  });

  test('keeps a page with a key in it out of every cache', async () => {
    expect(await page()).toMatch(/^cache-control: no-store\r$/m);
  });

  test('serves the files of the page to anybody, compressed, to be kept for ever', async () => {
    const paths = [...(await page()).matchAll(/(?:href|import) ?[='"]*\.(?<path>\/assets\/[^'"]*)/g)];
    expect(paths.length).toBeGreaterThan(5);
    for (const { groups } of paths) {
      const file = new URL(groups?.path ?? '', url());
      const response = await fetch(file, { headers: { 'accept-encoding': 'br' } });
      expect([file.pathname, response.status]).toEqual([file.pathname, 200]);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-encoding': 'br',
        'content-type': expect.stringMatching(/^text\/(javascript|css); charset=utf-8$/),
        'x-content-type-options': 'nosniff',
      });
      const etag = response.headers.get('etag') ?? '';
      const [again, head] = await Promise.all([
        fetch(file, { headers: { 'if-none-match': etag } }),
        fetch(file, { method: 'HEAD', headers: { 'accept-encoding': 'br' } }),
      ]);
      expect([again.status, await again.text(), head.status, await head.text()]).toEqual([304, '', 200, '']);
      expect(head.headers.get('content-length')).toBe(response.headers.get('content-length'));
    }
  });

  test('never fills in a configured key: a proxy without headers of its own looks like a local browser', async () => {
    const configured = await serveTestApp({ API_KEY: apiKey });
    expect(await page({}, configured.port)).not.toContain(apiKey);
    await configured.close();
  });
});

describe('in production', () => {
  let served: ServedApp;
  beforeAll(async () => {
    served = await serveTestApp({ NODE_ENV: 'production' });
  });
  afterAll(() => served.close());

  const send = async (query: string) => {
    const response = await fetch(`http://127.0.0.1:${served.port}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return response.json();
  };

  test('introspection is off, __typename and the catalog are not', async () => {
    for (const query of ['{ __schema { __typename } }', '{ __type(name: "Query") { __typename } }']) {
      expect(await send(query)).toMatchObject({
        errors: [{ message: expect.stringContaining('introspection') }],
      });
    }
    expect(await send('{ __typename endpoints { name } }')).toMatchObject({ data: { __typename: 'Query' } });
  });

  test('without introspection no name is proposed', async () => {
    expect(await send('{ logsAl { rowCount } }')).toMatchObject({
      errors: [{ message: 'Cannot query field "logsAl" on type "Query".' }],
    });
  });

  test('GraphiQL is off, and the error says so', async () => {
    const response = await fetch(`http://127.0.0.1:${served.port}/graphql`, {
      headers: { accept: 'text/html' },
    });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      errors: [
        { message: expect.stringContaining('no page for browsers'), extensions: { code: 'NOT_FOUND' } },
      ],
    });
    const file = await fetch(`http://127.0.0.1:${served.port}/assets/graphiql/0123456789abcdef/graphiql.js`);
    expect(file.status).toBe(404);
  });

  test('both can be switched on', () => {
    expect(readConfig({ NODE_ENV: 'production' })).toMatchObject({ pages: false, introspection: false });
    const env = { NODE_ENV: 'production', PAGES: 'on', GRAPHQL_INTROSPECTION: 'on' };
    expect(readConfig(env)).toMatchObject({ pages: true, introspection: true });
    expect(readConfig({ PAGES: 'off' })).toMatchObject({ pages: false, introspection: true });
  });
});
