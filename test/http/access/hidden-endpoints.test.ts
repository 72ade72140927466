import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildClientSchema, getIntrospectionQuery, printSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { queryText } from '../../support/queries.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const path = '/api/endpoints/query';
const tenant = { project: '{ type: string, tenant: true, required: true, description: P. }' };
const secretWords = /secret|Secret|totals|Totals/;

describe.each(['tenants', 'all', 'off'] as const)('with hideEndpoints: %s', (setting) => {
  let app: TestApp;
  let file: KeyFile;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    const write = (name: string, more: object, sql: string) =>
      writeFileSync(
        join(folder, `${name}.sql`),
        queryText({ name, columns: { x: 'integer' }, sql, ...more }),
      );
    write('open.one', { parameters: tenant }, 'select length(@project) as x');
    write(
      'secret.two',
      { parameters: tenant, columns: { secret_x: 'integer' } },
      'select length(@project) as secret_x',
    );
    write('totals', {}, 'select 1 as x');
    file = writeKeyFile({
      bound: { tenants: ['abc'] },
      narrow: { tenants: ['abc'], endpoints: ['open.one'] },
      unbound: { endpoints: ['open.one'] },
      all: {},
    });
    const env = { QUERIES_DIR: folder, API_KEYS_FILE: file.path };
    app = await openTestApp({}, env, { options: { hideEndpoints: setting } });
  });
  afterAll(async () => {
    await app.close();
    file.remove();
    rmSync(folder, { recursive: true });
  });

  const rest = async (name: string, url: string) => {
    const headers = { 'x-api-key': file.keyOf(name), 'x-request-id': 'one' };
    const response = await app.fetch(url, { headers });
    return [response.status, [...response.headers], await response.text()] as const;
  };
  const graphql = async (name: string, query: string, method: 'GET' | 'POST' = 'POST') => {
    const headers = { 'x-api-key': file.keyOf(name), 'content-type': 'application/json' };
    const response =
      method === 'GET'
        ? await app.fetch(`/graphql?query=${encodeURIComponent(query)}`, { headers })
        : await app.fetch('/graphql', { method, headers, body: JSON.stringify({ query }) });
    return (await response.json()) as {
      data?: Record<string, unknown>;
      errors?: { message: string; extensions: object }[];
    };
  };
  const hides = (name: string) => setting === 'all' || (setting === 'tenants' && name !== 'unbound');

  test.each([
    ['bound', 'totals'],
    ['narrow', 'totals'],
    ['narrow', 'secret.two'],
    ['unbound', 'totals'],
    ['unbound', 'secret.two'],
  ])('REST answers the key %s for %s', async (name, endpoint) => {
    const refused = await rest(name, `${path}/${endpoint}?project=abc`);
    if (hides(name)) expect(refused).toEqual(await rest(name, `${path}/nope?project=abc`));
    else expect(refused[0]).toBe(403);
    for (const format of ['.csv?', '.xlsx?', '?format=xml&', '?format=csv&format=csv&']) {
      const formatted = await rest(name, `${path}/${endpoint}${format}project=abc`);
      if (hides(name)) expect(formatted).toEqual(await rest(name, `${path}/nope${format}project=abc`));
      else expect(formatted[0], format).toBe(403);
    }
    expect((await rest(name, `${path}/open.one?project=abc`))[0]).toBe(200);
    expect((await rest('all', `${path}/${endpoint}?project=abc`))[0]).toBe(200);
  });

  test.each(['narrow', 'unbound'])(
    'GraphQL answers the key %s for fields of other endpoints',
    async (name) => {
      const [field, none] = [
        'secretTwo(project: "abc") { rowCount }',
        'noneTwo(project: "abc") { rowCount }',
      ];
      const refused = await graphql(name, `{ ${field} openOne(project: "abc") { rowCount } }`);
      if (hides(name)) {
        const missing = await graphql(name, `{ ${none} openOne(project: "abc") { rowCount } }`);
        expect(JSON.stringify(refused).replaceAll('secret', 'none')).toBe(JSON.stringify(missing));
        expect(refused.errors?.[0]?.message).toContain('Cannot query field "secretTwo"');
      } else {
        expect(refused).toMatchObject({
          data: { secretTwo: null, openOne: { rowCount: 1 } },
          errors: [{ extensions: { code: 'FORBIDDEN' } }],
        });
      }
    },
  );

  test('misspelled names are answered with names that introspection shows the key, and no others', async () => {
    const meant = async (name: string, query: string) =>
      /; did you mean (\w+)\?$/.exec((await graphql(name, query)).errors?.[0]?.message ?? '')?.[1];
    for (const name of ['narrow', 'unbound', 'all']) {
      expect(await meant(name, '{ openOn(project: "abc") { rowCount } }'), name).toBe('openOne');
      expect(await meant(name, '{ openOne(projct: "abc") { rowCount } }'), name).toBe('project');
      const field = '{ secretTwoo(project: "abc") { rowCount } }';
      expect(await meant(name, field), name).toBe(name === 'all' ? 'secretTwo' : undefined);
      const column = '{ secretTwo(project: "abc") { rows { secretXx } } }';
      expect(await meant(name, column), name).toBe(name === 'all' ? 'secretX' : undefined);
    }
  });

  test('introspection shows every key what it may query, and no more', async () => {
    const queries = [
      getIntrospectionQuery(),
      '{ __schema { types { name fields { name } } } }',
      '{ __type(name: "SecretTwoResult") { name fields { name } } query: __type(name: "Query") { fields { name } } }',
      'query ($n: String = "SecretTwoRow") { __type(name: $n) { fields { name } } }',
      '{ endpoints { name columns { name } } }',
      '{ ...F } fragment F on Query { a: __schema { queryType { fields { name } } } }',
    ];
    for (const query of queries) {
      for (const name of ['narrow', 'unbound']) {
        for (const method of ['GET', 'POST'] as const) {
          if (method === 'GET' && query.length > 1_000) continue;
          const { data, errors } = await graphql(name, query, method);
          expect(errors).toBeUndefined();
          expect(JSON.stringify(data).replace('"secretTwoRow"', ''), `${name} ${query}`).not.toMatch(
            secretWords,
          );
        }
      }
    }
    const { data } = await graphql('bound', getIntrospectionQuery());
    expect(printSchema(buildClientSchema(data as never))).toMatch(/secretTwo/);
    expect(JSON.stringify(data)).not.toMatch(/totals|Totals/);
    const all = await graphql('all', getIntrospectionQuery());
    expect(JSON.stringify(all.data)).toMatch(/Totals/);
  });

  test('names that are written with escapes show no more', async () => {
    const headers = { 'x-api-key': file.keyOf('unbound'), 'content-type': 'application/json' };
    const body = '{"query":"{ \\u005f\\u005fschema { types { name fields { name } } } }"}';
    const response = await app.fetch('/graphql', { method: 'POST', headers, body });
    expect(await response.text()).not.toMatch(secretWords);
    const url = '/graphql?query=%7B%20%5F%5Fschema%20%7B%20types%20%7B%20name%20%7D%20%7D%20%7D';
    expect(await (await app.fetch(url, { headers })).text()).not.toMatch(secretWords);
  });

  test('a document and its result are kept for each key’s schema alone', async () => {
    const query = '{ secretTwo(project: "abc") { rows { secretX } } }';
    const expected = { data: { secretTwo: { rows: [{ secretX: 3 }] } } };
    for (let round = 0; round < 3; round += 1) {
      expect(await graphql('bound', query)).toEqual(expected);
      expect(await graphql('all', query)).toEqual(expected);
      const { errors, data } = await graphql('narrow', query);
      expect(errors).toHaveLength(1);
      expect(data?.secretTwo ?? null).toBeNull();
      // Requests of different schemas have results of their own.
      expect(await graphql('narrow', '{ openOne(project: "abc") { rows { x } } }')).toEqual({
        data: { openOne: { rows: [{ x: 3 }] } },
      });
    }
  });

  test('without a key there is nothing', async () => {
    for (const headers of [{}, { 'x-api-key': 'wrong' }]) {
      const response = await app.fetch('/graphql?query={__schema{types{name}}}', { headers });
      expect(response.status).toBe(401);
      expect(await response.text()).not.toMatch(secretWords);
    }
    const page = await app.fetch('/graphql', { headers: { accept: 'text/html' } });
    const text = await page.text();
    expect(text).toContain('<title>GraphiQL – Querygate</title>');
    for (const word of ['openOne', 'secretTwo', 'totals {', apiKey]) expect(text).not.toContain(word);
  });
});
