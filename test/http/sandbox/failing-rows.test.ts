import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queryText } from '../../support/queries.ts';
import { ago, openTestApp, type TestApp } from '../../support/test-app.ts';

const queries = mkdtempSync(join(tmpdir(), 'querygate-test-'));
cpSync('queries', queries, { recursive: true });
for (const name of readdirSync(queries).filter((file) => file.endsWith('.sql'))) {
  const file = join(queries, name);
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace('query_sandboxing: disabled', 'query_sandboxing: enabled'),
  );
}
const own = (name: string, sql: string) =>
  writeFileSync(
    join(queries, `${name}.sql`),
    queryText({
      name,
      columns: { n: 'integer' },
      parameters: { project: '{ type: string, required: true, tenant: true, description: Project. }' },
      caching: ['caching: disabled', 'query_sandboxing: enabled'],
      sql: `with own as (${sql}) select count(*) as n from own`,
    }),
  );
own(
  'joined.logs',
  'select a.event_message from auth_logs as a join edge_logs as e on e.project = a.project where e.project = @project',
);
own(
  'nested.logs',
  'select event_message from (select event_message, project from auth_logs where length(event_message) > 1) where project = @project',
);
own(
  'both.logs',
  'select event_message from auth_logs where project = @project union all select event_message from edge_logs where project = @project and event_message != "x"',
);

const row = (id: string) => ({
  ...{ id, timestamp: ago({ minutes: 1 }), project: 'b', event_message: 'no number' },
  metadata: [
    { project_ref: 'b', request: [{ path: '/no-number', url: 'https://b.example.co/no-number' }, {}] },
    { project_ref: 'b', request: [] },
  ],
});

let app: TestApp;
beforeAll(async () => {
  const rows = [row('1'), row('2')];
  app = await openTestApp(
    { edge_logs: rows, auth_logs: rows, function_logs: rows, function_edge_logs: rows },
    { QUERIES_DIR: queries },
  );
});
afterAll(async () => {
  await app.close();
  rmSync(queries, { recursive: true });
});

test.each([
  'select cast(@project as int64) as n from own',
  "select regexp_contains('x', concat('(', @project)) as n from own",
  'select cast(event_message as int64) as n from own',
])('a failure says the same, whatever has failed: %s', async (sql) => {
  // The project is a value that DuckDB quotes; who reads what failed could tell the order in which rows are read.
  const search = new URLSearchParams({ project: 'b', sql });
  const response = await app.fetch(`/api/endpoints/query/nested.logs?${search}`);
  const { error } = (await response.json()) as { error: object };
  expect([response.status, error]).toEqual([
    400,
    expect.objectContaining({
      code: 'INVALID_PARAMETER',
      message: expect.stringMatching(/^sql: failed when it ran/),
    }),
  ]);
});

/** Conditions that fail for each row whose text is not a number. */
const failing = [
  'cast(TEXT as int64) = 1',
  'cast(TEXT as float64) = 1',
  "parse_timestamp('%Y', TEXT) is not null",
  "parse_json(concat('{', TEXT)) is not null",
  "from_hex(concat(TEXT, 'x')) = b''",
  'if(length(TEXT) > 0, error(TEXT), false)',
  'div(1, length(TEXT) - length(TEXT)) = 1',
];

const tables = [
  ['usage.api-counts', 'requests', 'path'],
  ['logs.all', 'edge_logs', 'event_message'],
  ['logs.all', 'function_logs', 'event_message'],
  ['logs.all', 'function_edge_logs', 'event_message'],
  ['joined.logs', 'own', 'event_message'],
  ['nested.logs', 'own', 'event_message'],
  ['both.logs', 'own', 'event_message'],
] as const;

describe.each(tables)('%s: a condition over %s', (endpoint, table, column) => {
  const get = async (project: string, sql: string) => {
    const search = new URLSearchParams({ project, interval: 'daily', sql });
    const response = await app.fetch(`/api/endpoints/query/${endpoint}?${search}`);
    return { status: response.status, body: await response.json() };
  };

  test.each(failing)('%s does not fail for rows of other tenants', async (condition) => {
    const where = condition.replaceAll('TEXT', column);
    for (const sql of [
      `select count(*) as n from ${table} where ${where}`,
      `select count(*) as n from ${table} where ${column} like '%no%' and (${where} or ${column} = 'x')`,
      `select count(*) as n from (select ${column}, ${where} as is_right from ${table}) where is_right`,
    ]) {
      expect(await get('nobody', sql)).toEqual({ status: 200, body: { result: [{ n: 0 }] } });
      expect(await get('b', sql)).toMatchObject({ status: 400 });
    }
  });
});
