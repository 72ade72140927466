import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { mcpClient } from '../../support/mcp-request.ts';
import { ago, apiKey, now, openTestApp, type TestApp } from '../../support/test-app.ts';

/** The shipped queries; logs.all takes SQL, and its results are cached. */
const queries = mkdtempSync(join(tmpdir(), 'querygate-test-'));
cpSync('queries', queries, { recursive: true });
const file = join(queries, 'logs.all.sql');
writeFileSync(
  file,
  readFileSync(file, 'utf8')
    .replace('query_sandboxing: disabled', 'query_sandboxing: enabled')
    .replace('caching: disabled', 'caching: 60s\ncache_warming: 20s'),
);

const counts = `/*---
id: 5c1f7a52-8f0e-4b5e-9a66-0f6c2f7f3c11
description: Requests of a project by path.
max_rows: 100
caching: disabled
query_sandboxing: enabled
parameters:
  project: { type: string, required: true, tenant: true, description: Whose requests. }
  path: { type: string, default: /, description: What paths begin with. }
  direction:
    type: enum
    enum: Direction
    required: true
    description: The order of the rows.
    values:
      up: { name: UP, description: The fewest first. }
      down: { name: DOWN, description: The most first. }
  at_least: { type: integer, required: true, description: The least number of requests. }
  among: { type: string, repeated: true, description: Paths. }
columns:
  path: { type: string, description: The path. }
  n: { type: integer, description: The number. }
---*/
with requests as (
  select r.path from edge_logs as t, unnest(t.metadata) as m, unnest(m.request) as r
  where t.project = @project and starts_with(r.path, @path)
)
select path, count(*) as n from requests
where array_length(@among) = 0 or path in unnest(@among)
group by path having n >= cast(@at_least as int64)
order by if(@direction = 'up', n, -n)
`;
writeFileSync(join(queries, 'path.counts.sql'), counts);
writeFileSync(
  join(queries, 'path.strict.sql'),
  counts
    .replace('5c1f7a52', '5c1f7a53')
    .replace('max_rows', 'strict: true\nmax_rows')
    .replace(/enum: Direction/, 'enum: StrictDirection'),
);
writeFileSync(
  join(queries, 'path.function.sql'),
  counts
    .replace('5c1f7a52', '5c1f7a54')
    .replace(/enum: Direction/, 'enum: FunctionDirection')
    .replace(
      '---*/',
      '---*/\ncreate temp function begins(text STRING) as (starts_with(text, @path));\ncreate temp function is_wanted(text STRING) as (begins(text));',
    )
    .replace('starts_with(r.path, @path)', 'is_wanted(r.path)'),
);

const row = (project: string, id: string) => ({
  id,
  timestamp: ago({ minutes: 1 }),
  project,
  event_message: `message of ${project}`,
  metadata: [{ request: [{ path: '/rest/v1', method: 'GET' }] }],
});

const secret = 'a secret of at least thirty-two bytes';

/** A token for the tenant "a", as a backend makes it. */
const tokenWith = (permissions: readonly string[]) =>
  new SignJWT({ tenants: ['a'], permissions })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(new Date(now.getTime() + 900_000))
    .sign(new TextEncoder().encode(secret));

let keys: KeyFile;
let app: TestApp;
beforeAll(async () => {
  keys = writeKeyFile({
    'bound without': { tenants: ['a'] },
    'bound with': { tenants: ['a'], permissions: ['sql'] },
    'not bound': {},
    'another endpoint': { endpoints: ['usage.api-counts'] },
  });
  app = await openTestApp(
    { edge_logs: [row('a', '1'), row('a', '2'), row('b', '3')], auth_logs: [row('b', '4')] },
    { QUERIES_DIR: queries, MCP: 'on', API_KEYS_FILE: keys.path, JWT_SECRET: secret },
  );
});
afterAll(async () => {
  await app.close();
  keys.remove();
  rmSync(queries, { recursive: true });
});

