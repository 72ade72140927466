import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({});
});
afterAll(() => app.close());

const field = 'usageApiCounts(project: "p", interval: HOURLY) { truncated }';
const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
const post = async (body: string) => (await app.fetch('/graphql', { method: 'POST', headers, body })).status;

test('a body that reads like a query string is not answered as one', async () => {
  const search = `?query=${encodeURIComponent(`{ ${field} }`)}`;
  expect((await app.fetch(`/graphql${search}`)).status).toBe(200);
  expect(await post(search)).toBe(400);
});

test.each([
  '{"query":5}',
  '{"query":"{ __typename }","variables":"x"}',
  '{"query":"{ __typename }","variables":[]}',
  '{"query":"{ __typename }","extensions":[]}',
  '{"query":"{ __typename }","extensions":"x"}',
  '{"query":"{ __typename }","other":1}',
  '{}',
  '[]',
])('a wrong member of a request is refused with 400, and without methods: %s', async (body) => {
  for (const accept of ['application/json', 'application/graphql-response+json']) {
    const response = await app.fetch('/graphql', { method: 'POST', headers: { ...headers, accept }, body });
    expect([response.status, response.headers.get('allow')]).toEqual([400, null]);
  }
});

test.each(['graphql-transport-ws', 'graphql-ws'])('refuses a WebSocket, names SSE: %s', async (protocol) => {
  const handshake = {
    'x-api-key': apiKey,
    connection: 'Upgrade',
    upgrade: 'WebSocket',
    'sec-websocket-protocol': protocol,
  };
  const answerTo = async (search: string) => {
    const response = await app.fetch(`/graphql${search}`, { headers: handshake });
    return [response.status, await response.json()];
  };
  const message =
    'WebSockets are not offered; subscriptions are sent as events: send them with Accept: text/event-stream, as graphql-sse does';
  for (const search of ['', '?', '?project=p'])
    expect(await answerTo(search)).toEqual([
      400,
      { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] },
    ]);
  expect(await answerTo('?query={__typename}')).toEqual([200, { data: { __typename: 'Query' } }]);
});

test('HEAD is GET without a body, for errors too', async () => {
  const about = async (method: string, query: string, others: Record<string, string> = {}) => {
    const response = await app.fetch(`/graphql?query=${encodeURIComponent(query)}`, {
      method,
      headers: { 'x-api-key': apiKey, ...others },
    });
    const { 'x-request-id': _, ...received } = Object.fromEntries(response.headers);
    return { status: response.status, headers: received, body: await response.text() };
  };
  const strict = { accept: 'application/graphql-response+json' };
  for (const [query, others] of [
    [`{ ${field} }`, {}],
    [`{ ${field} }`, strict],
    ['{ __typename }', {}],
    ['{ nope }', strict],
    ['', {}],
    [`{ ${field} }`, { 'x-api-key': 'wrong' }],
    [`{ ${field} }`, { accept: 'text/csv' }],
    ['{ __typename }', { accept: 'text/event-stream' }],
  ] as const) {
    const head = await about('HEAD', query, others);
    const get = await about('GET', query, others);
    expect(get.body).not.toBe('');
    expect(head, query).toEqual({ ...get, body: '' });
  }
  const none = await app.fetch('/graphql', { method: 'DELETE' });
  expect([none.status, none.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
});

test.each(['application/json', 'application/graphql-response+json', '*/*', 'text/event-stream'])(
  'a mutation is refused by GET and HEAD with 405 and the methods that are left: %s',
  async (accept) => {
    const path = `/graphql?query=${encodeURIComponent('mutation { drop }')}`;
    for (const method of ['GET', 'HEAD', 'GET']) {
      const response = await app.fetch(path, { method, headers: { ...headers, accept } });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
      const text = await response.text();
      if (method === 'GET')
        expect(JSON.parse(text)).toEqual({
          errors: [
            {
              message: 'GET is for queries; queries and subscriptions are supported, not mutations',
              extensions: { code: 'METHOD_NOT_ALLOWED' },
            },
          ],
        });
    }
    expect(await post('{"query":"mutation { drop }"}')).toBe(400);
  },
);

test('the name of an operation is not mistaken for a part of the document', async () => {
  const query = `query X { ${field} }`;
  expect(await post(JSON.stringify({ query }))).toBe(200);
  expect(await post(JSON.stringify({ query, operationName: 'X' }))).toBe(200);
  expect(await post(JSON.stringify({ query, operationName: '' }))).toBe(400);
  expect(await post(JSON.stringify({ query, operationName: 'Y' }))).toBe(400);
  const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  for (const name of [nested, '{"toString":1}', '1'])
    expect(await post(`{"query":${JSON.stringify(query)},"operationName":${name}}`), name.slice(0, 20)).toBe(
      400,
    );
  const rest = query.slice('query '.length);
  const response = await app.fetch('/graphql', {
    method: 'POST',
    headers,
    body: JSON.stringify({ query: rest, operationName: 'query' }),
  });
  expect(await response.text()).toContain('GRAPHQL_PARSE_FAILED');
});
