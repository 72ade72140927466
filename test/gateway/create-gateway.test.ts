import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { queryText } from '../support/queries.ts';
import { ago, openTestApp } from '../support/test-app.ts';

describe('a file dropped into the queries folder', () => {
  test('is an endpoint in REST and a typed field in GraphQL', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    cpSync('queries', folder, { recursive: true });
    writeFileSync(
      join(folder, 'logs.by-status.sql'),
      queryText({
        name: 'logs.by-status',
        parameters: {
          project: '{ type: string, required: true, description: The project. }',
          at_least: '{ type: integer, default: 0, description: The lowest status. }',
        },
        columns: {
          status_code: '{ type: integer, description: The status. }',
          requests: '{ type: integer, required: true, description: How many. }',
        },
        sql: `
          select response.status_code, count(*) as requests
          from edge_logs, unnest(metadata) as m, unnest(m.response) as response
          where project = @project and response.status_code >= cast(@at_least as int64)
          group by 1
          order by 1`,
      }),
    );
    const record = (status_code: number) => ({
      timestamp: ago({}),
      project: 'p',
      metadata: [{ response: [{ status_code }] }],
    });
    const app = await openTestApp({ edge_logs: [200, 200, 404].map(record) }, { QUERIES_DIR: folder });

    expect(await app.rows('logs.by-status', { project: 'p' })).toEqual([
      { status_code: 200, requests: 2 },
      { status_code: 404, requests: 1 },
    ]);
    expect(await app.rows('logs.by-status', { project: 'p', at_least: '400' })).toHaveLength(1);
    expect(
      await app.data('{ logsByStatus(project: "p", atLeast: 300) { rows { statusCode requests } } }'),
    ).toEqual({
      logsByStatus: { rows: [{ statusCode: 404, requests: 1 }] },
    });
    await app.close();
    rmSync(folder, { recursive: true });
  });
});

describe('local data that cannot be read', () => {
  test('an unreadable file is an error for the queries that read it, and for no others', async () => {
    const app = await openTestApp(
      { edge_logs: [{ id: 'a', timestamp: ago({}), project: 'p' }] },
      {},
      { files: { 'function_edge_logs.ndjson.gz': 'no gzip', 'postgres_logs.ndjson.gz': 'yesterday' } },
    );
    const broken = await app.fetch('/api/endpoints/query/functions.invocation-stats?project=p');
    expect(broken.status).toBe(502);
    expect(await broken.json()).toMatchObject({
      error: { code: 'DATA_UNREADABLE', message: expect.not.stringMatching(/function_edge_logs|yesterday/) },
    });
    expect(await app.rows('logs.all', { project: 'p' })).toHaveLength(1);
    expect(await app.rows('usage.api-counts', { project: 'p', interval: 'daily' })).toEqual([]);
    await app.close();
  });

  test('an unreadable row is omitted, and the others are returned', async () => {
    const app = await openTestApp({
      edge_logs: [
        { id: 'a', timestamp: ago({}), project: 'p' },
        { id: 'b', timestamp: 'yesterday', project: 'p' },
      ],
    });
    expect(await app.rows('logs.all', { project: 'p' })).toMatchObject([{ id: 'a' }]);
    await app.close();
  });
});
