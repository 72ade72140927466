import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiKey, openTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({}, { MCP: 'on' });
});
afterAll(() => app.close());

const cure = 'Not found; leave out the slash at the end of the path';
const doubled = 'Not found; leave out the doubled slash';
const endpoint = 'REST endpoints are at /api/endpoints/query/logs.all';
const apis = 'GraphQL is at /graphql, REST under /api/';

test.each([
  [
    '/',
    'Not found; browsers, which accept text/html and send no key, get a page here; GraphQL is at /graphql, REST under /api/',
  ],
  ['/graphql/', `${cure}: /graphql`],
  ['/mcp/', `${cure}: /mcp`],
  ['/openapi.json/', `${cure}: /openapi.json`],
  ['/healthz/', `${cure}: /healthz`],
  ['/api/live/', `${cure}: /api/live`],
  ['/api/endpoints/query/logs.all/', `${cure}: REST endpoints are at /api/endpoints/query/logs.all`],
  [
    '/api/endpoints/query/logs.all/?project=p',
    `${cure}: REST endpoints are at /api/endpoints/query/logs.all`,
  ],
  ['/api/endpoints/query/qg_5ecret/', `${cure}: REST endpoints are at /api/endpoints/query/<name or UUID>`],
  ['//api/endpoints/query/logs.all', `${doubled}: ${endpoint}`],
  ['/api//endpoints/query/logs.all', `${doubled}: ${endpoint}`],
  ['/api/endpoints/query//logs.all?project=p', `${doubled}: ${endpoint}`],
  ['//graphql', `${doubled}: /graphql`],
  ['/graphql//', `${cure}: /graphql`],
  ['//graphql/', `${doubled}, and the slash at the end of the path: /graphql`],
  [
    '/api//endpoints/query/qg_5ecret',
    `${doubled}: REST endpoints are at /api/endpoints/query/<name or UUID>`,
  ],
  ['/foo/', `Not found; ${apis}`],
  ['//', `Not found; ${apis}`],
  ['//foo', `Not found; ${apis}`],
  ['/api/', 'Not found; REST endpoints are at /api/endpoints/query/<name or UUID>'],
  ['/api/foo/', 'Not found; REST endpoints are at /api/endpoints/query/<name or UUID>'],
  ['/api/endpoints/query/', 'Not found; REST endpoints are at /api/endpoints/query/<name or UUID>'],
])(
  'the answer to a path with a slash too many names the slash if it is at fault: %s',
  async (path, message) => {
    const response = await app.fetch(path, { headers: { 'x-api-key': apiKey } });
    expect([response.status, ((await response.json()) as { error: object }).error]).toEqual([
      404,
      { code: 'NOT_FOUND', message },
    ]);
  },
);

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
    expect(await messageAt('/warehouse/graphql/')).toBe(`${cure}: /warehouse/graphql`);
    expect(await messageAt('/warehouse//graphql')).toBe(`${doubled}: /warehouse/graphql`);
    expect(await messageAt('/warehouse/api/endpoints/query/logs.all/')).toBe(`${cure}: ${address}logs.all`);
  } finally {
    await below.close();
  }
});
