import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEvents } from '../../support/read-events.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const page = readFileSync('docs/live.md', 'utf8');
const found = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, text = '']) => text);

const paths = found(/'http:\/\/127\.0\.0\.1:4000(\/api\/endpoints\/[^']+)'/g);
const operations = [
  ...found(/--data '\{"query": "(subscription .*)"\}'/g).map((text) => text.replaceAll('\\"', '"')),
  ...found(/query = '(subscription .*)';/g),
];
const lists = found(/\/api\/live --data '(\[[\s\S]*?\])'/g);

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({});
});
afterAll(() => app.close());

test.each(paths)('the GET of docs/live.md is answered: %s', async (path) => {
  expect((await app.fetch(path)).status).toBe(200);
});

test.each(operations)('the subscription of docs/live.md has a result: %s', async (query) => {
  await app.data(query.replace('subscription', 'query'));
});

test.each(lists)('the list of docs/live.md is followed: %s', async (body) => {
  const headers = { 'x-api-key': apiKey };
  const events = readEvents(await app.fetch('/api/live', { method: 'POST', headers, body }));
  for (const _ of JSON.parse(body)) expect((await events.next())?.event).toBe('next');
  await events.cancel();
});

test('docs/live.md has requests of each kind', () => {
  expect([paths.length, operations.length, lists.length]).toEqual([2, 2, 1]);
});
