import { createServer, type IncomingMessage, request as httpRequest, type RequestListener } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../../../src/engine/engine.ts';
import { listen } from '../../../support/listen.ts';
import { queryText } from '../../../support/queries.ts';
import { makeQueryFolder } from '../../../support/query-folder.ts';
import { mergeParts, readParts } from '../../../support/read-parts.ts';
import { apiKey, openTestApp, type TestApp } from '../../../support/test-app.ts';

/** What would end a part if it were not text in JSON. */
const hostile = '\r\n-----\r\n---\r\nContent-Type: application/json\r\n\r\n{"hasNext":false}\r\n---';
const texts = { columns: { text: 'string' }, caching: ['caching: 60s'], sql: 'select "" as text' } as const;
const rowCount = 20_000;
const longText = 'x'.repeat(1_000);

const engine: Engine = {
  source: 'texts',
  run: async ({ query: { name } }) => ({
    rows:
      name === 'hostile'
        ? [JSON.stringify({ text: hostile })]
        : Array.from({ length: rowCount }, () => `{"text":"${longText}"}`),
    truncated: false,
  }),
  close: async () => {},
};
const names = ['hostile', 'large'];
const queries = makeQueryFolder(
  Object.fromEntries(names.map((name) => [`${name}.sql`, queryText({ name, maxRows: rowCount, ...texts })])),
);
let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({}, { QUERIES_DIR: queries.folder }, { engine });
});
afterAll(async () => {
  await app.close();
  queries.close();
});

const headers = {
  'x-api-key': apiKey,
  'content-type': 'application/json',
  accept: 'multipart/mixed, application/json',
};
const post = (query: string, method = 'POST') =>
  app.fetch('/graphql', { method, headers, body: JSON.stringify({ query }) });

test('text in rows does not end a part', async () => {
  const query = '{ a: hostile { rows { text } } ...@defer { b: hostile { rows { text } } } }';
  const payloads = await Array.fromAsync(readParts(await post(query)));
  expect(payloads).toHaveLength(2);
  const rows = [{ text: hostile }];
  expect(mergeParts(payloads).data).toEqual({ a: { rows }, b: { rows } });
});

test('all parts together are limited as one response is', async () => {
  const parts = Array.from({ length: 4 }, (_, at) => `...@defer { p${at}: large { rows { text } } }`);
  const payloads = await Array.fromAsync(readParts(await post(`{ __typename ${parts.join(' ')} }`)));
  const { data, errors } = mergeParts(payloads);
  expect(Object.keys(data)).toHaveLength(1 + 3);
  expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_EXPENSIVE' } }]);
});

test('others are answered while a client does not read', async () => {
  const server = createServer(app.listener as RequestListener);
  const port = await listen(server);
  const query = '{ __typename ...@defer { large { rows { text } } } }';
  const request = httpRequest({ port, path: '/graphql', method: 'POST', headers });
  request.on('error', () => {});
  request.end(JSON.stringify({ query }));
  const response = await new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
  response.pause();
  expect((await post('{ __typename }')).status).toBe(200);
  request.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test('HEAD and batches are answered as without @defer', async () => {
  const query = '{ ...@defer { hostile { rowCount } } }';
  const head = await app.fetch(`/graphql?${new URLSearchParams({ query })}`, { method: 'HEAD', headers });
  expect(head.headers.get('content-type')).not.toContain('multipart');
  const batch = await app.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify([{ query }]) });
  expect(batch.status).toBe(400);
});
