import { gunzipSync } from 'node:zlib';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeQueryFolder, uuidOf } from '../../../support/query-folder.ts';
import { apiKey, openTestApp, type TestApp } from '../../../support/test-app.ts';

const saved = (at: number, header: string) => `/*---
id: ${uuidOf(at)}
description: a query – of the tests
max_rows: 1
caching: 60s
${header}columns: { n: { type: integer, description: a number } }
---*/
SELECT ${at} AS n
`;

describe('a query of the schema', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp({});
  });
  afterAll(() => app.close());

  const send = async (query: string, method: 'GET' | 'POST' = 'POST', accept = 'application/json') => {
    const headers = {
      'x-api-key': apiKey,
      accept,
      'content-type': 'application/json',
      'x-request-id': 'the-same',
    };
    const response =
      method === 'POST'
        ? await app.fetch('/graphql', { method, headers, body: JSON.stringify({ query }) })
        : await app.fetch(`/graphql?query=${encodeURIComponent(query)}`, { headers });
    const { status, headers: received } = response;
    return { status, headers: Object.fromEntries(received), text: await response.text() };
  };

  /** With a variable, an operation on the schema is not compiled. */
  const forYoga = (query: string) =>
    query.replace(/^(?:query \w+)? ?\{/, 'query ($unused: Boolean = true) { __typename @skip(if: $unused) ');

  test.each([
    getIntrospectionQuery().trim(),
    '{ __type(name: "Query") { name fields { name args { name } } } }',
    '{ none: __type(name: "None") { name } __typename again: __type(name: "None") { kind } }',
    '{ ...S } fragment S on Query { __schema { ...T } } fragment T on __Schema { queryType { name } }',
    '{ __schema @include(if: false) { queryType { name } } __typename }',
    '{ __schema { __typename all: types { name f: fields { name } g: fields(includeDeprecated: true) { args { name } } } types { kind } } }',
  ])('is answered as Yoga answers it: %.60s', async (query) => {
    for (const method of ['POST', 'GET'] as const) {
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        // The operation of the introspection query is too long for a URL.
        if (method === 'GET' && query.length > 1_000) continue;
        const compiled = await send(query, method, accept);
        expect(compiled).toEqual(await send(forYoga(query), method, accept));
        expect(JSON.parse(compiled.text)).not.toHaveProperty('errors');
        expect(await send(query, method, accept)).toEqual(compiled);
      }
    }
  });

  test('is sent compressed, the first time too', async () => {
    const sent = async (query: string, coding: string) => {
      const headers = {
        'x-api-key': apiKey,
        'content-type': 'application/json',
        'accept-encoding': coding,
      };
      const response = await app.fetch('/graphql', {
        method: 'POST',
        headers,
        body: JSON.stringify({ query }),
      });
      return [response.headers.get('content-encoding'), Buffer.from(await response.arrayBuffer())] as const;
    };
    const query = `${getIntrospectionQuery()} # compressed`;
    const [coding, bytes] = await sent(query, 'gzip');
    expect(coding).toBe('gzip');
    const [plainCoding, plain] = await sent(query, 'identity');
    expect(plainCoding).toBeNull();
    expect(gunzipSync(bytes)).toEqual(plain);
    expect(bytes.byteLength).toBeLessThan(plain.byteLength / 5);
    // A short one fits one packet.
    expect((await sent('{ __typename }', 'gzip'))[0]).toBeNull();
  });
});

test('types with many fields have all of them, in their order', async () => {
  const files = Array.from({ length: 45 }, (_, at) => [
    `area.query-${100 + at}.sql`,
    saved(at, at < 25 ? 'deprecated: { since: 2026-01-01, sunset: 2027-01-01 }\nlive: 5s\n' : 'live: 5s\n'),
  ]);
  const queries = makeQueryFolder(Object.fromEntries(files));
  const app = await openTestApp({}, { QUERIES_DIR: queries.folder });
  const textOf = async (query: string) => {
    const response = await app.fetch('/graphql', {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return response.text();
  };
  try {
    const types = '{ name now: fields { name } fields(includeDeprecated: true) { name description } kind }';
    for (const schema of [`__schema { types ${types} }`, '__schema { types { name fields { name } } }']) {
      const compiled = await textOf(`{ ${schema} }`);
      // With a variable, an operation on the schema is not compiled.
      expect(compiled).toBe(
        await textOf(`query ($unused: Boolean = true) { __typename @skip(if: $unused) ${schema} }`),
      );
      expect(compiled).toContain('"name":"areaQuery144"');
    }
  } finally {
    await app.close();
    queries.close();
  }
});
