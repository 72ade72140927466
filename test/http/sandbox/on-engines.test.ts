import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, skipsEmulator, startEmulator } from '../../support/bigquery-emulator.ts';
import { queriesAt } from '../../support/on-engines.ts';
import { ago, now, openTestApp, type TestApp } from '../../support/test-app.ts';

const row = (project: string, id: string, path: string) => ({
  id,
  timestamp: ago({ minutes: 1 }),
  project,
  event_message: `message of ${project}`,
  metadata: [{ request: [{ path, method: 'GET' }] }],
});

const rows = {
  edge_logs: [row('a', '1', '/rest'), row('a', '2', '/auth'), row('b', '3', '/secret')],
  auth_logs: [row('b', '4', '/secret')],
};

describe.skipIf(skipsEmulator)("a caller's SQL on both engines", () => {
  const queries = queriesAt(now);
  let emulator: Emulator;
  let apps: readonly TestApp[] = [];
  beforeAll(async () => {
    const file = join(queries, 'logs.all.sql');
    const enabled = 'query_sandboxing: enabled';
    writeFileSync(file, readFileSync(file, 'utf8').replace('query_sandboxing: disabled', enabled));
    emulator = await startEmulator();
    apps = [
      await openTestApp(rows, { QUERIES_DIR: queries }),
      await openTestApp(
        {},
        {
          ENGINE: 'bigquery',
          QUERIES_DIR: queries,
          BIGQUERY_PROJECT: emulator.project,
          BIGQUERY_DATASET: await emulator.seed(rows),
          BIGQUERY_API_ENDPOINT: emulator.endpoint,
          BIGQUERY_START_CHECK: 'off',
        },
      ),
    ];
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
    await emulator?.close();
    rmSync(queries, { recursive: true });
  });

  test.each<[string, unknown]>([
    ['select count(*) as n from edge_logs', [{ n: 2 }]],
    ['select count(*) as n from auth_logs', [{ n: 0 }]],
    ['select id, event_message as m from edge_logs order by id limit 1', [{ id: '1', m: 'message of a' }]],
    [
      'select r.path, l.id from edge_logs l, l.metadata m, unnest(m.request) as r -- arrays\norder by 2',
      [
        { path: '/rest', id: '1' },
        { path: '/auth', id: '2' },
      ],
    ],
    [
      "with mine as (select id from edge_logs where id != '1') select e.id, @project as p from edge_logs e join mine using (id)",
      [{ id: '2', p: 'a' }],
    ],
    [
      "select id from edge_logs union all select 'it''s' as id order by id".replace("''", "\\'"),
      [{ id: '1' }, { id: '2' }, { id: "it's" }],
    ],
  ])('both engines answer %s', async (sql, expected) => {
    for (const app of apps) {
      const search = new URLSearchParams({ project: 'a', sql });
      const response = await app.fetch(`/api/endpoints/query/logs.all?${search}`);
      expect(await response.json()).toEqual({ result: expected });
    }
  });
});