async function get(parameters: Record<string, string>, key = apiKey, endpoint = 'logs.all') {
  const response = await app.fetch(`/api/endpoints/query/${endpoint}?${new URLSearchParams(parameters)}`, {
    headers: { 'x-api-key': key },
  });
  const body = (await response.json()) as {
    result?: unknown;
    error?: { code: string; message: string; parameter?: string };
  };
  return { status: response.status, headers: response.headers, ...body };
}

const count = 'select count(*) as n from edge_logs';

describe('SQL of a caller over a saved query, by REST', () => {
  test('gives its rows for the parameters, and those of the saved query without it', async () => {
    expect(await get({ project: 'a', sql: count })).toMatchObject({ status: 200, result: [{ n: 2 }] });
    expect(await get({ project: 'b', sql: count })).toMatchObject({ result: [{ n: 1 }] });
    expect(await get({ project: 'a', sql: 'select count(*) as n from auth_logs' })).toMatchObject({
      result: [{ n: 0 }],
    });
    expect(await get({ project: 'a', sql: '' })).toMatchObject({ result: [{ id: '1' }, { id: '2' }] });
    expect(await get({ project: 'a' })).toMatchObject({ result: [{ id: '1' }, { id: '2' }] });
  });

  test('is cached by its text and parameters, and not warmed', async () => {
    const sql = "select count(*) as cached from edge_logs where id != 'x'";
    const { runs } = app.counters;
    const status = async (parameters: Record<string, string>) =>
      (await get(parameters)).headers.get('cache-status') ?? '';
    expect(await status({ project: 'a', sql })).not.toContain('; hit');
    expect(await status({ project: 'a', sql })).toContain('hit');
    expect(await status({ project: 'b', sql })).not.toContain('; hit');
    expect(await status({ project: 'a', sql: `${sql} ` })).not.toContain('; hit');
    expect(app.counters.runs - runs).toBe(3);
    expect(app.counters.refreshes).toBe(0);
  });

  test('is cut at max rows', async () => {
    const sql = 'select x from unnest(generate_array(1, 1500)) as x';
    const { result } = await get({ project: 'a', sql });
    expect(result).toHaveLength(1000);
  });

  test.each([
    ['given twice', 'logs.all', 'project=a&sql=select+1+as+x&sql=select+2+as+x', 'is repeated'],
    ['with a NUL byte', 'logs.all', 'project=a&sql=select%001', 'NUL byte'],
    ['that is not Unicode', 'logs.all', 'project=a&sql=%FF', 'well-formed'],
    [
      'for an endpoint that takes none',
      'usage.api-counts',
      'project=a&interval=daily&sql=select+1',
      'query_sandboxing: enabled',
    ],
  ])('%s is refused', async (_, endpoint, search, reason) => {
    const response = await app.fetch(`/api/endpoints/query/${endpoint}?${search}`);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string; parameter: string } };
    expect(error).toMatchObject({ code: 'INVALID_PARAMETER', parameter: 'sql' });
    expect(error.message).toContain(reason);
  });

  test('errors name the place and the tables, and nothing else of the saved query', async () => {
    const { status, error } = await get({ project: 'a', sql: 'select 1 as x\nfrom secrets' });
    expect(status).toBe(400);
    expect(error?.message).toBe(
      'sql: line 2, column 6: no table is named secrets; the tables of this endpoint are edge_logs, postgres_logs, function_edge_logs, function_logs, auth_logs, realtime_logs, storage_logs, postgrest_logs, pgbouncer_logs',
    );
  });

  test.each([
    [
      'select idd from edge_logs',
      'no column is named idd; did you mean id?; the columns here are id STRING, ',
    ],
    ['select e.idd from edge_logs as e, auth_logs', 'did you mean id?; the columns here are id STRING, '],
    ['select * except (idd) from edge_logs', 'did you mean id?; the columns here are id STRING, '],
    [
      'select count(*) as n from edge_logs order by m',
      'no column is named m; the columns here are n INT64, id ',
    ],
    ['select 1 as x from edge_logs join auth_logs using (i)', 'the columns here are id STRING, timestamp '],
    ['select a from (select id as b from edge_logs)', 'no column is named a; the columns here are b STRING'],
    ['select n from unnest([1]) as m', 'no column is named n; the columns here are m INT64'],
    ['select id', 'no column is named id; the tables of this endpoint are edge_logs, '],
    [
      'select m.pth from edge_logs as e, e.metadata as m',
      'no field is named pth; its fields are request ARRAY<STRUCT<',
    ],
    ['select struct(1 as a, "x" as b).c as x', 'no field is named c; its fields are a INT64, b STRING'],
    [
      'select id + 1 as x from edge_logs',
      '+ does not take (STRING, INT64): CAST one; the columns here are id ',
    ],
    ['select id from edge_logs where id > 5', 'CAST one; the columns here are id STRING, '],
    ['select upper(timestamp) as x from edge_logs', 'it takes (STRING), (BYTES); the columns here are id '],
    ['select id from edge_logs where timestamp > "x"', "literal: x; write it as in '2026-01-31 12:00:00+00'"],
    ['select 1 as x union all select "x" as x', 'no common type for column 1 (INT64, STRING): CAST one'],
    ['select id from edge_logs limit id', 'LIMIT takes a literal or a parameter, and no column'],
  ])('an error says what is right: %s', async (sql, right) => {
    const { status, error } = await get({ project: 'a', sql });
    expect([status, error?.message]).toEqual([400, expect.stringContaining(right)]);
    expect(error?.message).not.toMatch(/coalesce|nullif|@/i);
  });

  test('results are bounded in bytes, of one value and of all', async () => {
    const long = await get({ project: 'a', sql: "select repeat('x', 1000001) as x" });
    expect(long).toMatchObject({ status: 422, error: { code: 'QUERY_TOO_EXPENSIVE' } });
    const many = "select repeat('x', 900000) as x from unnest(generate_array(1, 30)) as n";
    expect(await get({ project: 'a', sql: many })).toMatchObject({ status: 422 });
    const nested = "select [struct(repeat('x', 1000001) as y)] as x";
    const { status, error } = await get({ project: 'a', sql: nested });
    expect([status, error?.message]).toEqual([
      422,
      'sql: a value of the result has more than 1,000,000 bytes; select fewer columns or rows, or a part of the value',
    ]);
  });

  test.each([
    "if(n = 1, repeat('é', 600000), cast(div(1, n - 2) as string)) as a",
    "if(n = 2, repeat('é', 600000), cast(div(1, n - 1) as string)) as a",
    "repeat('é', 600000) as a, div(1, n - 2) as b",
    "div(1, n - 2) as b, [repeat('é', 600000)] as a",
  ])(
    'a failure is reported before a value that is too long, whichever DuckDB computes first: %s',
    async (columns) => {
      const sql = `select ${columns} from unnest([1, 2]) as n`;
      expect(await get({ project: 'a', sql })).toMatchObject({ status: 400 });
    },
  );
});

