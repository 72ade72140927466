import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFolderApp } from '../support/folder-app.ts';
import { queryText } from '../support/query-folder.ts';
import { apiKey, openTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({}, { MCP: 'on' });
});
afterAll(() => app.close());

const logs = '/api/endpoints/query/logs.all';
const cure = 'Not found; leave out the slash at the end of the path';
const doubled = 'Not found; leave out the doubled slash';
const endpoint = 'REST endpoints are at /api/endpoints/query/logs.all';
const apis = 'GraphQL is at /graphql, REST under /api/';

interface ReadError {
  readonly code: unknown;
  readonly message: string;
}

/** An error in any of the forms that routes have: of REST, of GraphQL, and of JSON-RPC. */
function readError(body: unknown): ReadError {
  const { error, errors } = body as {
    readonly error?: ReadError & { readonly data?: { readonly code: string } };
    readonly errors?: readonly [{ readonly message: string; readonly extensions: { readonly code: string } }];
  };
  const { code, message } = errors?.[0].extensions
    ? { ...errors[0].extensions, message: errors[0].message }
    : { ...error, code: error?.data?.code ?? error?.code, message: error?.message ?? '' };
  return { code, message };
}

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
    expect([response.status, readError(await response.json())]).toEqual([
      404,
      { code: 'NOT_FOUND', message },
    ]);
  },
);

const ofGraphql = {
  errors: [{ message: `${cure}: /graphql`, extensions: { code: 'NOT_FOUND' } }],
};
const strictType = 'application/graphql-response+json';

test.each([
  ['POST', '/graphql/', ofGraphql],
  ['GET', '/graphql/?query={__typename}', ofGraphql],
  ['PUT', '/graphql/', ofGraphql],
  ['POST', '/mcp/', { jsonrpc: '2.0', error: { message: `${cure}: /mcp`, data: { code: 'NOT_FOUND' } } }],
  ['POST', '/api/live/', { error: { code: 'NOT_FOUND', message: `${cure}: /api/live` } }],
])('the answer has the form of the errors of the route that is meant: %s %s', async (method, path, error) => {
  const headers = { accept: strictType, 'content-type': 'application/json' };
  const response = await app.fetch(path, { method, headers, body: method === 'POST' ? '{}' : null });
  const type = path.startsWith('/graphql') ? `${strictType}; charset=utf-8` : expect.any(String);
  expect([response.status, response.headers.get('content-type')]).toEqual([404, type]);
  expect(await response.json()).toMatchObject(error);
});

test('a page may read that answer: OPTIONS is answered as at the route that is meant', async () => {
  const origin = 'https://dash.example.com';
  const open = await openTestApp({}, { MCP: 'on', CORS_ORIGINS: origin });
  const preflight = async (path: string) => {
    const { status, headers } = await open.fetch(path, { method: 'OPTIONS', headers: { origin } });
    return [status, Object.fromEntries([...headers].filter(([name]) => /^(allow$|access-)/.test(name)))];
  };
  try {
    for (const path of ['/graphql', '/mcp', '/api/live', '/openapi.json', '/healthz', logs]) {
      const expected = await preflight(path);
      expect(expected, path).toEqual([
        204,
        expect.objectContaining({ 'access-control-allow-origin': origin, allow: expect.any(String) }),
      ]);
      for (const wrong of [`${path}/`, `/${path}`, `/${path}//`])
        expect(await preflight(wrong), wrong).toEqual(expected);
      const { headers } = await open.fetch(`${path}/`, { method: 'POST', headers: { origin }, body: '{}' });
      expect(headers.get('access-control-allow-origin'), path).toBe(origin);
    }
    expect((await preflight('/nowhere/'))[0]).toBe(404);
  } finally {
    await open.close();
  }
});

test('the tools of a tag have a path, of which the slash is named too, and pages may read what is said of others', async () => {
  const origin = 'https://dash.example.com';
  const folder = await openFolderApp(
    { 'q.sql': queryText({ header: 'tags: [logs]\n' }) },
    { env: { MCP: 'on', CORS_ORIGINS: origin } },
  );
  const send = (path: string, method: string, body?: string) =>
    folder.app.fetch(
      new Request(`http://gateway.test${path}`, {
        method,
        headers: { origin, 'x-api-key': apiKey, 'content-type': 'application/json' },
        ...(body !== undefined && { body }),
      }),
    );
  try {
    const response = await send('/mcp/logs/', 'POST', '{}');
    expect(readError(await response.json()).message).toBe(`${cure}: /mcp/logs`);
    for (const path of ['/mcp/logs', '/mcp/logs/', '/mcp/none', '/sse']) {
      const { headers } = await send(path, 'OPTIONS');
      expect(headers.get('access-control-allow-origin'), path).toBe(origin);
    }
    const other = await send('/mcp/none', 'POST', '{}');
    expect(other.headers.get('access-control-allow-origin')).toBe(origin);
    expect(readError(await other.json()).message).toContain('MCP is at /mcp');
  } finally {
    await folder.close();
  }
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
    return readError(await response.json()).message;
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
