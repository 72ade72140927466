import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ago, apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const requests = [
  { path: '/rest/v1/a', at: ago({ minutes: 1 }) },
  { path: '/auth/v1/token', at: ago({ minutes: 2 }) },
];

describe('GraphQL', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp({
      edge_logs: requests.map(({ path, at }, id) => ({
        id: `${id}`,
        timestamp: at,
        project: 'p',
        event_message: path,
        metadata: [{ request: [{ path, url: `https://p.example.co${path}` }] }],
      })),
      function_edge_logs: [
        {
          id: 'call',
          timestamp: '2026-03-10T12:34:00.000001Z',
          metadata: [{ project_ref: 'p', function_id: 'f', execution_time_ms: 12 }],
        },
      ],
    });
  });
  afterAll(() => app.close());

  const post = (body: unknown, headers: Record<string, string> = { 'x-api-key': apiKey }) =>
    app.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const errors = async (query: string, variables = {}) =>
    (
      (await (await post({ query, variables })).json()) as {
        errors: { message: string; extensions: object }[];
      }
    ).errors;

  test('returns the rows of every endpoint as REST does', async () => {
    const data = await app.data(`{
      functionsInvocationStats(project: "p", interval: ONE_HOUR) {
        rows { timestamp minExecutionTime maxExecutionTime avgExecutionTime p95ExecutionTime p99ExecutionTime count errorCount }
      }
      logsAll(project: "p") { rows { id timestamp eventMessage metadata { request { path url headers { accept } } } } rowCount truncated computedAt }
      usageApiCounts(project: "p", interval: MINUTELY) {
        rows { timestamp totalRestRequests totalStorageRequests totalAuthRequests totalRealtimeRequests }
      }
    }`);
    const rest = {
      functionsInvocationStats: await app.rows('functions.invocation-stats', {
        project: 'p',
        interval: '1hr',
      }),
      logsAll: await app.rows('logs.all', { project: 'p' }),
      usageApiCounts: await app.rows('usage.api-counts', { project: 'p', interval: 'minutely' }),
    };
    for (const [field, rows] of Object.entries(rest)) {
      expect((data[field] as { rows: unknown }).rows).toEqual(rows.map(inGraphql).map(selected));
      expect(rows.length).toBeGreaterThan(0);
    }
    expect(data.logsAll).toMatchObject({
      rowCount: 2,
      truncated: false,
      computedAt: '2026-03-10T12:34:56.789000Z',
    });
  });

  test('timestamps are RFC 3339 with microseconds, datetimes have no time zone', async () => {
    expect(
      await app.data(`{
        functionsInvocationStats(project: "p", interval: FIVE_MINUTES) { rows { timestamp } }
        usageApiCounts(project: "p", interval: HOURLY) { rows { timestamp } }
      }`),
    ).toEqual({
      functionsInvocationStats: { rows: [{ timestamp: '2026-03-10T12:34:00.000000Z' }] },
      usageApiCounts: { rows: [{ timestamp: '2026-03-10T12:00:00' }] },
    });
  });

  test('DateTime arguments bound a range, from literals and variables; null and empty texts are no bounds', async () => {
    const data = await app.data(
      `query ($end: DateTime, $empty: DateTime) {
        start: logsAll(project: "p", isoTimestampStart: "2026-03-10T13:33:00+01:00") { rowCount }
        end: logsAll(project: "p", isoTimestampEnd: $end) { rowCount }
        none: logsAll(project: "p", isoTimestampEnd: null, projectTier: PRO) { rowCount }
        empty: logsAll(project: "p", isoTimestampStart: "", isoTimestampEnd: $empty, projectTier: PRO) { rowCount }
      }`,
      { end: '2026-03-10T12:33:00Z', empty: '' },
    );
    const [one, all] = [{ rowCount: 1 }, { rowCount: 2 }];
    expect(data).toEqual({ start: one, end: one, none: all, empty: all });
  });

  test('a failing field does not affect the data of others', async () => {
    const response = await post({
      query:
        '{ bad: usageApiCounts(project: "(", interval: DAILY) { rowCount } good: logsAll(project: "p") { rowCount } }',
    });
    expect(await response.json()).toMatchObject({
      data: { bad: null, good: { rowCount: 2 } },
      errors: [{ path: ['bad'], extensions: { code: 'INVALID_PARAMETER', parameter: 'project' } }],
    });
  });

  test('describes its endpoints', async () => {
    const { endpoints, byName, byId, none, nothing } = (await app.data(`{
      endpoints { id name field description maxRows caching cacheWarming querySandboxing query }
      byName: endpoint(name: "usage.api-counts") { id parameters { name type required values } columns { name type } }
      byId: endpoint(id: "C41E8B72-93DA-4D05-B6F1-5A2E7F80C9D4") { name }
      none: endpoint(name: "nope") { name }
      nothing: endpoint { name }
    }`)) as Record<string, never>;
    expect(endpoints).toMatchObject([
      {
        name: 'functions.invocation-stats',
        maxRows: 1000,
        caching: 900,
        cacheWarming: 300,
        querySandboxing: false,
      },
      { name: 'logs.all', field: 'logsAll', maxRows: 1000, caching: null, cacheWarming: null },
      { name: 'usage.api-counts', maxRows: 1000, caching: 900, cacheWarming: 300 },
    ]);
    expect(byName).toMatchObject({
      parameters: [
        { name: 'project', type: 'pattern', required: true, values: null },
        { name: 'interval', type: 'enum', required: true, values: ['minutely', 'hourly', 'daily'] },
      ],
    });
    expect([byId, none, nothing]).toEqual([{ name: 'usage.api-counts' }, null, null]);
  });

  test.each([
    ['an unknown enum value', '{ usageApiCounts(project: "p", interval: YEARLY) { rowCount } }'],
    ['a missing argument', '{ usageApiCounts(interval: DAILY) { rowCount } }'],
    ['an invalid timestamp', '{ logsAll(project: "p", isoTimestampStart: "yesterday") { rowCount } }'],
    ['an unknown field', '{ logsAll(project: "p") { nope } }'],
  ])('%s is reported by validation, with its location', async (_, query) => {
    const [error] = await errors(query);
    expect(error).toMatchObject({
      locations: [{ line: 1 }],
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    });
  });

  test('an invalid timestamp variable is reported with what would be valid', async () => {
    const [error] = await errors(
      'query ($at: DateTime) { logsAll(project: "p", isoTimestampStart: $at) { rowCount } }',
      {
        at: '2026-02-30',
      },
    );
    expect(error?.message).toContain('must be an ISO 8601 timestamp');
    expect(error?.extensions).toEqual({ code: 'BAD_USER_INPUT' });
  });

  test('every operation needs a key, introspection too', async () => {
    for (const query of [
      '{ __schema { types { name } } }',
      '{ __typename }',
      '{ logsAll(project: "p") { rowCount } }',
    ]) {
      const response = await post({ query }, {});
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({
        errors: [
          {
            message:
              'No key was sent; send one valid API key, in the header X-API-KEY or in Authorization after Bearer',
            extensions: { code: 'UNAUTHENTICATED' },
          },
        ],
      });
    }
  });

  test('a malformed body is reported without being quoted', async () => {
    const response = await post('{"query": "{ secret');
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain('secret');
  });

  test('GET works for queries', async () => {
    const response = await app.fetch(
      `/graphql?query=${encodeURIComponent('{ logsAll(project: "p") { rowCount } }')}`,
    );
    expect(await response.json()).toEqual({ data: { logsAll: { rowCount: 2 } } });
  });
});

/** A REST row as GraphQL returns it: camelCase, RFC 3339, null where REST omits a column. */
/** What the operation selects of a row of `logs.all`. */
function selected(row: Record<string, unknown>): Record<string, unknown> {
  if (!('metadata' in row)) return row;
  const metadata = row.metadata as { request: { path: string; url: string; headers: object[] }[] }[];
  return {
    ...row,
    metadata: metadata.map(({ request }) => ({
      request: request.map(({ path, url, headers }) => ({ path, url, headers })),
    })),
  };
}

function inGraphql(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/_(\w)/g, (__, letter: string) => letter.toUpperCase()),
      typeof value === 'number' && name === 'timestamp'
        ? new Date(value / 1000).toISOString().replace(/Z$/, `${String(value % 1000).padStart(3, '0')}Z`)
        : value,
    ]),
  );
}