describe('the permission sql', () => {
  test('a key that is bound to tenants needs it, and reads its tenant only', async () => {
    const refused = await get({ project: 'a', sql: count }, keys.keyOf('bound without'));
    expect(refused).toMatchObject({ status: 403, error: { code: 'FORBIDDEN', parameter: 'sql' } });
    expect(refused.error?.message).toBe('sql: this key has no permission sql; leave sql out');
    expect(await get({ project: 'a' }, keys.keyOf('bound without'))).toMatchObject({ status: 200 });
    expect(await get({ project: 'a', sql: count }, keys.keyOf('bound with'))).toMatchObject({
      result: [{ n: 2 }],
    });
    expect(await get({ project: 'b', sql: count }, keys.keyOf('bound with'))).toMatchObject({ status: 403 });
    // A cached result of another key is not given either.
    expect(await get({ project: 'a', sql: count }, keys.keyOf('bound without'))).toMatchObject({
      status: 403,
    });
  });

  test('a token needs it in its claim permissions', async () => {
    const withToken = async (permissions: readonly string[], project: string) => {
      const search = new URLSearchParams({ project, sql: count });
      const headers = { authorization: `Bearer ${await tokenWith(permissions)}` };
      const response = await app.fetch(`/api/endpoints/query/logs.all?${search}`, { headers });
      return { status: response.status, body: await response.json() };
    };
    expect(await withToken(['sql'], 'a')).toEqual({ status: 200, body: { result: [{ n: 2 }] } });
    expect(await withToken(['sql'], 'b')).toMatchObject({ status: 403 });
    for (const permissions of [[], ['fresh'], ['SQL', 'read:sql']])
      expect(await withToken(permissions, 'a')).toMatchObject({
        status: 403,
        body: { error: { code: 'FORBIDDEN', parameter: 'sql' } },
      });
  });

  test('other keys have it', async () => {
    expect(await get({ project: 'b', sql: count }, keys.keyOf('not bound'))).toMatchObject({
      result: [{ n: 1 }],
    });
    expect(await get({ project: 'b', sql: count }, keys.keyOf('another endpoint'))).toMatchObject({
      status: 403,
    });
  });
});

