import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queryText } from '../support/queries.ts';
import { apiKey, openTestApp, type TestApp } from '../support/test-app.ts';

const queries: Readonly<Record<string, Parameters<typeof queryText>[0]>> = {
  days: {
    columns: { since: 'date' },
    caching: ['caching: 3600s'],
    parameters: {
      since: '{ type: date, bind: DATE, default: -1d, min: -2d, max: 0d, description: The first day. }',
    },
    sql: 'select @since as since',
  },
  moments: {
    columns: { since: 'timestamp' },
    caching: ['caching: 900s'],
    parameters: { since: '{ type: timestamp, bind: TIMESTAMP, default: -1d, description: Since. }' },
    sql: 'select @since as since',
  },
  hours: {
    columns: { since: 'timestamp' },
    caching: ['caching: 3600s'],
    parameters: { since: '{ type: timestamp, bind: TIMESTAMP, default: -1h, description: Since. }' },
    sql: 'select @since as since',
  },
  values: {
    columns: { texts: 'string' },
    caching: ['caching: 60s'],
    parameters: {
      codes:
        '{ type: integer, repeated: true, default: [200, 404], max_items: 3, min: 100, description: Codes. }',
      word: "{ type: string, max_length: 3, pattern: '^[a-z]*$', description: A word. }",
    },
    sql: "select concat(array_to_string(array(select cast(c as string) from unnest(@codes) as c), ','), @word) as texts",
  },
  large: {
    columns: { text: 'string' },
    parameters: {
      id: "{ type: integer, bind: INT64, default: '9223372036854775807', max: '9223372036854775807', description: An id. }",
      ids: "{ type: integer, repeated: true, default: ['9007199254740993'], description: Ids. }",
    },
    sql: 'select concat(cast(@id as string), to_json_string(@ids)) as text',
  },
};

