import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiKey, openTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({}, { MCP: 'on' });
});
afterAll(() => app.close());

/** A body that each address answers with something else than 415. */
const bodies: Readonly<Record<string, string>> = {
  '/graphql': '{"query":"{ __typename }"}',
  '/mcp': '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  '/api/live': '[{"id":"a","query":"no.such"}]',
};

const send = async (path: string, headers: Record<string, string>, body: BodyInit = bodies[path] ?? '') => {
  const response = await app.fetch(path, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, ...headers },
    body,
  });
  return { status: response.status, text: await response.text() };
};

const json = 'application/json';

test.each(Object.keys(bodies))('%s reads JSON in UTF-8, however the charset is written', async (path) => {
  const plain = await send(path, { 'content-type': json });
  for (const type of [
    `${json};charset=utf-8`,
    `${json}; charset=UTF-8`,
    `${json}; charset="utf8"`,
    'Application/JSON; a=b',
  ])
    expect(await send(path, { 'content-type': type }), type).toEqual(plain);
  for (const coding of ['identity', 'Identity', 'identity, identity'])
    expect(await send(path, { 'content-type': json, 'content-encoding': coding }), coding).toEqual(plain);
});

test.each(Object.keys(bodies))('%s refuses other charsets and codings with 415', async (path) => {
  for (const charset of ['iso-8859-1', '"utf-16"', 'utf-7', '', 'utf-8; charset=utf-16']) {
    const { status, text } = await send(path, { 'content-type': `${json};charset=${charset}` });
    expect([status, text], charset).toEqual([415, expect.stringContaining('Send the body in UTF-8')]);
  }
  for (const coding of ['gzip', 'identity, br', 'x']) {
    const headers = { 'content-type': json, 'content-encoding': coding };
    const { status, text } = await send(path, headers, gzipSync(bodies[path] ?? ''));
    expect([status, text]).toEqual([
      415,
      expect.stringContaining('Send the body without a Content-Encoding'),
    ]);
  }
});

test.each(['/graphql', '/mcp'])(
  '%s refuses other media types, which forms of other sites may send',
  async (path) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', `text/plain, ${json}`]) {
      const { status, text } = await send(path, { 'content-type': type });
      expect([status, text], type).toEqual([415, expect.stringContaining(`as Content-Type: ${json}`)]);
    }
  },
);

test.each(Object.keys(bodies))('%s refuses ill-formed UTF-8 with 400', async (path) => {
  const body = Buffer.from(`{"a":"\xff"}`, 'latin1');
  expect((await send(path, { 'content-type': json }, body)).status).toBe(400);
});
