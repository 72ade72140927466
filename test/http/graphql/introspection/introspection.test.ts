import { gunzipSync } from 'node:zlib';
import { executeSync, getIntrospectionQuery, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadAnalyzed } from '../../../../src/catalog-analysis/load-analyzed.ts';
import { buildSchema } from '../../../../src/http/graphql/schema/schema.ts';
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

/** What graphql-js itself answers, over the schema of a folder. */
function openReference(folder: string): (query: string) => string {
  const schema = buildSchema(loadAnalyzed(folder));
  return (query) => JSON.stringify({ data: executeSync({ schema, document: parse(query) }).data });
}

describe('a query of the schema', () => {
  const reference = openReference('queries');
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

  test.each([
    getIntrospectionQuery().trim(),
    '{ __type(name: "Query") { name fields { name args { name } } } }',
    '{ none: __type(name: "None") { name } __typename again: __type(name: "None") { kind } }',
    '{ ...S } fragment S on Query { __schema { ...T } } fragment T on __Schema { queryType { name } }',
    '{ __schema @include(if: false) { queryType { name } } __typename }',
    '{ __schema { __typename all: types { name f: fields { name } g: fields(includeDeprecated: true) { args { name } } } types { kind } } }',
  ])('is answered as graphql-js answers it: %.60s', async (query) => {
    for (const method of ['POST', 'GET'] as const) {
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        // The operation of the introspection query is too long for a URL.
        if (method === 'GET' && query.length > 1_000) continue;
        const answered = await send(query, method, accept);
        expect(answered.text).toBe(reference(query));
        expect([answered.status, answered.headers['content-type']]).toEqual([
          200,
          `${accept}; charset=utf-8`,
        ]);
        expect(JSON.parse(answered.text)).not.toHaveProperty('errors');
        expect(await send(query, method, accept)).toEqual(answered);
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
    const reference = openReference(queries.folder);
    for (const query of [
      '{ __schema { types { name now: fields { name } fields(includeDeprecated: true) { name description } kind } } }',
      '{ __schema { types { name fields { name } } } }',
      '{ __type(name: "Query") { fields { name } kind fields { args { name } } } }',
      'query ($all: Boolean! = true) { __type(name: "Query") { fields(includeDeprecated: $all) { name } } }',
      // What is left of a type has no members.
      'query ($none: Boolean = false) { __type(name: "Query") { fields @include(if: $none) { name } } }',
      '{ __schema { types { name @skip(if: true) } } }',
    ])
      expect(await textOf(query), query).toBe(reference(query));
    expect(await textOf('{ __type(name: "Query") { fields { name } } }')).toContain('"name":"areaQuery144"');
  } finally {
    await app.close();
    queries.close();
  }
});
