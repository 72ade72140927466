import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import type { GatewayPlugin } from '../../../src/gateway/plugin.ts';
import { increments } from '../../../src/plugins/increments/increments.ts';
import { openTestApp } from '../../support/test-app.ts';

const stats = 'functions.invocation-stats';
const usage = 'usage.api-counts';
const project = 'abc';

const invocation = (timestamp: string) => ({
  id: timestamp,
  timestamp,
  metadata: [{ project_ref: project, execution_time_ms: 5, response: [{ status_code: 200 }] }],
});

const requested = (timestamp: string) => ({
  id: timestamp,
  timestamp,
  metadata: [{ request: [{ path: '/rest/v1', url: `https://${project}.example.co/rest/v1` }] }],
});

/** A gateway over DuckDB whose time a test sets, and what its refreshes read. */
async function openIncremental(isolate: boolean) {
  let now = new Date('2026-03-10T12:05:00.000Z');
  let imported = 0;
  const plugin = increments();
  const imports: GatewayPlugin = {
    name: 'imports',
    onImport: ({ rows }) => {
      imported += rows;
    },
  };
  const tables = {
    function_edge_logs: ['2026-03-07T10:00:00Z', '2026-03-10T11:10:00Z'].map(invocation),
    edge_logs: ['2026-03-05T10:00:00Z', '2026-03-10T11:10:00Z'].map(requested),
  };
  const app = await openTestApp(
    tables,
    {},
    {
      clock: () => now,
      duckdb: { isolate, refreshSeconds: 0.05 },
      options: { plugins: [plugin, imports] },
    },
  );
  return {
    ...app,
    advance(minutes: number) {
      now = new Date(now.getTime() + minutes * 60_000);
    },
    async append(table: string, row: object) {
      const before = imported;
      appendFileSync(join(app.dataDir, `${table}.ndjson`), `${JSON.stringify(row)}\n`);
      await expect.poll(() => imported, { timeout: inject('waitingMs') }).toBeGreaterThan(before);
    },
    /** How the results of an endpoint were made so far. */
    runs: (endpoint: string) =>
      Object.fromEntries(
        (plugin.metrics?.[0]?.samples() ?? [])
          .filter(({ labels }) => labels.endpoint === endpoint)
          .map(({ labels, value }) => [`${labels.run} ${labels.reason}`.trim(), value]),
      ),
  };
}

describe.each([
  ['of this process', false],
  ['of a process of its own', true],
])('on a DuckDB %s', (_, isolate) => {
  test('rows of any age are right in the next result, which is made of the one before', async () => {
    const app = await openIncremental(isolate);
    const counts = async () =>
      (await app.rows(usage, { project: '.', interval: 'daily' })).map((row) => row.total_rest_requests);
    expect(await counts()).toEqual([1, 1]);
    await app.append('edge_logs', requested('2026-03-05T11:00:00Z'));
    app.advance(16);
    expect(await counts()).toEqual([2, 1]);
    await app.append('edge_logs', requested('2026-03-07T01:00:00Z'));
    app.advance(16);
    expect(await counts()).toEqual([2, 1, 1]);
    expect(app.runs(usage)).toEqual({ 'full first': 1, increment: 2 });
    await app.close();
  });

  test('nothing is read where no row has come and no edge of the window has moved', async () => {
    const app = await openIncremental(isolate);
    const counts = async () => (await app.rows(stats, { project, interval: '7day' })).map((row) => row.count);
    expect(await counts()).toEqual([1, 1]);
    app.advance(16);
    expect(await counts()).toEqual([1, 1]);
    expect(app.runs(stats)).toEqual({ 'full first': 1, unchanged: 1 });
    await app.append('function_edge_logs', invocation('2026-03-10T12:10:00Z'));
    app.advance(16);
    expect(await counts()).toEqual([1, 2]);
    expect(app.runs(stats)).toEqual({ 'full first': 1, unchanged: 1, increment: 1 });
    await app.close();
  });
});
