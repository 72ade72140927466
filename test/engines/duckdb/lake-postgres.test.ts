import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { duckdb } from '../../../src/engines/duckdb/duckdb.ts';
import { childProcesses } from '../../support/child-processes.ts';
import { eventually } from '../../support/eventually.ts';
import { extensionsDir, isWithoutExtensions } from '../../support/duckdb-extensions.ts';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { openLakeWriter } from '../../support/lake.ts';
import { isNightly } from '../../support/nightly.ts';
import { isWithoutPostgres, startPostgres } from '../../support/postgres.ts';

const snapshots = 1000;
const kills = 20;

const files = {
  'tables/events.json': JSON.stringify([
    { name: 'id', type: 'INTEGER' },
    { name: 'tenant', type: 'STRING' },
  ]),
  'tables/others.json': JSON.stringify([{ name: 'n', type: 'INTEGER' }]),
  'both.sql': `/*---
id: 11111111-2222-4333-8444-555555555555
description: a query of the tests
max_rows: 100
caching: 2s
parameters: { tenant: { type: string, required: true, description: t } }
columns: { c: { type: integer, description: c }, s: { type: integer, description: s }, o: { type: integer, description: o } }
---*/
SELECT COUNT(*) AS c, SUM(id) AS s, (SELECT SUM(n) FROM others) AS o FROM events WHERE tenant = @tenant
`,
  'past.sql': `/*---
id: 11111111-2222-4333-8444-555555555556
description: a query of the tests
max_rows: 100
caching: disabled
parameters: { at: { type: timestamp, bind: TIMESTAMP, required: true, description: a } }
columns: { c: { type: integer, description: c }, s: { type: integer, description: s } }
---*/
SELECT COUNT(*) AS c, SUM(id) AS s FROM events FOR SYSTEM_TIME AS OF @at WHERE id >= 100
`,
};

describe.skipIf(!isNightly || isWithoutExtensions || isWithoutPostgres)('a lake in Postgres', () => {
  test(`three gateways beside a writer answer as DuckDB by hand at the snapshot that they name, over ${kills} kills`, async () => {
    const postgres = await startPostgres();
    const writer = await openLakeWriter(`postgres:${postgres.connection}`);
    const gateways: FolderApp[] = [];
    try {
      await writer.run(
        'CREATE TABLE w.events (id BIGINT, tenant VARCHAR)',
        'CREATE TABLE w.others (n BIGINT)',
      );
      const engine = () =>
        duckdb({
          dataDir: writer.dataDir,
          extensionsDir,
          refreshSeconds: 0.5,
          threads: 1,
          memoryLimit: '300MB',
        });
      for (let at = 0; at < 3; at += 1)
        gateways.push(await openFolderApp(files, { options: { engine: engine() } }));
      let isWriting = true;
      const answers = new Map<string, Set<string>>();
      const seen = gateways.map(() => new Set<string>());
      const statuses = new Map<string, number>();
      const seenByAll = () => {
        const [first = new Set(), ...others] = seen;
        return others.reduce((common, keys) => common.intersection(keys), first);
      };
      const ask = async (gateway: FolderApp, at: number) => {
        for (let count = 0; isWriting; count += 1) {
          const tenant = count % 2 === 0 ? 'a' : 'b';
          const response = await gateway.get(`both?tenant=${tenant}`);
          const body = await response.text();
          const status = response.status === 200 ? '200' : `${response.status} ${body}`;
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (response.status === 200) {
            const version = response.headers.get('querygate-data-version') ?? 'none';
            const key = `${version} ${tenant}`;
            answers.set(key, (answers.get(key) ?? new Set()).add(body));
            seen[at]?.add(key);
          }
          await sleep(300);
        }
      };
      const asking = gateways.map(ask);
      for (let at = 0, killed = 0; at < snapshots; at += 1) {
        const change = [
          `INSERT INTO w.events SELECT i, CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END FROM range(${at * 10}, ${at * 10 + 10}) AS t(i)`,
          `DELETE FROM w.events WHERE id % 97 = ${at % 97}`,
          `UPDATE w.events SET tenant = 'b' WHERE id = ${at * 7}`,
          `INSERT INTO w.others VALUES (${at})`,
        ][at % 4];
        // Its connection may have ended with the server.
        await eventually(() => writer.run(change ?? ''));
        if (at % 250 === 249)
          await writer.run(
            "CALL ducklake_flush_inlined_data('w')",
            "CALL ducklake_merge_adjacent_files('w')",
          );
        if (at % Math.floor(snapshots / kills) !== 25) continue;
        killed += 1;
        // While nothing is written, all gateways come to the same snapshot.
        const { size } = seenByAll();
        await eventually(() => expect(seenByAll().size).toBeGreaterThan(size));
        if (killed % 7 === 0) postgres.restart();
        else {
          const engines = childProcesses(process.pid).filter(
            ({ command }) => command.includes('engine-program') && !/^\S*sh /.test(command),
          );
          const victim = engines[killed % engines.length];
          if (victim) process.kill(victim.pid, 'SIGKILL');
        }
      }
      isWriting = false;
      await Promise.all(asking);
      const wrong: string[] = [];
      for (const [key, bodies] of answers) {
        const [version, tenant] = key.split(' ');
        const [row] = await writer.run(`SELECT to_json({result: [{c: count(*), s: sum(id)::BIGINT,
          o: (SELECT sum(n)::BIGINT FROM w.others AT (VERSION => ${version}))}]})::VARCHAR AS body
          FROM w.events AT (VERSION => ${version}) WHERE tenant = '${tenant}'`);
        const byHand = JSON.parse(String(row?.body).replaceAll(/,?"\w":null/g, ''));
        for (const body of bodies)
          if (JSON.stringify(JSON.parse(body)) !== JSON.stringify(byHand)) wrong.push(`${key}: ${body}`);
      }
      const moments = await writer.run(
        "SELECT snapshot_id AS id, strftime(snapshot_time, '%Y-%m-%dT%H:%M:%S.%fZ') AS at FROM ducklake_snapshots('w') ORDER BY id",
      );
      for (const { id, at } of moments.filter((_, index) => index > 2 && index % 97 === 0)) {
        const [row] = await writer.run(
          `SELECT count(*)::INTEGER AS c, sum(id)::INTEGER AS s FROM w.events AT (VERSION => ${id}) WHERE id >= 100`,
        );
        const response = await gateways[0]?.get(`past?at=${at}`);
        const { c, ...sum } = row ?? {};
        const byHand = JSON.stringify({ result: [{ c, ...(sum.s !== null && sum) }] });
        const body = await response?.text();
        if (body !== byHand) wrong.push(`${at}: ${body}, not ${byHand}`);
      }
      await writer.run(
        "INSERT INTO w.events SELECT i, 'a' FROM range(100000, 101000) AS t(i)",
        'DELETE FROM w.events WHERE id >= 100000 AND id % 2 = 0',
        "CALL ducklake_rewrite_data_files('w', delete_threshold => 0)",
      );
      const rewritten = await gateways[0]?.get(`past?at=${moments[500]?.at}`);
      expect(await rewritten?.json()).toMatchObject({
        error: { message: expect.stringContaining('have been rewritten since') },
      });
      expect(wrong).toEqual([]);
      const ofAll = seenByAll().size;
      console.log({ answers: answers.size, ofAll, statuses: Object.fromEntries(statuses) });
      expect(ofAll).toBeGreaterThan(10);
    } finally {
      for (const gateway of gateways) await gateway.close();
      writer.close();
      postgres.close();
    }
  }, 900_000);
});
