import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { columnTypes } from '../../src/catalog/model/saved-query.ts';
import { loadAnalyzed } from '../../src/catalog-analysis/load-analyzed.ts';
import { statusOf } from '../../src/errors.ts';
import { openapiDocument } from '../../src/plugins/openapi/document.ts';
import { type KeyFile, writeKeyFile } from '../support/key-files.ts';
import { queryText } from '../support/queries.ts';
import { ago, apiKey, openTestApp, type TestApp } from '../support/test-app.ts';

const { queries } = loadAnalyzed('queries');

/** A document as a reader of OpenAPI sees it: references are followed. */
interface Operation {
  operationId: string;
  parameters: { name: string; in: string; required?: boolean; schema: Record<string, unknown> }[];
  responses: Record<
    string,
    { headers: Record<string, unknown>; content: Record<string, { schema: Schema }> }
  >;
}
interface Schema {
  type: string;
  enum?: string[];
  format?: string;
  items: Schema;
  required: string[];
  properties: Record<string, Schema>;
}

function operationsOf(document: unknown): Map<string, Operation> {
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if ('$ref' in value) {
      const path = String(value.$ref).split('/').slice(1);
      const target = path.reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], document);
      expect(target, String(value.$ref)).toBeDefined();
      return resolve(target);
    }
    if (Array.isArray(value)) return value.map(resolve);
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolve(inner)]));
  };
  const { paths } = resolve(document) as { paths: Record<string, { get: Operation }> };
  return new Map(Object.entries(paths).map(([path, { get }]) => [path, get]));
}

const base = '/api/endpoints/query/';

describe('the OpenAPI document', () => {
  test('describes every endpoint with its parameters, enums, defaults and rows', () => {
    const operations = operationsOf(openapiDocument(queries));
    for (const query of queries) {
      const { parameters, responses } = operations.get(base + query.name) ?? expect.fail();
      const own = parameters.filter(
        (parameter) => parameter.in === 'query' && !('x-row-argument' in parameter),
      );
      expect(own.map(({ name, required }) => [name, required])).toEqual(
        query.parameters.map(({ name, required }) => [name, required]),
      );
      for (const [at, parameter] of query.parameters.entries()) {
        expect(own[at]?.schema.default).toBe(parameter.default);
        if (parameter.type !== 'enum') continue;
        expect(own[at]?.schema.enum).toEqual(parameter.values.map(({ value }) => value));
      }
      const rows = responses[200]?.content['application/json']?.schema.properties.result;
      expect(Object.keys(rows?.items.properties ?? {})).toEqual(query.columns.map(({ name }) => name));
      expect(rows?.items.required).toEqual(
        query.columns.filter(({ required }) => required).map(({ name }) => name),
      );
    }
    const ids = [...operations.values()].map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has a schema for every type of a column, with its unit', () => {
    const columns = columnTypes.map((type, at) => ({
      name: `c_${type}`,
      type,
      repeated: at % 2 === 0,
      required: false,
      unit: type === 'float' ? 'ms' : undefined,
      description: 'D.',
    }));
    const [query] = queries;
    const operations = operationsOf(openapiDocument(query === undefined ? [] : [{ ...query, columns }]));
    const row = operations.get(base + query?.name)?.responses[200]?.content['application/json']?.schema
      .properties.result?.items;
    expect(row?.required).toBeUndefined();
    expect(
      Object.values(row?.properties ?? {}).map(({ type, format, items }) => [type, format, items?.type]),
    ).toEqual([
      ['array', undefined, ['string', 'null']],
      ['integer', 'int64', undefined],
      ['array', undefined, ['number', 'null']],
      ['string', 'decimal', undefined],
      ['array', undefined, ['boolean', 'null']],
      ['integer', 'int64', undefined],
      ['array', undefined, ['string', 'null']],
      ['string', 'date', undefined],
      ['array', undefined, ['string', 'null']],
      ['string', undefined, undefined],
      ['array', undefined, undefined],
      ['object', undefined, undefined],
    ]);
    expect(row?.properties.c_float).toMatchObject({ 'x-unit': 'ms', description: 'D. Unit: ms.' });
  });

  test('has every error that REST can give, with its status', () => {
    const never = [
      ...['OPERATION_TOO_LARGE', 'NOT_FOUND', 'METHOD_NOT_ALLOWED', 'BODY_TOO_LARGE'],
      ...['UNSUPPORTED_MEDIA_TYPE', 'NOT_IMPLEMENTED', 'CANCELLED'],
    ];
    const { responses } = operationsOf(openapiDocument(queries)).values().next().value ?? expect.fail();
    const described = Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([status, { content }]) => {
        const { error } = content['application/json']?.schema.properties ?? {};
        return error?.properties.code?.enum?.map((code) => [code, Number(status)]) ?? [];
      });
    const expected = Object.entries(statusOf).filter(([code]) => !never.includes(code));
    expect(described.sort()).toEqual(expected.sort());
  });
});

