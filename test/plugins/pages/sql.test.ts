import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

/** The shipped queries; logs.all takes SQL. */
const queries = mkdtempSync(join(tmpdir(), 'querygate-test-'));
cpSync('queries', queries, { recursive: true });
const file = join(queries, 'logs.all.sql');
const saved = readFileSync(file, 'utf8');
writeFileSync(file, saved.replace('query_sandboxing: disabled', 'query_sandboxing: enabled'));
afterAll(() => rmSync(queries, { recursive: true }));

describe('the route that explains SQL of callers', () => {
  let keys: KeyFile;
  let app: TestApp;
  beforeAll(async () => {
    keys = writeKeyFile({
      'bound without': { tenants: ['a'] },
      'bound with': { tenants: ['a'], permissions: ['sql'] },
      'not bound': {},
      elsewhere: { endpoints: ['usage.api-counts'] },
    });
    app = await openTestApp({}, { QUERIES_DIR: queries, API_KEYS_FILE: keys.path });
  });
  afterAll(async () => {
    await app.close();
    keys.remove();
  });

  const get = async (key: string, parameters: Record<string, string>, name = 'logs.all') => {
    const path = `/sql/explain/${name}?${new URLSearchParams(parameters)}`;
    const response = await app.fetch(path, { headers: { 'x-api-key': keys.keyOf(key) } });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text), headers: response.headers };
  };

  test("gives DuckDB's text, the types and the plan", async () => {
    const sql = "select id, timestamp, upper(event_message) as p from edge_logs where id = 'x'";
    const { status, body, headers } = await get('bound with', { project: 'a', sql });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body.columns).toEqual([
      { name: 'id', type: 'STRING' },
      { name: 'timestamp', type: 'TIMESTAMP' },
      { name: 'p', type: 'STRING' },
    ]);
    expect(body.sql).toMatch(/^SELECT .* FROM "edge_logs"/);
    expect(body.plan[0]).toBe('Read id, timestamp, event_message of edge_logs, where (id = STRING "x").');
  });

  test('says what the tables are, without SQL and without parameters', async () => {
    const { body } = await get('bound with', {});
    expect(body.tables[0].name).toBe('edge_logs');
    expect(body.tables[0].columns).toContainEqual({ name: 'id', type: 'STRING' });
  });

  test("has nothing of the saved query's SQL, of stored tables, or of another tenant", async () => {
    const { text } = await get('bound with', { project: 'a', sql: 'select * from edge_logs' });
    for (const hidden of ['regexp', '"a"', "'a'", 'function_edge_logs', 'bq.', '$project'])
      expect(text).not.toContain(hidden);
    for (const parameters of [{ project: 'b', sql: 'select 1 as x' }, { sql: 'select 1 as x' }])
      expect((await get('bound with', parameters)).status).toBe(403);
  });

  test('refuses SQL with its line and column, as the endpoint does', async () => {
    const sql = 'select 1 as x\nfrom secrets';
    const { status, body } = await get('bound with', { project: 'a', sql });
    const path = `/api/endpoints/query/logs.all?${new URLSearchParams({ project: 'a', sql })}`;
    const rest = await app.fetch(path, { headers: { 'x-api-key': keys.keyOf('bound with') } });
    expect([status, body]).toEqual([rest.status, await rest.json()]);
    expect(body.error.message).toMatch(/^sql: line 2, column 6: no table is named secrets/);
    for (const text of ['select session_user() as x', `select ${'1+'.repeat(1500)}1 as x`])
      expect((await get('bound with', { project: 'a', sql: text })).status).toBe(400);
  });

  test('is for keys that may send SQL there', async () => {
    const sql = 'select 1 as x';
    for (const parameters of [{ project: 'a', sql }, {}]) {
      expect((await get('bound without', parameters)).status).toBe(403);
      expect((await get('elsewhere', parameters)).status).toBe(403);
      expect((await get('not bound', parameters)).status).toBe(200);
      expect((await get('not bound', parameters, 'usage.api-counts')).status).toBe(400);
      expect((await get('not bound', parameters, 'no.such')).status).toBe(404);
    }
    expect((await app.fetch('/sql/explain/logs.all', { headers: { 'x-api-key': 'no key' } })).status).toBe(
      401,
    );
  });
});

test('with one, every page links to it, GraphiQL too', async () => {
  const app = await openTestApp({}, { QUERIES_DIR: queries });
  for (const path of ['/', '/sql', '/graphql']) {
    const page = await app.fetch(path, { headers: { accept: 'text/html' } });
    expect(await page.text(), path).toContain('href="./sql"');
  }
  await app.close();
});

test('without an endpoint that takes SQL there is no such page', async () => {
  const app = await openTestApp({});
  const page = await app.fetch('/sql', { headers: { accept: 'text/html' } });
  expect(page.status).toBe(404);
  expect(await page.text()).not.toContain('/sql"');
  await app.close();
});