describe('SQL of a caller over a saved query, by GraphQL', () => {
  test('has its rows as JSON, and the types of its columns', async () => {
    const data = await app.data(
      `query($sql: String!) { logsAllSql(project: "a", sql: $sql) {
        columns { name type repeated } rows rowCount truncated cacheStatus } }`,
      {
        sql: 'select id, timestamp, [1, 2] as list, metadata from edge_logs where @project = "a" order by id limit 1',
      },
    );
    expect(data).toEqual({
      logsAllSql: {
        columns: [
          { name: 'id', type: 'string', repeated: false },
          { name: 'timestamp', type: 'timestamp', repeated: false },
          { name: 'list', type: 'integer', repeated: true },
          { name: 'metadata', type: 'record', repeated: true },
        ],
        rows: [expect.objectContaining({ id: '1', list: [1, 2] })],
        rowCount: 1,
        truncated: false,
        cacheStatus: 'MISS',
      },
    });
  });

  test('shares its result with REST', async () => {
    const sql = 'select max(id) as shared from edge_logs';
    await get({ project: 'a', sql });
    const data = await app.data(
      'query($sql: String!) { logsAllSql(project: "a", sql: $sql) { rows cacheStatus } }',
      { sql },
    );
    expect(data).toEqual({ logsAllSql: { rows: [{ shared: '2' }], cacheStatus: 'HIT' } });
  });

  test('empty SQL is an error, and not the rows of the saved query', async () => {
    await expect(app.data('{ logsAllSql(project: "a", sql: "") { rows } }')).rejects.toThrow(
      /sql is one SELECT, found nothing/,
    );
  });

  test('SQL that is too long is an error', async () => {
    const query = 'query($sql: String!) { logsAllSql(project: "a", sql: $sql) { rows } }';
    await expect(app.data(query, { sql: `select 1 as x${' '.repeat(10_000)}` })).rejects.toThrow(
      /has 10013 characters; the limit is 10000/,
    );
  });

  test('the catalog says which endpoints take it; the others have no such field', async () => {
    const data = await app.data('{ endpoints { name querySandboxing } }');
    expect(data.endpoints).toContainEqual({ name: 'logs.all', querySandboxing: true });
    await expect(app.data('{ usageApiCountsSql(project: "a", sql: "select 1") { rows } }')).rejects.toThrow(
      /Cannot query field/,
    );
  });
});

