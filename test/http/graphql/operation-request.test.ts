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

test('the name of an operation is not mistaken for a part of the document', async () => {
  const query = `query X { ${field} }`;
  expect(await post(JSON.stringify({ query }))).toBe(200);
  expect(await post(JSON.stringify({ query, operationName: 'X' }))).toBe(200);
  expect(await post(JSON.stringify({ query, operationName: '' }))).toBe(400);
  expect(await post(JSON.stringify({ query, operationName: 'Y' }))).toBe(400);
  const rest = query.slice('query '.length);
  const response = await app.fetch('/graphql', {
    method: 'POST',
    headers,
    body: JSON.stringify({ query: rest, operationName: 'query' }),
  });
  expect(await response.text()).toContain('GRAPHQL_PARSE_FAILED');
});
