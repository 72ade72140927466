import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { ago, openTestApp, type TestApp } from '../../support/test-app.ts';

/** Hostile references: substrings of each other, other cases, and every character with a meaning in patterns. */
const projects = [
  'abc',
  'xabc',
  'abcd',
  'ab',
  'ABC',
  'a|b',
  '.*',
  'abc-d',
  'a_c',
  '(?i)abc',
  '[a-z]+',
  '^',
  '$',
  '\\E.*\\Q',
  'a{2}',
  'ä',
  '👍',
  ' ',
  '{project}',
  '$&',
];

const secretOf = (project: string) => `rows of ${Buffer.from(project).toString('hex')}.`;

let requestCount = 0;
const request = (project: string, url: string) => {
  requestCount += 1;
  return {
    id: `${secretOf(project)} ${requestCount}`,
    timestamp: ago({ minutes: 1 }),
    project,
    event_message: secretOf(project),
    // The projects are distinguished by how many requests they have.
    metadata: [{ request: [{ url, path: '/rest/v1' }] }],
  };
};

const owned = (project: string, at: number) =>
  Array.from({ length: 2 ** (at % 8) }, () => request(project, `https://${project}.example.co/rest/v1`));

/** URLs of another tenant that contain a reference somewhere else. */
const disguised = [
  'https://evil.example.co/https://abc.example.co/rest',
  'https://evil.example.co/?u=https://abc.example.co/rest',
  'https://evil.example.co/#https://abc.',
  'https://abc.@evil.example.co/rest',
  'https://abc.:secret@evil.example.co/rest',
  'https://abc.\\@evil.example.co/rest',
  'https://evil.example.co/\nhttps://abc.example.co/rest',
  'https://abc.\n@evil.example.co/rest',
  'x\nhttps://abc.example.co/rest',
  'ftp://abc.example.co/rest',
  'https://abcx.example.co/rest',
  'https://ABC-.example.co/rest',
];

const keysFor = {
  one: { tenants: ['abc'] },
  two: { tenants: ['abc', 'xabc'] },
  all: {},
  ...Object.fromEntries(projects.map((project) => [`only ${project}`, { tenants: [project] }])),
};

