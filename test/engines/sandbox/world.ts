import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import type { SavedQuery } from '../../../src/catalog/model/saved-query.ts';
import { readConfig } from '../../../src/config.ts';
import { type SandboxLimits, withDefaults } from '../../../src/engines/duckdb/duckdb-options.ts';
import { openDuckdb } from '../../../src/engines/duckdb/open-duckdb.ts';
import type { Engine, EngineListener } from '../../../src/engine-contract/engine.ts';
import { GatewayError } from '../../../src/errors.ts';
import { tables as plainTables } from '../../../packages/bigquery-sql/test/harness.ts';
import { engineHost } from '../../support/engine-host.ts';

/** It is in every text that a caller must not see: rows of another tenant, another table, a file, a setting. */
export const canary = 'CANARY';

/** As `canary`, for integers. */
export const canaryNumber = 424242;

const tenantField = { name: 'tenant', type: 'STRING', mode: 'NULLABLE' };

/** The tables of the dialect's tests with a tenant, and one that no common table reads. */
const stored = [
  ...plainTables.map(({ name, fields }) => ({ name, fields: [tenantField, ...fields] })),
  { name: 'vault', fields: [tenantField, { name: 'secret', type: 'STRING', mode: 'NULLABLE' }] },
];

const rowsOf = (tenant: string, text: (plain: string) => string, number: (plain: number) => number) => ({
  logs: [
    {
      ...{
        tenant,
        id: number(1),
        timestamp: '2024-03-10T12:00:00Z',
        project: text('a'),
        tags: [text('x'), text('y')],
      },
      metadata: [
        {
          level: text('info'),
          request: [
            { path: text('/rest'), status: number(200) },
            { path: text('/auth'), status: number(500) },
          ],
        },
      ],
    },
    {
      ...{ tenant, id: number(2), timestamp: '2024-03-10T11:59:59.5Z', project: text('a'), tags: [] },
      metadata: [{ level: text('error'), request: [] }],
    },
    {
      tenant,
      id: number(3),
      timestamp: '2024-03-09T23:59:59.999999Z',
      project: text('b'),
      metadata: [],
      tags: [text('z')],
    },
    { tenant, id: number(4), metadata: [], tags: [] },
  ],
  events: [
    {
      ...{ tenant, id: number(1), happened: '2024-03-10T12:00:00Z' },
      detail: { kind: text('a'), source: [{ host: text('x'), ports: [number(80), number(443)] }] },
    },
    { tenant, id: number(2), happened: '2024-03-10T12:00:01Z', detail: { kind: text('b'), source: [] } },
    { tenant, id: number(3), happened: '2024-03-10T12:00:01Z' },
  ],
  projects: [
    { tenant, project: text('a'), tier: text('PRO') },
    { tenant, project: text('c'), tier: text('FREE') },
  ],
});

const columnsOf = (name: string) =>
  (plainTables.find((table) => table.name === name)?.fields ?? [])
    .map((field) => `t.${field.name}`)
    .join(', ');

/** A saved query whose common tables have the names of the tables that they read. */
const queryFile = `/*---
id: 5b0a7a58-1f2e-4c3d-9a4b-6c5d7e8f9a0b
description: Rows of one tenant.
max_rows: 50
caching: disabled
query_sandboxing: enabled
parameters:
  tenant: { type: string, required: true, tenant: true, description: The tenant. }
  kind: { type: string, description: Some text. }
columns:
  id: { type: integer, description: Id. }
---*/
create temp function own(x int64) as (x + 1);
with
  logs as (select ${columnsOf('logs')} from logs as t where t.tenant = @tenant),
  events as (select ${columnsOf('events')} from events as t where t.tenant = @tenant and @kind is not null),
  projects as (select ${columnsOf('projects')} from projects as t where t.tenant = @tenant and @kind is not null)
select own(id) as id from logs
`;

/** Another one, whose common table has the same name and other columns. */
const otherQueryFile = `${queryFile.replace(/create temp function[\s\S]*/, '').replace(/id: 5b/, 'id: 6c')}
with logs as (select t.id * 10 as tenfold from logs as t where t.tenant = @tenant and @kind is not null)
select tenfold as id from logs
`;

export interface World {
  readonly query: SavedQuery;
  readonly otherQuery: SavedQuery;
  readonly engine: Engine;
  /** The rows of a caller's SQL as text, or the code and the text of its error. */
  run(sql: string): Promise<string>;
  close(): Promise<void>;
}

interface WorldOptions {
  /** Whether SQL runs in processes of its own. */
  readonly isolate?: boolean;
  /** What one text may use there. */
  readonly sandbox?: Partial<SandboxLimits>;
  readonly events?: Partial<EngineListener>;
  /** Whether there are rows of another tenant and of the other table. */
  readonly others: boolean;
  readonly timeoutMs?: number;
}

export async function openWorld({
  others,
  timeoutMs = 8_000,
  isolate = false,
  sandbox = {},
  events = {},
}: WorldOptions): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-sandbox-'));
  const queries = join(folder, 'queries');
  const data = join(folder, 'data');
  mkdirSync(join(queries, 'tables'), { recursive: true });
  mkdirSync(data);
  writeFileSync(join(queries, 'rows.sql'), queryFile);
  writeFileSync(join(queries, 'tenfold.sql'), otherQueryFile);
  const mine = rowsOf('mine', String, Number);
  const theirs = rowsOf(
    'theirs',
    (plain) => `${canary}${plain}`,
    (plain) => canaryNumber + plain,
  );
  for (const { name, fields } of stored) {
    writeFileSync(join(queries, 'tables', `${name}.json`), JSON.stringify(fields));
    const own: readonly object[] = name === 'vault' ? [] : mine[name as keyof typeof mine];
    const other: readonly object[] =
      name === 'vault' ? [{ tenant: 'mine', secret: canary }] : theirs[name as keyof typeof mine];
    const rows = others ? [...other, ...own, ...other] : own;
    writeFileSync(join(data, `${name}.ndjson`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  writeFileSync(join(data, 'secret.txt'), canary);
  const catalog = loadCatalog(queries);
  const config = readConfig({
    QUERIES_DIR: queries,
    DATA_DIR: data,
    STORE_FILE: ':memory:',
    ENGINE_CONCURRENCY: '2',
    ENGINE_TIMEOUT_MS: String(timeoutMs),
  });
  const now = () => new Date('2024-03-10T12:34:56.789Z');
  const host = engineHost({ catalog, config, now, events });
  const engine = await openDuckdb(
    host,
    withDefaults({ ...config.duckdb, isolate, sandbox: { ...config.duckdb.sandbox, ...sandbox } }),
  );
  const [query, otherQuery] = host.catalog.queries;
  if (query === undefined || otherQuery === undefined) throw new Error('no query');
  const { signal } = new AbortController();
  return {
    query,
    otherQuery,
    engine,
    async run(sql) {
      try {
        const { rows } = await engine.run(
          { query, parameters: { tenant: 'mine', kind: '' }, sql },
          { signal },
        );
        return `[${rows.join(',')}]`;
      } catch (error) {
        if (error instanceof GatewayError) return `${error.code} ${error.message}`;
        throw error;
      }
    },
    async close() {
      await engine.close();
      rmSync(folder, { recursive: true });
    },
  };
}
