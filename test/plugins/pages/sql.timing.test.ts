import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { measureLongestTurn } from '../../support/longest-turn.ts';
import { medianOf } from '../../support/median.ts';
import { openTestApp } from '../../support/test-app.ts';

test('the route that explains SQL of callers holds the event loop no longer than 50 ms for any text', async () => {
  const queries = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  cpSync('queries', queries, { recursive: true });
  const file = join(queries, 'logs.all.sql');
  const saved = readFileSync(file, 'utf8');
  writeFileSync(file, saved.replace('query_sandboxing: disabled', 'query_sandboxing: enabled'));
  const app = await openTestApp({}, { QUERIES_DIR: queries });
  const many = (count: number, write: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => write(at));
  const texts = [
    `select ${'('.repeat(90)}1${')'.repeat(90)} as x`,
    `select ${many(200, (at) => `upper(id) as c${at}`).join(', ')} from edge_logs`,
    `select count(*) as n from edge_logs a ${many(35, (at) => `join edge_logs b${at} using (id)`).join(' ')}`,
    `with t as (select * from edge_logs) select t.* from t where ${many(120, (at) => `id = '${at}'`).join(' or ')}`,
    `select format_timestamp('%F %T %A %B', max(timestamp)) as x, ${many(60, (at) => `approx_quantiles(id, 100)[offset(${at})] as q${at}`).join(', ')} from edge_logs`,
    `select x.* from (${many(12, () => 'select * from edge_logs').join(' union all ')}) as x order by timestamp desc limit 10`,
  ];
  for (const sql of texts) {
    const longestMs = await medianOf(async (at) => {
      const parameters = new URLSearchParams({ project: 'a', sql: `${sql} -- ${at}` });
      const end = measureLongestTurn();
      const { status } = await app.fetch(`/sql/explain/logs.all?${parameters}`);
      const ms = end();
      expect([200, 400]).toContain(status);
      return ms;
    });
    expect(longestMs, sql.slice(0, 60)).toBeLessThan(50);
  }
  await app.close();
  rmSync(queries, { recursive: true });
});
