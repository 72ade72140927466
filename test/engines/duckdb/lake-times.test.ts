import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { parseCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import type { SavedQuery } from '../../../src/catalog/model/saved-query.ts';
import { readConfig } from '../../../src/config.ts';
import { duckdb } from '../../../src/engines/duckdb/duckdb.ts';
import { withDefaults } from '../../../src/engines/duckdb/duckdb-options.ts';
import { openDuckdb } from '../../../src/engines/duckdb/open-duckdb.ts';
import { openSession } from '../../../src/engines/duckdb/open-session.ts';
import { extensionsDir, isWithoutExtensions } from '../../support/duckdb-extensions.ts';
import { engineHost } from '../../support/engine-host.ts';
import { eventually } from '../../support/eventually.ts';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { type LakeWriter, openLakeWriter } from '../../support/lake.ts';
import { nightly } from '../../support/nightly.ts';
import { uuidOf } from '../../support/query-folder.ts';

const at = 'at: { type: timestamp, bind: TIMESTAMP, description: a }';
const counted = '{ n: { type: integer, description: n }, total: { type: integer, description: t } }';
let queries = 0;
function query(
  sql: string,
  {
    parameters = at,
    columns = counted,
    more = '',
  }: { parameters?: string; columns?: string; more?: string } = {},
): string {
  queries += 1;
  return `/*---
id: ${uuidOf(queries)}
description: a query of the tests
max_rows: 100
caching: 3600s
${more}parameters: { ${parameters} }
columns: ${columns}
---*/
${sql}
`;
}

const numbers = JSON.stringify([{ name: 'n', type: 'INTEGER' }]);

const files = {
  'tables/events.json': JSON.stringify([
    { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
    { name: 'tenant', type: 'STRING' },
    { name: 'a', type: 'STRING' },
    { name: 'b', type: 'STRING' },
    { name: 'note', type: 'STRING' },
    { name: 'record', type: 'RECORD', fields: [{ name: 'x', type: 'INTEGER' }] },
  ]),
  'tables/others.json': numbers,
  'tables/widened.json': numbers,
  'tables/rewritten.json': numbers,
  'tables/renamed.json': JSON.stringify([{ name: 'g', type: 'INTEGER' }]),
  'tables/dropped.json': JSON.stringify([{ name: 'f', type: 'INTEGER' }]),
  'counts.sql': query('SELECT COUNT(*) AS n, SUM(id) AS total FROM events FOR SYSTEM_TIME AS OF @at'),
  'text.sql': query(
    "SELECT COUNT(note) AS n, SUM(record.x) AS total FROM events FOR SYSTEM_TIME AS OF TIMESTAMP(@at) WHERE @at != ''",
    { parameters: 'at: { type: string, required: true, description: a }' },
  ),
  'ago.sql': query(
    `SELECT COUNT(*) AS n, SUM(id) AS total FROM events
     FOR SYSTEM_TIME AS OF TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL CAST(@hours AS INT64) HOUR)`,
    { parameters: 'hours: { type: string, required: true, description: h }' },
  ),
  'day.sql': query(
    'SELECT COUNT(*) AS n, SUM(id) AS total FROM events FOR SYSTEM_TIME AS OF TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)',
    { parameters: '' },
  ),
  'two.sql': query(
    `SELECT COUNT(*) AS n, SUM(o.id) - SUM(n.id) AS total FROM events AS o FOR SYSTEM_TIME AS OF @at
     FULL JOIN events AS n FOR SYSTEM_TIME AS OF @until ON n.id = o.id AND n.tenant = o.tenant
     WHERE o.id IS NULL OR n.id IS NULL OR o.id > (SELECT COUNT(*) FROM events)`,
    { parameters: `${at}, until: { type: timestamp, bind: TIMESTAMP, required: true, description: u }` },
  ),
  'first.sql': query(
    'SELECT id, tenant, a, b, note FROM events FOR SYSTEM_TIME AS OF @at WHERE id >= 10 ORDER BY id LIMIT 3',
    {
      columns:
        '{ id: { type: integer, description: i }, tenant: { type: string, description: t }, a: { type: string, description: a }, b: { type: string, description: b }, note: { type: string, description: n } }',
    },
  ),
  'unneeded.sql': query(
    "SELECT COUNT(*) AS n, SUM(id) AS total FROM events FOR SYSTEM_TIME AS OF @at WHERE @id = 'all' OR id = CAST(@id AS INT64)",
    { parameters: `${at}, id: { type: string, required: true, description: i }` },
  ),
  'past.sql': `/*---
serve: off
parameters: { moment: { type: timestamp, bind: TIMESTAMP, description: m } }
---*/
SELECT id, tenant FROM events FOR SYSTEM_TIME AS OF @moment
`,
  'views/old.sql':
    'CREATE VIEW lake.old AS SELECT id FROM events FOR SYSTEM_TIME AS OF TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY);',
  'parts.sql': query(
    'SELECT COUNT(*) AS n, SUM(p.id) AS total FROM query.past(moment => @at) AS p JOIN query.past(moment => @until) AS q USING (id)',
    { parameters: `${at}, until: { type: timestamp, bind: TIMESTAMP, required: true, description: u }` },
  ),
  'viewed.sql': query('SELECT COUNT(*) AS n, SUM(id) AS total FROM lake.old', { parameters: '' }),
  'tenants.sql': query(
    'SELECT COUNT(*) AS n, SUM(id) AS total FROM events FOR SYSTEM_TIME AS OF @at WHERE tenant = @tenant',
    { parameters: `${at}, tenant: { type: string, required: true, tenant: true, description: t }` },
  ),
  'caller.sql': query(
    'WITH t AS (SELECT id FROM events FOR SYSTEM_TIME AS OF @at) SELECT COUNT(*) AS n, SUM(id) AS total FROM t',
    {
      more: 'query_sandboxing: enabled\n',
    },
  ),
  'widened.sql': query(
    'SELECT COUNT(*) AS n, SUM(n) AS total FROM widened FOR SYSTEM_TIME AS OF @at WHERE n >= 90',
  ),
  'rewritten.sql': query(
    'SELECT COUNT(*) AS n, SUM(n) AS total FROM rewritten FOR SYSTEM_TIME AS OF @at WHERE n >= 900',
  ),
  'renamed.sql': query('SELECT COUNT(g) AS n, SUM(g) AS total FROM renamed FOR SYSTEM_TIME AS OF @at'),
  'dropped.sql': query('SELECT COUNT(f) AS n, SUM(f) AS total FROM dropped FOR SYSTEM_TIME AS OF @at'),
  'later.sql': query('SELECT COUNT(*) AS n, SUM(n) AS total FROM others FOR SYSTEM_TIME AS OF @at'),
};

describe.skipIf(isWithoutExtensions)('FOR SYSTEM_TIME AS OF over a DuckLake', () => {
  let lake: LakeWriter;
  let gateway: FolderApp;
  /** The time of each snapshot, in microseconds. */
  let times: readonly bigint[];
  let now: Date;
  beforeAll(async () => {
    lake = await openLakeWriter();
    await lake.run(
      'CREATE TABLE w.events (id INTEGER NOT NULL, tenant VARCHAR, a VARCHAR, b VARCHAR)',
      "INSERT INTO w.events SELECT i, CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END, 'a', 'b' FROM range(100) AS t(i)",
      'DELETE FROM w.events WHERE id % 3 = 0',
      'ALTER TABLE w.events ADD COLUMN note VARCHAR',
      'ALTER TABLE w.events ADD COLUMN record STRUCT(x INTEGER)',
      "INSERT INTO w.events VALUES (1000, 'a', 'a', 'b', 'new', { x: 7 })",
      "UPDATE w.events SET note = 'changed', record = { x: 5 } WHERE id < 50",
      'CREATE TABLE w.others AS SELECT 5::BIGINT AS n',
      'CREATE TABLE w.widened AS SELECT i::INTEGER AS n FROM range(100) AS t(i)',
      'ALTER TABLE w.widened ALTER COLUMN n TYPE BIGINT',
      'CREATE TABLE w.rewritten AS SELECT i AS n FROM range(1000) AS t(i)',
      'DELETE FROM w.rewritten WHERE n >= 500',
      "CALL ducklake_rewrite_data_files('w', 'rewritten', delete_threshold => 0)",
      ...['renamed', 'dropped'].map(
        (name) => `CREATE TABLE w.${name} AS SELECT i AS f FROM range(9) AS t(i)`,
      ),
      ...['renamed', 'dropped'].map((name) => `ALTER TABLE w.${name} RENAME COLUMN f TO g`),
      'INSERT INTO w.renamed VALUES (100)',
    );
    const rows = await lake.run(
      "SELECT epoch_us(snapshot_time) AS micros FROM ducklake_snapshots('w') ORDER BY snapshot_id",
    );
    times = rows.map(({ micros }) => micros as bigint);
    now = new Date();
    gateway = await open(true);
  });
  const open = (isolate: boolean) =>
    openFolderApp(files, {
      now: () => now,
      options: {
        engine: duckdb({ dataDir: lake.dataDir, extensionsDir, isolate, refreshSeconds: 3600, threads: 2 }),
      },
    });
  afterAll(async () => {
    await gateway?.close();
    lake?.close();
  });
  const get = async (path: string, from = gateway) => {
    const response = await from.get(path);
    return { status: response.status, body: await response.json() };
  };
  /** As parameters have it. */
  const text = (micros: bigint) =>
    `${new Date(Number(micros / 1000n)).toISOString().slice(0, -1)}${String(micros % 1000n).padStart(3, '0')}Z`;
  const byHand = async (sql: string) => ({ status: 200, body: { result: JSON.parse(await lake.rows(sql)) } });
  const eventsAt = (micros: bigint, alias = 'e') =>
    `w.events AS ${alias} AT (TIMESTAMP => make_timestamptz(${micros}))`;
  const count = 'count(*) AS n, sum(id)::BIGINT AS total';
  /** Of the snapshots that change the table, and of a moment between two of them. */
  const moments = () => [...times.slice(1, 8), (times[4] ?? 0n) - 1n];
  const withoutNulls = (body: string) => JSON.parse(body.replaceAll(/,?"\w+":null/g, ''));

  test('rows are those of DuckDB by hand at each snapshot', async () => {
    for (const micros of moments()) {
      const hand = withoutNulls(await lake.rows(`SELECT ${count} FROM ${eventsAt(micros)}`));
      expect(await get(`counts?at=${text(micros)}`)).toEqual({ status: 200, body: { result: hand } });
      const first = withoutNulls(
        await lake.rows(
          `SELECT id, tenant, a, b${micros < (times[4] ?? 0n) ? '' : ', note'} FROM ${eventsAt(micros)} WHERE id >= 10 ORDER BY id LIMIT 3`,
        ),
      );
      expect(await get(`first?at=${text(micros)}`)).toEqual({ status: 200, body: { result: first } });
    }
  });

  nightly('columns of later are NULL, and texts are times', async () => {
    const [before = 0n, after = 0n] = [times[3], times[8]];
    expect(await get(`text?at=${text(before)}`)).toEqual({ status: 200, body: { result: [{ n: 0 }] } });
    expect(await get(`text?at=${text(after)}`)).toEqual(
      await byHand(`SELECT count(note) AS n, sum(record.x)::BIGINT AS total FROM ${eventsAt(after)}`),
    );
    expect(await get('text?at=monday')).toMatchObject({ status: 400, body: { error: { parameter: 'at' } } });
  });

  test('a query may read several snapshots of a table, and those of now', async () => {
    const [from = 0n, until = 0n] = [times[2], times[6]];
    expect(await get(`two?at=${text(from)}&until=${text(until)}`)).toEqual(
      await byHand(`SELECT count(*) AS n, sum(o.id)::BIGINT - sum(n.id)::BIGINT AS total
        FROM ${eventsAt(from, 'o')} FULL JOIN ${eventsAt(until, 'n')} USING (id, tenant)
        WHERE o.id IS NULL OR n.id IS NULL OR o.id > (SELECT count(*) FROM w.events)`),
    );
  });

  nightly('a column that has been renamed since is not read as one without values', async () => {
    const [made = 0n, last = 0n] = [times.at(-4), times.at(-1)];
    const { status, body } = await get(`renamed?at=${text(made)}`);
    expect(status).toBe(400);
    expect(body.error.message).toMatch(/: its column f has been renamed to g since$/);
    expect(await get(`renamed?at=${text(last)}`)).toEqual({
      status: 200,
      body: { result: [{ n: 10, total: 136 }] },
    });
    // The field is declared by the earlier name.
    expect(await get(`dropped?at=${text(made)}`)).toEqual({
      status: 200,
      body: { result: [{ n: 9, total: 36 }] },
    });
  });

  test('parts and views read the past, and a tenant its own rows of it', async () => {
    const [from = 0n, until = 0n] = [times[2], times[6]];
    expect(await get(`parts?at=${text(from)}&until=${text(until)}`)).toEqual(
      await byHand(`SELECT ${count} FROM ${eventsAt(from)} JOIN ${eventsAt(until, 'u')} USING (id)`),
    );
    expect(await get(`tenants?at=${text(from)}&tenant=b`)).toEqual(
      await byHand(`SELECT ${count} FROM ${eventsAt(from)} WHERE tenant = 'b'`),
    );
    for (const [at, name, days] of [
      [2, 'viewed', 1],
      [6, 'day', 1],
      [2, 'ago?hours=48', 2],
    ] as const) {
      const micros = times[at] ?? 0n;
      now = new Date(Number(micros / 1000n) + 1 + days * 86_400_000);
      expect(await get(name)).toEqual(await byHand(`SELECT ${count} FROM ${eventsAt(micros + 1000n)}`));
    }
    now = new Date();
  });

  nightly('a part that is computed once for a wave has the rows of its time', async () => {
    const part = files['past.sql'].replace('serve: off\n', 'serve: off\nmaterialize: refresh\n');
    const reader = query('SELECT COUNT(*) AS n, SUM(id) AS total FROM query.past(moment => @at)');
    const texts = { 'past.sql': part, 'reader.sql': reader };
    const catalog = {
      ...parseCatalog('', new Map(Object.entries(texts).map(([path, sql]) => [path, { text: sql }]))),
      tables: [{ name: 'events', fields: JSON.parse(files['tables/events.json']) }],
    };
    const config = readConfig({ DATA_DIR: lake.dataDir, STORE_FILE: ':memory:' });
    const made = vi.spyOn(DuckDBConnection.prototype, 'prepare');
    const engine = await openDuckdb(
      engineHost({ catalog, config, now: () => now }),
      withDefaults({
        dataDir: lake.dataDir,
        extensionsDir,
        isolate: false,
        threads: 1,
        storeFile: ':memory:',
      }),
    );
    const wave = { moment: now.getTime(), until: now.getTime() + 30_000 };
    const [one] = catalog.queries;
    for (const micros of [times[2] ?? 0n, times[3] ?? 0n, times[2] ?? 0n]) {
      const bound = bind(one as SavedQuery, plainParameters({ at: text(micros) }), now.getTime());
      const { rows } = await engine.run(bound, { signal: new AbortController().signal, wave });
      const hand = JSON.parse(await lake.rows(`SELECT ${count} FROM ${eventsAt(micros)}`));
      expect(rows.map((row) => JSON.parse(row))).toEqual(hand);
    }
    await engine.close();
    const tables = made.mock.calls.filter(([sql]) => sql.startsWith('CREATE TABLE memory.'));
    made.mockRestore();
    expect(tables).toHaveLength(2);
  });

  test('results are kept for each time', async () => {
    const statuses: (string | null)[] = [];
    for (const at of [2, 3, 2, 3]) {
      const response = await gateway.get(`unneeded?id=all&at=${text(times[at] ?? 0n)}`);
      statuses.push((response.headers.get('cache-status') ?? '').includes('hit') ? 'hit' : 'miss');
      expect({ status: response.status, body: await response.json() }).toEqual(
        await byHand(`SELECT ${count} FROM ${eventsAt(times[at] ?? 0n)}`),
      );
    }
    expect(statuses).toEqual(['miss', 'miss', 'hit', 'hit']);
  });

  test.each([true, false])(
    'SQL of callers reads the past of the query, in a process of its own: %s',
    async (isolate) => {
      const asked = isolate ? gateway : await open(false);
      const sql = encodeURIComponent('SELECT n + 1 AS n FROM (SELECT COUNT(*) AS n FROM t)');
      const found = await get(`caller?sql=${sql}&at=${text(times[3] ?? 0n)}`, asked);
      if (!isolate) await asked.close();
      expect(found).toEqual(await byHand(`SELECT count(*) + 1 AS n FROM ${eventsAt(times[3] ?? 0n)}`));
    },
  );

  const refused = (message: string) => ({
    status: 400,
    body: { error: { code: 'INVALID_PARAMETER', message: expect.stringMatching(message) } },
  });

  test('a time without a snapshot is the error of the parameter that gives it', async () => {
    expect(await get('counts?at=2020-01-01T00:00:00Z')).toMatchObject(
      refused('at: invalid snapshot time: 2020-01-01T00:00:00.000Z: the first snapshot is of 20'),
    );
    expect(await get('counts?at=2120-01-01T00:00:00Z')).toMatchObject(
      refused('at: invalid snapshot time: 2120-01-01T00:00:00.000Z: it is in the future'),
    );
    expect(await get('counts')).toMatchObject(refused('at: invalid snapshot time: NULL is not a time'));
    expect(await get('ago?hours=1000')).toMatchObject(refused('hours: invalid snapshot time: '));
    expect(await get(`later?at=${text(times[2] ?? 0n)}`)).toMatchObject(
      refused('at: invalid snapshot time: .*: its table was not there yet'),
    );
    expect(await get('day')).toMatchObject({
      status: 502,
      body: { error: { code: 'ENGINE_FAILED', message: expect.stringMatching('invalid snapshot time: ') } },
    });
  });

  // DuckDB by hand is wrong, or ends, at such snapshots.
  nightly('a snapshot of before the files were rewritten, or with other types, is refused', async () => {
    expect(await get(`rewritten?at=${text(times[11] ?? 0n)}`)).toMatchObject(
      refused('at: invalid snapshot time: .*: the files of its table have been rewritten since'),
    );
    expect(await get(`widened?at=${text(times[9] ?? 0n)}`)).toMatchObject(
      refused('at: invalid snapshot time: .*: columns of its table have had other types since'),
    );
    for (const name of ['rewritten', 'widened'])
      expect(await get(`${name}?at=${text(times[13] ?? 0n)}`)).toMatchObject({ status: 200 });
  });

  nightly('a catalog in SQLite is read, and followed, while a writer has it open', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'querygate-sqlite-'));
    const writer = await openLakeWriter(`sqlite:${join(folder, 'catalog.sqlite')}`);
    await writer.run('CREATE TABLE w.others AS SELECT 5::BIGINT AS n', 'INSERT INTO w.others VALUES (7)');
    const engine = duckdb({
      ...{ dataDir: writer.dataDir, extensionsDir, isolate: false, refreshSeconds: 0.05, threads: 1 },
    });
    const { 'later.sql': later } = files;
    const now = query('SELECT COUNT(*) AS n, SUM(n) AS total FROM others', { parameters: '' });
    const asked = await openFolderApp(
      { 'later.sql': later, 'now.sql': now, 'tables/others.json': numbers },
      { options: { engine } },
    );
    const [, made] = await writer.run(
      "SELECT epoch_us(snapshot_time::TIMESTAMPTZ) AS micros FROM ducklake_snapshots('w') ORDER BY snapshot_id",
    );
    expect(await get(`later?at=${text(made?.micros as bigint)}`, asked)).toMatchObject({
      body: { result: [{ n: 1, total: 5 }] },
    });
    await writer.run('INSERT INTO w.others VALUES (9)');
    await eventually(async () =>
      expect(await get('now', asked)).toMatchObject({ body: { result: [{ n: 3, total: 21 }] } }),
    );
    await asked.close();
    writer.close();
    rmSync(folder, { recursive: true });
  });

  // DuckLake has one minimum and one maximum for all snapshots: DuckDB would leave out rows of the one that it reads.
  nightly(
    'rows of a snapshot stay as they are until the gateway reads the next one, also if files are rewritten',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'querygate-sqlite-'));
      const writer = await openLakeWriter(`sqlite:${join(folder, 'catalog.sqlite')}`);
      await writer.run('CREATE TABLE w.others AS SELECT i AS n FROM range(1000) AS t(i)');
      const engine = duckdb({
        ...{ dataDir: writer.dataDir, extensionsDir, isolate: false, refreshSeconds: 3600, threads: 1 },
      });
      const least = query('SELECT COUNT(*) AS n FROM others WHERE n >= @least', {
        parameters: 'least: { type: integer, bind: INT64, required: true, description: l }',
        columns: '{ n: { type: integer, description: n } }',
      }).replace('caching: 3600s', 'caching: disabled');
      const asked = await openFolderApp(
        { 'least.sql': least, 'tables/others.json': numbers },
        { options: { engine } },
      );
      const found = async () => {
        const response = await asked.get('least?least=900');
        return [response.headers.get('querygate-data-version'), await response.json()];
      };
      const [version] = await found();
      await writer.run('DELETE FROM w.others WHERE n >= 500');
      expect(await found()).toEqual([version, { result: [{ n: 100 }] }]);
      await writer.run("CALL ducklake_rewrite_data_files('w', delete_threshold => 0)");
      expect(await found()).toEqual([String(Number(version) + 2), { result: [{ n: 0 }] }]);
      await asked.close();
      writer.close();
      rmSync(folder, { recursive: true });
    },
  );

  nightly(
    'all tables that a query reads at a time are of one snapshot, also if a transaction ends meanwhile',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'querygate-sqlite-'));
      const writer = await openLakeWriter(`sqlite:${join(folder, 'catalog.sqlite')}`);
      await writer.run(
        'CREATE TABLE w.others AS SELECT 1::BIGINT AS n',
        'CREATE TABLE w.widened AS FROM w.others',
      );
      const engine = duckdb({
        ...{ dataDir: writer.dataDir, extensionsDir, isolate: false, refreshSeconds: 3600, threads: 1 },
      });
      const pair = query(
        `SELECT (SELECT COUNT(*) FROM others FOR SYSTEM_TIME AS OF @at) AS n,
        (SELECT COUNT(*) FROM widened FOR SYSTEM_TIME AS OF @at) AS total`,
      );
      const later = (hours: number) => new Date(Date.now() + hours * 3_600_000);
      const asked = await openFolderApp(
        { 'pair.sql': pair, 'tables/others.json': numbers, 'tables/widened.json': numbers },
        { now: () => later(2), options: { engine } },
      );
      const read = DuckDBConnection.prototype.runAndReadAll;
      let looks = 0;
      const spy = vi.spyOn(DuckDBConnection.prototype, 'runAndReadAll').mockImplementation(async function (
        this: DuckDBConnection,
        sql,
      ) {
        const isLook = sql.includes('make_timestamptz(');
        if (isLook) looks += 1;
        if (isLook && looks === 2)
          await writer.run(
            'BEGIN',
            'INSERT INTO w.others VALUES (2)',
            'INSERT INTO w.widened VALUES (2)',
            'COMMIT',
          );
        return read.call(this, sql);
      });
      // The transaction is before this time, too.
      const found = await get(`pair?at=${later(1).toISOString()}`, asked);
      spy.mockRestore();
      expect(found).toEqual({ status: 200, body: { result: [{ n: 1, total: 1 }] } });
      expect(looks).toBe(1);
      await asked.close();
      writer.close();
      rmSync(folder, { recursive: true });
    },
  );

  nightly('a statement of `querygate sql` reads the past', async () => {
    const session = await openSession({
      duckdb: { dataDir: lake.dataDir, extensionsDir, storeFile: ':memory:', threads: 1 },
      tables: [{ name: 'events', fields: JSON.parse(files['tables/events.json']) }],
      withRows: true,
      now: () => new Date(),
      listener: { problem() {}, news() {} },
    });
    const outcomeAt = (time: string) => {
      const sql = `SELECT COUNT(*) AS n FROM events FOR SYSTEM_TIME AS OF TIMESTAMP '${time}'`;
      return session.run({ sql, parameters: {} }, { timeoutMs: 10_000, maxRows: 10 });
    };
    expect(await outcomeAt(text(times[2] ?? 0n))).toMatchObject({ rows: [['100']] });
    expect(await outcomeAt('2020-01-01')).toMatchObject({
      error: { stage: 'refused', message: expect.stringContaining('the first snapshot is of') },
    });
    await session.close();
  });

  test('tables elsewhere have only their rows of now', async () => {
    const { 'counts.sql': counts, 'tables/events.json': events } = files;
    await expect(openFolderApp({ 'counts.sql': counts, 'tables/events.json': events })).rejects.toThrow(
      /counts\.sql:9:\d+ FOR SYSTEM_TIME AS OF is not supported, because events has only its rows of now: .* DuckLake/,
    );
  });
});