describe('a parameter that only the SELECT uses which SQL replaces', () => {
  const sql = 'select count(*) as n from requests';

  test('is neither required nor used by REST, whose warning says so', async () => {
    expect(await get({ project: 'a', sql }, apiKey, 'path.counts')).toMatchObject({
      status: 200,
      result: [{ n: 2 }],
    });
    const { headers, result } = await get(
      { project: 'a', sql, path: '/auth', direction: 'sideways', at_least: '9', among: '/x' },
      apiKey,
      'path.counts',
    );
    expect(result).toEqual([{ n: 0 }]);
    const warning = headers.get('querygate-warning');
    for (const name of ['direction', 'at_least', 'among'])
      expect(warning).toContain(`${name} is ignored, it has no effect on sql, whose tables do not use it`);
    expect(warning).not.toMatch(/\bpath is|project|sideways/);
  });

  test('is another than one that a function uses, which the tables may call', async () => {
    const answer = async (path: string) => {
      const { headers, result } = await get({ project: 'a', path, sql }, apiKey, 'path.function');
      return [result, headers.get('querygate-warning')];
    };
    expect(await answer('/rest')).toEqual([[{ n: 2 }], null]);
    expect(await answer('/auth')).toEqual([[{ n: 0 }], null]);
    const own = `${sql} where path > @path`;
    expect(await get({ project: 'a', path: '/rest', sql: own }, apiKey, 'path.function')).toMatchObject({
      result: [{ n: 2 }],
    });
  });

  test('is read by the saved query without SQL', async () => {
    const { status, error } = await get({ project: 'a', sql: '', at_least: '1' }, apiKey, 'path.counts');
    expect([status, error?.parameter]).toEqual([400, 'direction']);
  });

  test('is refused by a query that takes only what it declares', async () => {
    const { status, error } = await get({ project: 'a', sql, at_least: '9' }, apiKey, 'path.strict');
    expect([status, error?.message]).toEqual([
      400,
      'at_least: has no effect on sql, whose tables do not use it; leave it out',
    ]);
    expect(await get({ project: 'a', sql }, apiKey, 'path.strict')).toMatchObject({ status: 200 });
  });

  test('is not a parameter of the SQL', async () => {
    const using = `${sql} where @at_least > 1`;
    const { status, error } = await get({ project: 'a', sql: using }, apiKey, 'path.counts');
    expect([status, error?.message]).toEqual([
      400,
      'sql: line 1, column 42: @at_least is not a parameter of the tables of this endpoint; theirs are @project, @path',
    ]);
  });

  test('is not an argument in GraphQL', async () => {
    const field = (given: string) =>
      app.data(`{ pathCountsSql(project: "a", sql: "${sql}"${given}) { rows } }`);
    expect(await field('')).toEqual({ pathCountsSql: { rows: [{ n: 2 }] } });
    expect(await field(', path: "/auth"')).toEqual({ pathCountsSql: { rows: [{ n: 0 }] } });
    await expect(field(', atLeast: 9')).rejects.toThrow(/Unknown argument .+atLeast/);
  });

  test('is no parameter of the operation for SQL in OpenAPI', async () => {
    const { paths } = (await (await app.fetch('/openapi.json')).json()) as {
      paths: Record<string, { get: { operationId: string; parameters: { name?: string }[] } }>;
    };
    const operation = Object.values(paths).find(({ get }) => get.operationId === 'pathCountsSql');
    const names = operation?.get.parameters.flatMap(({ name }) => name ?? []);
    expect(names).toEqual(['sql', 'project', 'path']);
  });

  test('is neither offered nor taken nor explained by the tool of MCP', async () => {
    const agent = mcpClient(app.fetch, apiKey);
    const { tools } = (await agent.stateless('tools/list')).message.result;
    const tool = tools.find(({ name }: { name: string }) => name === 'path_counts_sql');
    expect(Object.keys(tool.inputSchema.properties)).toEqual(['sql', 'dry_run', 'project', 'path']);
    const call = (given: object) => agent.call('path_counts_sql', { project: 'a', sql, ...given });
    const { structured, text } = await call({});
    expect(structured.rows).toEqual([{ n: 2 }]);
    expect(text).not.toContain('direction');
    const refused = await call({ direction: 'up', at_least: null });
    expect([refused.isError, refused.text]).toEqual([
      true,
      'direction: has no effect on sql, whose tables do not use it; leave it out',
    ]);
  });
});
