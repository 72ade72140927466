import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ago, apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const path = '/api/endpoints/query';

describe('REST', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(
      { edge_logs: [{ id: 'one', timestamp: ago({ minutes: 1 }), project: 'p' }] },
      { CORS_ORIGINS: 'https://dash.example.com' },
    );
  });
  afterAll(() => app.close());

  const refusal = async (url: string, init?: RequestInit) => {
    const response = await app.fetch(url, init);
    const body = (await response.json()) as { error: { code: string; message: string; parameter?: string } };
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(body)).toEqual(['error']);
    return { status: response.status, ...body.error };
  };

  test('answers 200 with {"result":[…]} as JSON', async () => {
    const response = await app.fetch(`${path}/logs.all?project=p`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({
      result: [{ id: 'one', timestamp: new Date(ago({ minutes: 1 })).getTime() * 1000, metadata: [] }],
    });
  });

  test('an endpoint is found by name and by UUID, in upper or lower case', async () => {
    const { data } = { data: await app.data('{ endpoints { id name } }') };
    for (const { id, name } of data.endpoints as { id: string; name: string }[]) {
      const query = 'project=p&interval=hourly';
      const byName = await (await app.fetch(`${path}/${name}?${query}`)).text();
      expect(await (await app.fetch(`${path}/${id}?${query}`)).text()).toBe(byName);
      expect(await (await app.fetch(`${path}/${id.toUpperCase()}?${query}`)).text()).toBe(byName);
    }
  });

  test('undeclared parameters are ignored, even if repeated or ill-formed', async () => {
    const response = await app.fetch(`${path}/logs.all?project=p&ref=x&ref=y&z=%FF&%FF=1&text=%00`);
    expect(response.status).toBe(200);
  });

  test('a + in a query string is a space, %2B a plus', async () => {
    const { message } = await refusal(`${path}/usage.api-counts?project=a&interval=a+b%2Bc`);
    expect(message).toBe('interval: got "a b+c"; one of minutely, hourly, daily');
  });

  test('a wrong value of an enum is refused with all values, and the one that is near', async () => {
    for (const [text, hint] of [
      ['2hr', '; did you mean hourly?'],
      ['weekly', ''],
    ]) {
      const { message } = await refusal(`${path}/usage.api-counts?project=p&interval=${text}`);
      expect(message).toBe(`interval: got "${text}"; one of minutely, hourly, daily${hint}`);
    }
  });

  test.each([
    ['project is missing', 'logs.all', '', 'MISSING_PARAMETER', 'project'],
    ['project is empty', 'logs.all', 'project=', 'MISSING_PARAMETER', 'project'],
    ['project has no value', 'logs.all', 'project', 'MISSING_PARAMETER', 'project'],
    ['a parameter is given twice', 'logs.all', 'project=p&project=p', 'INVALID_PARAMETER', 'project'],
    ['interval is missing', 'usage.api-counts', 'project=p', 'MISSING_PARAMETER', 'interval'],
    ['interval is unknown', 'usage.api-counts', 'project=p&interval=1day', 'INVALID_PARAMETER', 'interval'],
    [
      'interval has another case',
      'usage.api-counts',
      'project=p&interval=Daily',
      'INVALID_PARAMETER',
      'interval',
    ],
    ['a pattern is invalid', 'usage.api-counts', 'project=(&interval=daily', 'INVALID_PARAMETER', 'project'],
    [
      'a pattern has a lookahead',
      'usage.api-counts',
      'project=(?=a)&interval=daily',
      'INVALID_PARAMETER',
      'project',
    ],
    [
      'a pattern is rejected only by the engine',
      'usage.api-counts',
      'project=(?<n>a)&interval=daily',
      'INVALID_PARAMETER',
      'project',
    ],
    ['a NUL byte', 'logs.all', 'project=a%00b', 'INVALID_PARAMETER', 'project'],
    ['ill-formed UTF-8', 'logs.all', 'project=%C3%28', 'INVALID_PARAMETER', 'project'],
    ['an encoded surrogate', 'logs.all', 'project=%ED%A0%80', 'INVALID_PARAMETER', 'project'],
    ['half an escape', 'logs.all', 'project=%4', 'INVALID_PARAMETER', 'project'],
    [
      'a timestamp in words',
      'logs.all',
      'project=p&iso_timestamp_start=now',
      'INVALID_PARAMETER',
      'iso_timestamp_start',
    ],
    [
      'a timestamp in seconds',
      'logs.all',
      'project=p&iso_timestamp_end=1773136800',
      'INVALID_PARAMETER',
      'iso_timestamp_end',
    ],
    [
      'no such day',
      'logs.all',
      'project=p&iso_timestamp_end=2026-02-29',
      'INVALID_PARAMETER',
      'iso_timestamp_end',
    ],
    [
      'a lost plus',
      'logs.all',
      'project=p&iso_timestamp_end=2026-02-01T00:00:00+01:00',
      'INVALID_PARAMETER',
      'iso_timestamp_end',
    ],
  ])('400 where %s', async (_, name, query, code, parameter) => {
    const refused = await refusal(`${path}/${name}?${query}`);
    expect(refused).toMatchObject({ status: 400, code, parameter });
    expect(refused.message).toMatch(new RegExp(`^${parameter}: `));
  });

  test('404 for an unknown endpoint and an unknown path, in JSON', async () => {
    expect(await refusal(`${path}/nope`)).toMatchObject({ status: 404, code: 'UNKNOWN_QUERY' });
    expect(await refusal(`${path}/constructor`)).toMatchObject({ status: 404, code: 'UNKNOWN_QUERY' });
    expect(await refusal(`${path}/`)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect(await refusal(`${path}/logs.all/more`)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect(await refusal('/api/nothing')).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    expect(await refusal('/')).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });

  test('404 names the nearest endpoint, or the versions that there are', async () => {
    const messageOf = async (name: string) => (await refusal(`${path}/${name}`)).message;
    expect(await messageOf('logs.al')).toMatch(/; did you mean logs\.all\?$/);
    expect(await messageOf('LOGS.ALL.csv?project=p')).toMatch(/; did you mean logs\.all\?$/);
    expect(await messageOf('logs.all@9')).toMatch(/; logs\.all has the version 1$/);
    expect(await messageOf('nothing.like-it')).not.toContain('did you mean');
  });

  test('a reply names parameters that are one edit from a declared one, and no others', async () => {
    const warningOf = async (query: string, ending = '') =>
      (await app.fetch(`${path}/logs.all${ending}?${query}`)).headers.get('querygate-warning');
    expect(await warningOf('project=p&iso_timestamp_star=2026-01-01')).toBe(
      'iso_timestamp_star is ignored, did you mean iso_timestamp_start?',
    );
    expect(await warningOf('project=p&iso_timestamp_star=2026-01-01', '.csv')).toContain('is ignored');
    for (const query of ['project=p', 'project=p&Project=x', 'project=p&cachebuster=1&format=json&%0a=1'])
      expect(await warningOf(query), query).toBeNull();
    // The same result without the misspelled name.
    expect(await warningOf('project=p')).toBeNull();
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('405 with Allow for %s', async (method) => {
    const response = await app.fetch(`${path}/logs.all?project=p`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(await response.json()).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } });
  });

  test.each([
    ['no key', {}, 'No key was sent'],
    ['a wrong key', { 'x-api-key': 'wrong' }, 'The key that was sent is not valid'],
    ['a wrong token', { authorization: 'Bearer wrong' }, 'The key that was sent is not valid'],
    ['an empty key', { 'x-api-key': '' }, 'No key was sent'],
    ['a key in another scheme', { authorization: `Basic ${apiKey}` }, 'No key was sent'],
    [
      'an empty key, and another scheme',
      { 'x-api-key': '', authorization: `Basic ${apiKey}` },
      'No key was sent',
    ],
    ['two keys', { 'x-api-key': apiKey, authorization: 'Bearer wrong' }, 'Two different keys were sent'],
  ])('401 for %s says what was sent', async (_, headers, sent) => {
    const expected = {
      status: 401,
      code: 'UNAUTHENTICATED',
      message: `${sent}; send one valid API key, in the header X-API-KEY or in Authorization after Bearer`,
    };
    expect(await refusal(`${path}/logs.all?project=p`, { headers })).toEqual(expected);
    expect(await refusal(`${path}/nope?project=p`, { headers })).toEqual(expected);
  });

  test.each([
    [{ 'x-api-key': `Bearer ${apiKey}` }, 'leave out Bearer, which is for the header Authorization'],
    [{ 'x-api-key': `"${apiKey}"` }, 'leave out the " around it'],
    [{ authorization: `Bearer '${apiKey}'` }, "leave out the ' around it"],
  ])('a key in another form is refused with the part to leave out: %#', async (headers, advice) => {
    const { status, message } = await refusal(`${path}/logs.all?project=p`, { headers });
    expect([status, message?.split('; ').at(-1)]).toEqual([401, advice]);
    expect(message).not.toContain(apiKey);
  });

  test('a bearer token is accepted as a key', async () => {
    const headers = { authorization: `Bearer ${apiKey}` };
    expect((await app.fetch(`${path}/logs.all?project=p`, { headers })).status).toBe(200);
  });

  test('HEAD is GET without a body', async () => {
    const counts = `${path}/usage.api-counts?project=p&interval=daily`;
    const get = await app.fetch(counts);
    const head = await app.fetch(counts, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String((await get.text()).length));
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
    expect(await head.text()).toBe('');
    expect((await app.fetch(`${path}/nope`, { method: 'HEAD' })).status).toBe(404);
  });

  test('HEAD promises no length and no tag of rows that a GET computes again', async () => {
    const promises = ['content-length', 'etag'];
    for (const [address, headers, type] of [
      ['logs.all?project=p', {}, 'application/json; charset=utf-8'],
      ['logs.all.csv?project=p', {}, 'text/csv; charset=utf-8; header=present'],
      ['logs.all.parquet?project=p', {}, 'application/vnd.apache.parquet'],
      [
        'usage.api-counts?project=p&interval=daily',
        { 'cache-control': 'no-cache' },
        'application/json; charset=utf-8',
      ],
      [
        'usage.api-counts.csv?project=p&interval=daily',
        { 'cache-control': 'no-cache' },
        'text/csv; charset=utf-8; header=present',
      ],
    ] as const) {
      const head = await app.fetch(`${path}/${address}`, {
        method: 'HEAD',
        headers: { 'x-api-key': apiKey, ...headers },
      });
      expect([head.status, ...promises.map((name) => head.headers.get(name))]).toEqual([200, null, null]);
      expect(head.headers.get('content-type')).toBe(type);
    }
    const kept = 'usage.api-counts.csv?project=p&interval=daily';
    const head = await app.fetch(`${path}/${kept}`, { method: 'HEAD' });
    expect(head.headers.get('etag')).toBe((await app.fetch(`${path}/${kept}`)).headers.get('etag'));
  });

  test('a preflight passes without a key, and a 401 can be read by an allowed page', async () => {
    const origin = 'https://dash.example.com';
    const preflight = await app.fetch(`${path}/logs.all`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-headers': 'x-api-key' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('X-API-KEY');

    const refused = await app.fetch(`${path}/logs.all`, { headers: { origin } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin);
    expect(refused.headers.get('access-control-allow-credentials')).toBeNull();

    const stranger = await app.fetch(`${path}/logs.all`, { headers: { origin: 'https://evil.example.com' } });
    expect(stranger.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('health and readiness need no key', async () => {
    expect(await (await app.fetch('/healthz', { headers: {} })).json()).toEqual({ status: 'ok' });
    expect(await (await app.fetch('/readyz', { headers: {} })).json()).toEqual({ status: 'ready' });
  });
});