describe('lists, bounds and relative defaults over HTTP', () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-parameters-'));
  let time = new Date('2026-03-10T23:58:30.500Z');
  let app: TestApp;
  beforeAll(async () => {
    for (const [name, draft] of Object.entries(queries))
      writeFileSync(join(folder, `${name}.sql`), queryText({ ...draft, name }));
    app = await openTestApp({}, { QUERIES_DIR: folder }, { clock: () => time });
  });
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true });
  });

  const get = async (path: string) => {
    const response = await app.fetch(`/api/endpoints/query/${path}`);
    const body = (await response.json()) as { result?: object[]; error?: { code: string; message: string } };
    return { ...body, status: response.headers.get('cache-status') ?? '' };
  };
  const graphql = async (query: string, variables?: object) => {
    const response = await app.fetch('/graphql', {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    return response.json();
  };

  test('a relative date changes at midnight, for the same request too', async () => {
    time = new Date('2026-03-10T23:58:30.500Z');
    expect((await get('days')).result).toEqual([{ since: '2026-03-09' }]);
    time = new Date('2026-03-10T23:59:59.999Z');
    expect(await get('days')).toMatchObject({
      result: [{ since: '2026-03-09' }],
      status: expect.stringContaining('hit'),
    });
    expect(await graphql('{ days { rows { since } } }')).toEqual({
      data: { days: { rows: [{ since: '2026-03-09' }] } },
    });
    expect((await get('days?since=2026-03-11')).error?.message).toContain(
      'must be between 2026-03-08 and 2026-03-10',
    );
    expect((await get('days?since=2026-03-08')).result).toEqual([{ since: '2026-03-08' }]);
    time = new Date('2026-03-11T00:00:00.000Z');
    expect(await get('days')).toMatchObject({
      result: [{ since: '2026-03-10' }],
      status: expect.stringContaining('miss'),
    });
    expect(await graphql('{ days { rows { since } } }')).toEqual({
      data: { days: { rows: [{ since: '2026-03-10' }] } },
    });
    expect((await get('days?since=2026-03-11')).result).toEqual([{ since: '2026-03-11' }]);
    time = new Date('2026-03-11T00:01:00.000Z');
    expect((await get('days?since=2026-03-08')).error?.message).toContain(
      'must be between 2026-03-09 and 2026-03-11',
    );
  });

  test('browsers keep a result until a relative default changes, and no longer', async () => {
    const cacheControl = async (path: string) =>
      (await app.fetch(`/api/endpoints/query/${path}`)).headers.get('cache-control');
    time = new Date('2026-03-12T10:00:00.000Z');
    expect(await cacheControl('days')).toMatch(/^private, max-age=3600, stale-if-error=\d+$/);
    time = new Date('2026-03-12T23:59:30.000Z');
    expect(await cacheControl('days')).toBe('private, max-age=30, stale-if-error=0');
    expect(await cacheControl('days')).toBe('private, max-age=30, stale-if-error=0');
    // Bounds are relative, too, but a value that was sent stays what it is.
    expect(await cacheControl('days?since=2026-03-12')).toMatch(/^private, max-age=3600/);
  });

  test('a relative moment is rounded down, so that requests share a result', async () => {
    const since = async (path: string) => {
      const { result, status } = await get(path);
      const [row] = result as { since: number }[];
      return `${new Date((row?.since ?? 0) / 1000).toISOString()} ${status.includes('hit') ? 'hit' : 'miss'}`;
    };
    time = new Date('2026-03-10T12:34:56.789Z');
    expect(await since('moments')).toBe('2026-03-09T12:30:00.000Z miss');
    expect(await since('hours')).toBe('2026-03-10T11:30:00.000Z miss');
    time = new Date('2026-03-10T12:35:59.999Z');
    expect(await since('moments')).toBe('2026-03-09T12:30:00.000Z hit');
    expect(await since('hours')).toBe('2026-03-10T11:30:00.000Z hit');
    time = new Date('2026-03-10T12:36:00.000Z');
    // A tenth of an hour.
    expect(await since('hours')).toBe('2026-03-10T11:36:00.000Z miss');
    time = new Date('2026-03-10T12:45:00.000Z');
    expect(await since('moments')).toBe('2026-03-09T12:45:00.000Z miss');
  });

  test('an explicit list and the same default share a result; another order is another one', async () => {
    expect(await get('values')).toMatchObject({
      result: [{ texts: '200,404' }],
      status: expect.stringContaining('miss'),
    });
    expect((await get('values?codes=200&codes=404')).status).toContain('hit');
    expect((await get('values?codes=%2B200&codes=0404&other=1')).status).toContain('hit');
    expect((await get('values?codes=404&codes=200')).status).toContain('miss');
    expect((await get('values?codes=200404')).status).toContain('miss');
    expect(await graphql('{ values(codes: [200, 404]) { cacheStatus } }')).toEqual({
      data: { values: { cacheStatus: 'HIT' } },
    });
    expect(await graphql('{ values(codes: []) { rows { texts } } }')).toEqual({
      data: { values: { rows: [{ texts: '' }] } },
    });
  });

  test.each([
    ['codes=200&codes=abc', 'codes: ["x"]', 'codes: value 2: got "abc"; must be an integer at least 100'],
    ['codes=99', 'codes: [99]', 'codes: value 1: got "99"; must be at least 100'],
    [
      'codes=200,404',
      undefined,
      'repeat the parameter instead of separating values by commas: codes=…&codes=…',
    ],
    ['codes=200&codes=', undefined, 'codes: value 2: is empty; leave it out'],
    [
      'codes=100&codes=100&codes=100&codes=100',
      'codes: [100, 100, 100, 100]',
      'codes: has 4 values; the limit is 3',
    ],
    ['word=abcd', 'word: "abcd"', 'word: got "abcd"; must have at most 3 characters'],
    ['word=a1', 'word: "a1"', 'word: got "a1"; must match ^[a-z]*$'],
    ['word=a&word=b', undefined, 'word: is repeated; send it once'],
  ])('%s is refused, in REST and in GraphQL', async (query, argument, message) => {
    const { error } = await get(`values?${query}`);
    expect(error).toMatchObject({ code: 'INVALID_PARAMETER', message: expect.stringContaining(message) });
    if (argument === undefined || argument.includes('"x"')) return;
    expect(await graphql(`{ values(${argument}) { rows { texts } } }`)).toMatchObject({
      errors: [{ message: error?.message, extensions: { code: 'INVALID_PARAMETER' } }],
    });
  });

  test('a query string has room for a list beside a hundred others', async () => {
    const many = (name: string, count: number) =>
      Array.from({ length: count }, () => `${name}=100`).join('&');
    const message = async (query: string) => (await get(`values?${query}`)).error?.message;
    expect(await message(many('codes', 500))).toBe('codes: has 500 values; the limit is 3');
    expect(await message(many('other', 101))).toBe('The query string has more than 100 parameters');
    expect(await message(`${many('codes', 3)}&${many('other', 97)}`)).toBeUndefined();
    expect(await message(`${many('codes', 3)}&${many('other', 101)}`)).toContain('more than 100 parameters');
    // Shorter names, for a URL that is not too long.
    expect(await message('&'.repeat(1_200))).toContain('more than 1100 parameters');
  });

  test('an integer in quotes in the variables of GraphQL is said to need none', async () => {
    const messageOf = async (x: unknown) => {
      const query = 'query ($x: SafeInt!) { values(codes: [$x]) { rows { texts } } }';
      const { errors } = (await graphql(query, { x })) as { errors?: { message: string }[] };
      return errors?.[0]?.message;
    };
    expect(await messageOf(404)).toBeUndefined();
    for (const text of ['404', 'x', ''])
      expect(await messageOf(text)).toContain(
        `must be a whole number, without quotes; got ${JSON.stringify(text)}`,
      );
    expect(await messageOf(404.5)).toContain('SafeInt cannot represent non-integer value: 404.5');
  });

  test('GraphQL and OpenAPI describe them', async () => {
    const { data } = (await graphql(
      '{ __type(name: "Query") { fields { name args { name description defaultValue type { name kind ofType { kind ofType { name } } } } } } endpoint(name: "values") { parameters { name default repeated maxItems min maxLength pattern } } }',
    )) as {
      data: { __type: { fields: { name: string; args: object[] }[] }; endpoint: { parameters: object[] } };
    };
    const args = (name: string) => data.__type.fields.find((field) => field.name === name)?.args;
    expect(args('values')?.[0]).toMatchObject({
      description: 'Codes. At most 3 values. At least 100.',
      defaultValue: '[200, 404]',
      type: { kind: 'LIST', ofType: { kind: 'NON_NULL', ofType: { name: 'SafeInt' } } },
    });
    expect(args('days')?.[0]).toMatchObject({
      description: 'The first day. From 2 days ago (UTC) to today (UTC). Default: 1 day ago (UTC).',
      defaultValue: null,
      type: { name: 'Date' },
    });
    expect(data.endpoint.parameters).toEqual([
      {
        name: 'codes',
        default: '200,404',
        repeated: true,
        maxItems: 3,
        min: '100',
        maxLength: null,
        pattern: null,
      },
      {
        name: 'word',
        default: null,
        repeated: false,
        maxItems: null,
        min: null,
        maxLength: 3,
        pattern: '^[a-z]*$',
      },
    ]);
    const openapi = (await (await app.fetch('/openapi.json')).json()) as {
      paths: Record<string, { get: { parameters: { name?: string }[] } }>;
    };
    const parameter = (name: string, of: string) =>
      openapi.paths[`/api/endpoints/query/${of}`]?.get.parameters.find((one) => one.name === name);
    expect(parameter('codes', 'values')).toMatchObject({
      style: 'form',
      explode: true,
      schema: {
        type: 'array',
        items: { type: 'integer', format: 'int64', minimum: 100 },
        maxItems: 3,
        default: [200, 404],
      },
    });
    expect(parameter('word', 'values')).toMatchObject({
      schema: { type: 'string', maxLength: 3, pattern: '^[a-z]*$' },
    });
    expect(parameter('since', 'days')).toMatchObject({
      schema: { type: 'string', format: 'date', 'x-relative-default': '-1d' },
    });
  });

  test('a default that numbers of JSON would round is applied, but in no schema', async () => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const text = '9223372036854775807["9007199254740993"]';
    expect(await app.rows('large')).toEqual([{ text }]);
    expect(await app.data('{ large { rows { text } } }')).toEqual({ large: { rows: [{ text }] } });
    const query = '{ __schema { queryType { fields { name args { defaultValue } } } } }';
    const introspection = (await app.data(query)) as {
      readonly __schema: { readonly queryType: { readonly fields: readonly { readonly name: string }[] } };
    };
    expect(introspection.__schema.queryType.fields.find(({ name }) => name === 'large')).toMatchObject({
      args: [{ defaultValue: null }, { defaultValue: null }],
    });
    const openapi = await (await app.fetch('/openapi.json', { headers })).json();
    const { parameters } = openapi.paths['/api/endpoints/query/large'].get;
    expect(parameters.slice(0, 2)).toMatchObject([
      {
        description: 'An id.\nAt most 9223372036854775807.\nDefault: 9223372036854775807.',
        schema: { type: 'integer', format: 'int64', 'x-exact-default': '9223372036854775807' },
      },
      {
        description: 'Ids.\nAt most 1000 values.\nDefault: 9007199254740993.',
        schema: { 'x-exact-default': ['9007199254740993'] },
      },
    ]);
    for (const { schema } of parameters.slice(0, 2)) {
      expect(schema).not.toHaveProperty('default');
      expect(schema).not.toHaveProperty('maximum');
    }
  });
});