describe('tenants', () => {
  let app: TestApp;
  let file: KeyFile;
  beforeAll(async () => {
    file = writeKeyFile(keysFor);
    app = await openTestApp(
      {
        edge_logs: [...projects.flatMap(owned), ...disguised.map((url) => request('evil', url))],
        function_edge_logs: projects.map((project) => ({
          id: secretOf(project),
          timestamp: ago({ minutes: 1 }),
          metadata: [
            { project_ref: project, function_id: 'f', execution_time_ms: projects.indexOf(project) },
          ],
        })),
      },
      { API_KEYS_FILE: file.path },
    );
  });
  afterAll(async () => {
    await app.close();
    file.remove();
  });

  const rest = async (key: string, name: string, parameters: Record<string, string> | string[][]) => {
    const search = new URLSearchParams(parameters);
    const response = await app.fetch(`/api/endpoints/query/${name}?${search}`, {
      headers: { 'x-api-key': file.keyOf(key) },
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const graphql = async (
    key: string,
    query: string,
    variables: object = {},
    method: 'GET' | 'POST' = 'POST',
  ) => {
    const headers = { 'x-api-key': file.keyOf(key), 'content-type': 'application/json' };
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    const response =
      method === 'GET'
        ? await app.fetch(`/graphql?${search}`, { headers })
        : await app.fetch('/graphql', { method, headers, body: JSON.stringify({ query, variables }) });
    return JSON.parse(await response.text());
  };
  const restTotal = (result: readonly { total_rest_requests: number }[]) =>
    result.reduce((sum, row) => sum + row.total_rest_requests, 0);

  test.each(projects.map((project, at) => [project, 2 ** (at % 8)] as const))(
    'a key restricted to %j reads its own rows from every endpoint, and no others',
    async (project, count) => {
      const key = `only ${project}`;
      const usage = await rest(key, 'usage.api-counts', { project, interval: 'hourly' });
      expect(restTotal(usage.body.result)).toBe(count);
      const logs = await rest(key, 'logs.all', { project });
      expect(logs.body.result).toHaveLength(Math.min(count, 100));
      for (const row of logs.body.result) expect(row.event_message).toBe(secretOf(project));
      const stats = await rest(key, 'functions.invocation-stats', { project });
      expect(stats.body.result).toMatchObject([{ count: 1, max_execution_time: projects.indexOf(project) }]);
    },
  );

  test.each([
    '.*',
    '',
    'a|b',
    'abc|xabc',
    '(?i)ABC',
    '(?i)abc',
    'abc.',
    'ab',
    'abcd',
    'ABC',
    ' abc',
    'abc ',
    'abc\n',
    '^abc',
    'https://abc',
    '^https?://(?:abc)\\.',
    '^https?://abc\\.[^/?#@\\\\\\s]*(?:[/?#]|$)',
    '\\Qabc\\E',
    'a\u0062\u0063\u200b',
    'ａｂｃ',
    '(',
  ])('a restricted key that sends %j gets 403 with the parameter, in REST and GraphQL', async (project) => {
    const error = { code: 'FORBIDDEN', parameter: 'project' };
    for (const name of ['usage.api-counts', 'logs.all', 'functions.invocation-stats']) {
      const refused = await rest('one', name, { project, interval: 'hourly' });
      expect(refused).toMatchObject({ status: 403, body: { error } });
      expect(refused.body.error.message).toMatch(/spelled exactly: abc$/);
    }
    const query = `query ($p: String!) {
      usageApiCounts(project: $p, interval: HOURLY) { rowCount }
      logsAll(project: $p) { rowCount }
      literal: functionsInvocationStats(project: ${JSON.stringify(project)}) { rowCount }
    }`;
    for (const method of ['GET', 'POST'] as const) {
      const { data, errors } = await graphql('one', query, { p: project }, method);
      expect(data).toEqual({ usageApiCounts: null, logsAll: null, literal: null });
      expect(errors).toHaveLength(3);
      for (const { extensions } of errors) expect(extensions).toEqual(error);
    }
  });

  test('without the parameter it is 403; given twice it is 400, in either order', async () => {
    expect(await rest('one', 'logs.all', {})).toMatchObject({ status: 403 });
    for (const twice of [
      ['abc', 'xabc'],
      ['xabc', 'abc'],
      ['abc', 'abc'],
      ['abc', ''],
    ]) {
      const refused = await rest('one', 'usage.api-counts', [
        ...twice.map((value) => ['project', value]),
        ['interval', 'hourly'],
      ]);
      expect(refused).toMatchObject({ status: 400, body: { error: { code: 'INVALID_PARAMETER' } } });
    }
    // Another spelling of the name is another parameter.
    expect(await rest('one', 'logs.all', { Project: 'abc' })).toMatchObject({ status: 403 });
    const both = await rest('one', 'logs.all', { PROJECT: 'xabc', project: 'abc' });
    expect(both.body.result[0].event_message).toBe(secretOf('abc'));
  });

  test('403 reveals nothing else: other parameters are checked only for the key’s own project', async () => {
    expect(await rest('one', 'usage.api-counts', { project: 'xabc', interval: 'nope' })).toMatchObject({
      status: 403,
    });
    expect(await rest('one', 'usage.api-counts', { project: 'abc', interval: 'nope' })).toMatchObject({
      status: 400,
    });
  });

  test('one GraphQL request with allowed and forbidden fields returns the allowed ones', async () => {
    const { data, errors } = await graphql(
      'two',
      `{
      a: usageApiCounts(project: "abc", interval: HOURLY) { rows { totalRestRequests } }
      b: usageApiCounts(project: "xabc", interval: HOURLY) { rows { totalRestRequests } }
      c: usageApiCounts(project: "abcd", interval: HOURLY) { rows { totalRestRequests } }
      d: logsAll(project: ".*") { rows { eventMessage } }
    }`,
    );
    expect(data).toEqual({
      a: { rows: [{ totalRestRequests: 1 }] },
      b: { rows: [{ totalRestRequests: 2 }] },
      c: null,
      d: null,
    });
    expect(errors.map(({ path }: { path: string[] }) => path[0])).toEqual(['c', 'd']);
  });

  test('a result cached for one caller is not returned to another', async () => {
    const url = '/api/endpoints/query/usage.api-counts?project=abcd&interval=hourly';
    const get = (key: string, more: Record<string, string> = {}) =>
      app.fetch(url, { headers: { 'x-api-key': file.keyOf(key), ...more } });
    const all = await get('all');
    const etag = all.headers.get('etag') ?? '';
    expect(all.status).toBe(200);
    for (const known of [etag, '*']) expect((await get('one', { 'if-none-match': known })).status).toBe(403);
    expect((await get('one', { 'cache-control': 'no-cache' })).status).toBe(403);
    expect((await get('only abcd', { 'if-none-match': '*' })).status).toBe(304);
    const query = encodeURIComponent('{ usageApiCounts(project: "abcd", interval: HOURLY) { rowCount } }');
    const refused = await app.fetch(`/graphql?query=${query}`, {
      headers: { 'x-api-key': file.keyOf('one'), 'if-none-match': '*' },
    });
    expect(refused.status).toBe(200);
    expect((await refused.json()) as object).toMatchObject({ data: { usageApiCounts: null } });
  });

  test('an unrestricted key’s text is a pattern: it is another query than the same text of a tenant', async () => {
    const unbound = await rest('all', 'usage.api-counts', { project: 'abc', interval: 'hourly' });
    const bound = await rest('one', 'usage.api-counts', { project: 'abc', interval: 'hourly' });
    expect(restTotal(bound.body.result)).toBe(1);
    expect(restTotal(unbound.body.result)).toBeGreaterThan(1);
  });

  test('no row of a project that a key may not read is returned, in any way of sending the request', async () => {
    const project = fc.oneof(
      fc.constantFrom(...projects),
      fc
        .tuple(
          fc.constantFrom('', '^', '(?i)', '(', '.*', '\\'),
          fc.constantFrom(...projects),
          fc.constantFrom('', '$', '|', ')', '.*', '\n', '\0'),
        )
        .map((parts) => parts.join('')),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    );
    const way = fc.constantFrom('rest', 'by id', 'graphql', 'variable', 'get', 'alias');
    const keys = fc.constantFrom(...Object.keys(keysFor).filter((key) => key !== 'all'));
    const interval = fc.constantFrom('minutely', 'hourly', 'daily', 'nope');
    const count = new Map(projects.map((one, at) => [one, 2 ** (at % 8)]));
    await fc.assert(
      fc.asyncProperty(keys, project, way, interval, async (key, value, by, bucket) => {
        const { tenants: allowed }: { readonly tenants?: readonly string[] } =
          keysFor[key as keyof typeof keysFor];
        const mine = new Set(allowed);
        const enumValue = bucket.toUpperCase();
        const fields = (argument: string) =>
          `logsAll(project: ${argument}) { rows { id eventMessage } } usageApiCounts(project: ${argument}, interval: ${enumValue}) { rows { totalRestRequests } }`;
        const literal = JSON.stringify(value);
        const answers = async () => {
          switch (by) {
            case 'rest':
              return [
                await rest(key, 'logs.all', { project: value }),
                await rest(key, 'usage.api-counts', { project: value, interval: bucket }),
                await rest(key, 'functions.invocation-stats', { project: value }),
              ];
            case 'by id':
              return [
                await rest(key, 'C41E8B72-93DA-4D05-B6F1-5A2E7F80C9D4', {
                  project: value,
                  interval: bucket,
                  ref: 'abc',
                }),
              ];
            case 'variable':
              return [await graphql(key, `query ($p: String!) { ${fields('$p')} }`, { p: value })];
            case 'get':
              return [await graphql(key, `{ ${fields(literal)} }`, {}, 'GET')];
            case 'alias':
              return [
                await graphql(
                  key,
                  `{ a: logsAll(project: ${JSON.stringify([...mine][0])}) { rows { id } } b: logsAll(project: ${literal}) { rows { eventMessage } } }`,
                ),
              ];
            default:
              return [await graphql(key, `{ ${fields(literal)} }`)];
          }
        };
        const text = JSON.stringify(await answers());
        for (const other of [...projects, 'evil']) {
          if (!mine.has(other))
            expect(text, `${key} requested ${value} by ${by}`).not.toContain(secretOf(other));
        }
        // Counts carry no names: they must be exactly those of the requested project.
        for (const [, total] of text.matchAll(/total_?rest_?requests":(\d+)/gi)) {
          expect(mine.has(value)).toBe(true);
          expect(Number(total)).toBe(count.get(value));
        }
      }),
      { numRuns: 300 },
    );
  });
});
