import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startGateway } from '../support/gateway-process.ts';

const key = 'caller-sql-log-key-1';

const fields = [
  { name: 'tenant', type: 'STRING' },
  { name: 'id', type: 'INTEGER' },
];

const queryFile = `/*---
id: 5b0a7a58-1f2e-4c3d-9a4b-6c5d7e8f9a0b
description: Rows of one tenant.
max_rows: 50
caching: 60s
query_sandboxing: enabled
parameters:
  tenant: { type: string, required: true, tenant: true, description: The tenant. }
columns:
  id: { type: integer, description: Id. }
---*/
with logs as (select t.id from logs as t where t.tenant = @tenant)
select id from logs
`;

test('SQL of a caller is in the log before it runs, with its key and digest, once for each run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const queries = join(folder, 'queries');
  mkdirSync(join(queries, 'tables'), { recursive: true });
  writeFileSync(join(queries, 'rows.sql'), queryFile);
  writeFileSync(join(queries, 'tables', 'logs.json'), JSON.stringify(fields));
  writeFileSync(join(folder, 'logs.ndjson'), '{"tenant":"a","id":1}\n');
  const gateway = await startGateway({ API_KEY: key, QUERIES_DIR: queries, DATA_DIR: folder });
  const ask = (sql: string) =>
    fetch(`${gateway.origin}/api/endpoints/query/rows?tenant=a&sql=${encodeURIComponent(sql)}`, {
      headers: { 'x-api-key': key },
    });
  const sql = 'select count(*) as n from logs';
  const linesOf = (text: string) =>
    gateway
      .log()
      .split('\n')
      .filter((line) => line.includes(hash('sha256', text)));

  expect((await ask(sql)).status).toBe(200);
  expect((await ask(sql)).status).toBe(200);
  await eventually(() => expect(linesOf(sql)).toHaveLength(1));
  expect(JSON.parse(linesOf(sql)[0] ?? '')).toMatchObject({
    msg: 'SQL of a caller runs',
    endpoint: 'rows',
    sql_sha256: hash('sha256', sql),
  });
  expect(gateway.log()).not.toContain(sql);

  // As a crash does: nothing is written when the process ends.
  const last = 'select sum(id) as n from logs';
  void ask(last).catch(() => {});
  await eventually(() => expect(linesOf(last)).toHaveLength(1));
  gateway.child.kill('SIGKILL');
  await once(gateway.child, 'exit');
  rmSync(folder, { recursive: true });
}, 60_000);
