import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiKey, openTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({}, { MCP: 'on' });
});
afterAll(() => app.close());

const cure = 'Not found; leave out the slash at the end of the path';

test.each([
  [
    '/',
    'Not found; browsers, which accept text/html and send no key, get a page here; GraphQL is at /graphql, REST under /api/',
  ],
  ['/graphql/', cure],
  ['/mcp/', cure],
  ['/openapi.json/', cure],
  ['/healthz/', cure],
  ['/api/live/', `${cure}: REST endpoints are at /api/endpoints/query/<name or UUID>`],
  ['/api/endpoints/query/logs.all/', `${cure}: REST endpoints are at /api/endpoints/query/logs.all`],
  [
    '/api/endpoints/query/logs.all/?project=p',
    `${cure}: REST endpoints are at /api/endpoints/query/logs.all`,
  ],
  ['/api/endpoints/query/qg_5ecret/', `${cure}: REST endpoints are at /api/endpoints/query/<name or UUID>`],
])('the answer to a path with a slash at its end names the slash: %s', async (path, message) => {
  const response = await app.fetch(path, { headers: { 'x-api-key': apiKey } });
  expect([response.status, ((await response.json()) as { error: object }).error]).toEqual([
    404,
    { code: 'NOT_FOUND', message },
  ]);
});

test('a byte-order mark before a message or a list of queries does no harm', async () => {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const post = (path: string, body: string) =>
    app.fetch(path, { method: 'POST', headers, body: `\uFEFF${body}` });
  const agent = await post('/mcp', '{"jsonrpc":"2.0","id":1,"method":"ping"}');
  expect(await agent.json()).toMatchObject({ id: 1, result: {} });
  expect((await post('/graphql', '{"query":"{ __typename }"}')).status).toBe(200);
  const live = await post('/api/live', '[{"id":"a","query":"no.such"}]');
  expect(live.status).toBe(404);
});

test('the answer to an unknown path names the paths below BASE_PATH', async () => {
  const below = await openTestApp({}, { BASE_PATH: '/warehouse' });
  const messageAt = async (path: string) => {
    const response = await below.fetch(path, { headers: { 'x-api-key': apiKey } });
    return ((await response.json()) as { error: { message: string } }).error.message;
  };
  try {
    const api = 'GraphQL is at /warehouse/graphql, REST under /warehouse/api/';
    const page = 'browsers, which accept text/html and send no key, get a page here';
    expect(await messageAt('/warehouse/')).toBe(`Not found; ${page}; ${api}`);
    expect(await messageAt('/other')).toBe(`Not found; ${api}`);
    const address = 'REST endpoints are at /warehouse/api/endpoints/query/';
    expect(await messageAt('/warehouse/api/x')).toBe(`Not found; ${address}<name or UUID>`);
    expect(await messageAt('/warehouse/api/endpoints/query/logs.all/')).toBe(`${cure}: ${address}logs.all`);
  } finally {
    await below.close();
  }
});
