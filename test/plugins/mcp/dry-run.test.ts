import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, skipsEmulator, startEmulator } from '../../support/bigquery-emulator.ts';
import { errorReply, type FakeBigquery, reply, startFakeBigquery } from '../../support/fake-bigquery.ts';
import { mcpClient } from '../../support/mcp-request.ts';
import { queryText } from '../../support/queries.ts';
import { makeQueryFolder, type QueryFolder } from '../../support/query-folder.ts';
import { ago, apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const own = queryText({
  name: 'own',
  columns: { id: 'string' },
  parameters: { project: '{ type: string, required: true, tenant: true, description: Whose. }' },
  sql: `with requests as (select t.id, t.timestamp from edge_logs as t where t.project = @project)
select id from requests order by id`,
}).replace('columns:', 'query_sandboxing: enabled\ncolumns:');

let folder: QueryFolder;
beforeAll(() => {
  folder = makeQueryFolder({
    'own.sql': own,
    'tables/edge_logs.json': readFileSync('queries/tables/edge_logs.json', 'utf8'),
  });
});
afterAll(() => folder.close());

const openOn = (endpoint: string, project: string, dataset: string): Promise<TestApp> =>
  openTestApp(
    {},
    {
      ENGINE: 'bigquery',
      QUERIES_DIR: folder.folder,
      MCP: 'on',
      BIGQUERY_PROJECT: project,
      BIGQUERY_DATASET: dataset,
      BIGQUERY_API_ENDPOINT: endpoint,
      BIGQUERY_START_CHECK: 'off',
    },
  );

const given = { project: 'a', sql: 'select id, timestamp as t from requests', dry_run: true };

const columns = [
  { name: 'id', type: 'STRING' },
  { name: 't', type: 'TIMESTAMP' },
];

describe('a dry run of SQL of a model on BigQuery', () => {
  let fake: FakeBigquery;
  let app: TestApp;
  beforeAll(async () => {
    fake = await startFakeBigquery();
    app = await openOn(fake.endpoint, 'our-project', 'logs');
  });
  afterAll(async () => {
    await app?.close();
    await fake?.close();
  });

  test('tells the columns, and the bytes that a run would read', async () => {
    fake.respondWith(
      reply({
        jobComplete: true,
        totalBytesProcessed: '123456',
        schema: { fields: [{ name: 'id', type: 'STRING' }] },
      }),
    );
    const { text, structured, isError } = await mcpClient(app.fetch, apiKey).call('own.sql', given);
    expect(isError).toBe(false);
    expect(structured).toEqual({ columns, bytesProcessed: 123456 });
    expect(text).toBe(
      'The SQL is right. A run would read 123456 bytes.\ncolumn,type\nid,STRING\nt,TIMESTAMP',
    );
    expect(fake.received.map(({ body }) => body.dryRun)).toEqual([true]);
  });

  test('is asked of the engine only for SQL that is right', async () => {
    fake.respondWith(reply({}));
    const wrong = await mcpClient(app.fetch, apiKey).call('own.sql', {
      ...given,
      sql: 'select * from other',
    });
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('no table is named other') });
    expect(fake.received).toEqual([]);
  });

  test('says what the engine refuses, and not its words', async () => {
    fake.respondWith(errorReply(403, 'accessDenied'));
    const refused = await mcpClient(app.fetch, apiKey).call('own.sql', given);
    expect(refused.isError).toBe(true);
    expect(refused.text).not.toMatch(/secret|select/i);
  });
});

describe.skipIf(skipsEmulator)('the same on bigquery-emulator', () => {
  let emulator: Emulator;
  let app: TestApp;
  beforeAll(async () => {
    emulator = await startEmulator();
    const row = { id: 'a1', timestamp: ago({ minutes: 1 }), event_message: 'm', project: 'a', metadata: [] };
    app = await openOn(emulator.endpoint, emulator.project, await emulator.seed({ edge_logs: [row] }));
  });
  afterAll(async () => {
    await app?.close();
    await emulator?.close();
  });

  test('has the columns, and a run has the rows', async () => {
    const agent = mcpClient(app.fetch, apiKey);
    const { structured } = await agent.call('own.sql', given);
    // The emulator tells no bytes.
    expect(structured).toEqual({ columns });
    const { dry_run: _, ...run } = given;
    expect((await agent.call('own.sql', run)).structured.rows).toEqual([
      { id: 'a1', t: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
  });
});