describe('/openapi.json', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp({ function_edge_logs: [functionRecord] });
  });
  afterAll(() => app.close());

  const functionRecord = {
    timestamp: ago({ minutes: 5 }),
    project: 'p',
    metadata: [{ function_id: 'f', execution_time_ms: 12.5, response: [{ status_code: 500 }] }],
  };

  test('needs a key, and is the document of the whole catalog for one without restrictions', async () => {
    expect((await app.fetch('/openapi.json', { headers: {} })).status).toBe(401);
    const response = await app.fetch('/openapi.json');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const key = { permissions: ['catalog', 'fresh', 'metrics', 'sql'] };
    const expected = openapiDocument(queries, { mayPassSql: true, key });
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(expected)));
    expect(openapiDocument(queries)).not.toHaveProperty('x-key');
    const head = await app.fetch('/openapi.json', { method: 'HEAD', headers: { 'x-api-key': apiKey } });
    expect(head.status).toBe(200);
    const post = await app.fetch('/openapi.json', { method: 'POST', headers: { 'x-api-key': apiKey } });
    expect(post.status).toBe(405);
  });

  test('has a page for people, which contains nothing of the catalog and can be switched off', async () => {
    const page = await app.fetch('/openapi', { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const text = await page.text();
    for (const { name } of queries) expect(text).not.toContain(name);
    const without = await openTestApp({}, { PAGES: 'off' });
    expect((await without.fetch('/openapi', { headers: { accept: 'text/html' } })).status).toBe(404);
    expect((await without.fetch('/openapi.json')).status).toBe(200);
    await without.close();
  });

  test('is compressed, and 304 for who has it', async () => {
    const plain = await app.fetch('/openapi.json');
    const etag = plain.headers.get('etag') ?? '';
    const headers = { 'x-api-key': apiKey };
    const zipped = await app.fetch('/openapi.json', { headers: { ...headers, 'accept-encoding': 'gzip' } });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(Number(zipped.headers.get('content-length'))).toBeLessThan(
      Number(plain.headers.get('content-length')) / 3,
    );
    expect(zipped.headers.get('etag')).toBe(etag);
    const again = await app.fetch('/openapi.json', { headers: { ...headers, 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  test('describes the other formats as an operation of their own', async () => {
    const operations = operationsOf(await (await app.fetch('/openapi.json')).json());
    const path = `${base}functions.invocation-stats.{format}`;
    const { parameters, responses } = operations.get(path) ?? expect.fail();
    const names = parameters.find(({ name }) => name === 'format')?.schema.enum as string[];
    expect(names).toEqual(['csv', 'csv-bom', 'ndjson', 'parquet', 'arrow']);
    const described = Object.keys(responses[200]?.content ?? {});
    for (const name of names) {
      const response = await app.fetch(`${path.replace('{format}', name)}?project=p`);
      expect(response.status).toBe(200);
      expect(described).toContain(response.headers.get('content-type')?.split(';')[0]);
      expect(response.headers.has('content-disposition')).toBe(true);
      await response.arrayBuffer();
    }
  });

  test('has no extension that makes the name that of another query', () => {
    const [query = expect.fail()] = queries;
    const both = [
      { ...query, name: 'big', aliases: [] },
      { ...query, id: '00000000-0000-4000-8000-000000000000', name: 'big.csv', aliases: [] },
    ];
    const operations = operationsOf(openapiDocument(both));
    const { parameters } = operations.get(`${base}big.{format}`) ?? expect.fail();
    const { schema } = parameters.find(({ name }) => name === 'format') ?? expect.fail();
    expect(schema.enum).not.toContain('csv');
    expect(schema.enum).toContain('parquet');
    expect(operations.get(`${base}big`)).toMatchObject({
      'x-formats': expect.arrayContaining(['csv', 'parquet']),
    });
  });

  test('has no operation for other formats where no extension is left', () => {
    const [query = expect.fail()] = queries;
    const aliases = ['csv', 'csv-bom', 'ndjson', 'parquet', 'arrow'].map((format) => `big.${format}`);
    const one = openapiDocument([{ ...query, name: 'big', aliases }]);
    expect(Object.keys(one.paths as object)).toContain(`${base}big`);
    expect(Object.keys(one.paths as object)).not.toContain(`${base}big.{format}`);
  });

  test('finds the names that extensions make in time that grows with the number of queries', () => {
    const [query = expect.fail()] = queries;
    let reads = 0;
    const readsOf = (count: number) => {
      reads = 0;
      const many = Array.from({ length: count }, (_, at) => ({
        ...query,
        id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
        name: `q${at}`,
        get aliases() {
          reads += 1;
          return [];
        },
      }));
      openapiDocument(many);
      return reads;
    };
    expect(readsOf(40)).toBe(4 * readsOf(10));
  });

  test('names the headers that responses have', async () => {
    const operations = operationsOf(await (await app.fetch('/openapi.json')).json());
    const path = `${base}functions.invocation-stats`;
    const { responses } = operations.get(path) ?? expect.fail();
    const misspelt = `${path}?project=p&intervl=hour`;
    const success = await app.fetch(misspelt);
    const names = (status: number) => Object.keys(responses[status]?.headers ?? {});
    // Of keys with a rate, engines that bill, lakes, deprecated endpoints, and formats that are saved as files.
    const notHere =
      /^RateLimit|^Querygate-(?:Cost|Data-Version)|^Deprecation|^Sunset|^Link|^Content-Disposition/;
    const check = ({ headers, status }: Response) => {
      for (const name of names(status).filter((name) => !notHere.test(name)))
        expect(headers.has(name), name).toBe(true);
      const described = names(status).map((name) => name.toLowerCase());
      const own = [...headers.keys()].filter(
        (name) => !/^(content|cross|referrer|x-content|x-frame)-/.test(name),
      );
      expect(described).toEqual(expect.arrayContaining(own));
    };
    check(success);
    const headers = { 'x-api-key': apiKey, 'if-none-match': success.headers.get('etag') ?? '' };
    const unchanged = await app.fetch(misspelt, { headers });
    expect(unchanged.status).toBe(304);
    check(unchanged);
    check(await app.fetch(path, { headers: {} }));
    check(await app.fetch(path));
  });
});

describe('/openapi.json of keys with restrictions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  let file: KeyFile;
  let app: TestApp;
  beforeAll(async () => {
    const tenant = { project: '{ type: string, tenant: true, required: true, description: P. }' };
    const write = (name: string, more: object, sql: string) =>
      writeFileSync(
        join(folder, `${name}.sql`),
        queryText({ name, columns: { x: 'integer' }, sql, ...more }),
      );
    write('open.one', { parameters: tenant }, 'select length(@project) as x');
    write('totals', {}, 'select 41 + 1 as x');
    const caching = ['caching: disabled', 'query_sandboxing: enabled', 'aliases: [sandbox.old]'];
    write(
      'sandbox',
      { parameters: tenant, caching },
      'with t as (select length(@project) as x) select x from t',
    );
    file = writeKeyFile({
      bound: { tenants: ['abc'] },
      narrow: { endpoints: ['totals'] },
      all: {},
      sql: { tenants: ['abc'], permissions: ['sql'] },
    });
    app = await openTestApp({}, { QUERIES_DIR: folder, API_KEYS_FILE: file.path });
  });
  afterAll(async () => {
    await app.close();
    file.remove();
    rmSync(folder, { recursive: true });
  });

  test('shows what the key may query, and no SQL', async () => {
    const textFor = async (name: string) => {
      const response = await app.fetch('/openapi.json', { headers: { 'x-api-key': file.keyOf(name) } });
      return response.text();
    };
    for (let round = 0; round < 2; round += 1) {
      const [bound, narrow, all] = await Promise.all(['bound', 'narrow', 'all'].map(textFor));
      expect(bound).toContain('open.one');
      expect(bound).not.toMatch(/totals/i);
      expect(narrow).toContain('totals');
      expect(narrow).not.toMatch(/open\.?one/i);
      expect(all).toContain('totals');
      expect(all).toContain('open.one');
      expect(all).not.toMatch(/select |41 \+ 1/);
    }
  });

  test('describes SQL of callers to those who may send it, as an operation of its own', async () => {
    const pathsFor = async (name: string) => {
      const response = await app.fetch('/openapi.json', { headers: { 'x-api-key': file.keyOf(name) } });
      return operationsOf(await response.json());
    };
    const ids = async (name: string) =>
      [...(await pathsFor(name)).values()].map(({ operationId }) => operationId);
    expect(await ids('bound')).not.toContain('sandboxSql');
    expect(await ids('sql')).toContain('sandboxSql');
    const all = await pathsFor('all');
    const [path = '', operation] = [...all].find(([, { operationId }]) => operationId === 'sandboxSql') ?? [];
    expect(operation?.parameters[0]).toMatchObject({ name: 'sql', required: true });
    const url = `${path}?project=abc&sql=${encodeURIComponent('select x + 1 as y from t')}`;
    const response = await app.fetch(url, { headers: { 'x-api-key': file.keyOf('sql') } });
    expect(await response.json()).toEqual({ result: [{ y: 4 }] });
    expect(JSON.stringify(all.get(`${base}sandbox`))).toContain('/api/endpoints/query/sandbox.old');
  });
});
