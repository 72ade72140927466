import { globSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { duckdb } from '../../../src/engines/duckdb/duckdb.ts';
import { increments } from '../../../src/plugins/increments/increments.ts';
import { extensionsDir, isWithoutExtensions } from '../../support/duckdb-extensions.ts';
import { eventually } from '../../support/eventually.ts';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { type LakeWriter, openLakeWriter } from '../../support/lake.ts';
import { nightly } from '../../support/nightly.ts';
import { uuidOf } from '../../support/query-folder.ts';

const query = (
  at: number,
  sql: string,
  more = '',
  columns = '{ n: { type: integer, description: n }, total: { type: integer, description: t } }',
) => `/*---
id: ${uuidOf(at)}
description: a query of the tests
max_rows: 100
caching: 3600s
cache_warming: 1800s
${more}columns: ${columns}
---*/
${sql}
`;

const files = {
  'tables/events.json': JSON.stringify([
    { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
    { name: 'tenant', type: 'STRING' },
    { name: 'time', type: 'TIMESTAMP' },
    { name: 'price', type: 'NUMERIC' },
    { name: 'body', type: 'JSON' },
    { name: 'tags', type: 'STRING', mode: 'REPEATED' },
    { name: 'metadata', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'url', type: 'STRING' }] },
  ]),
  'tables/others.json': JSON.stringify([{ name: 'n', type: 'INTEGER' }]),
  'counts.sql': query(1, 'SELECT COUNT(*) AS n, SUM(id) AS total FROM events'),
  'other.sql': query(2, 'SELECT COUNT(*) AS n, SUM(n) AS total FROM others'),
  'both.sql': query(3, 'SELECT (SELECT COUNT(*) FROM events) AS n, (SELECT SUM(n) FROM others) AS total'),
  'rows.sql': query(
    4,
    `SELECT ARRAY_TO_STRING([CAST(id AS STRING), CAST(CAST(price * 8 AS INT64) AS STRING), JSON_VALUE(body, '$.i'), CAST(UNIX_MICROS(time) AS STRING),
      tags[SAFE_OFFSET(0)], metadata[SAFE_OFFSET(0)].url], ' ') AS row FROM events WHERE tenant = @tenant AND time >= TIMESTAMP '2026-01-01' ORDER BY id`,
    'parameters: { tenant: { type: string, required: true, description: t } }\n',
    '{ row: { type: string, description: r } }',
  ),
  'past.sql': query(
    7,
    'SELECT COUNT(*) AS n, SUM(id) AS total FROM events FOR SYSTEM_TIME AS OF @at',
    'parameters: { at: { type: timestamp, bind: TIMESTAMP, description: a } }\n',
  ),
  'caller.sql': query(
    5,
    'WITH t AS (SELECT id FROM events) SELECT COUNT(*) AS n, SUM(id) AS total FROM t',
    'query_sandboxing: enabled\n',
  ),
};

const insert = (
  from: number,
  to: number,
) => `INSERT INTO w.events (id, tenant, "time", price, body, tags, metadata) SELECT i, CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END,
  TIMESTAMPTZ '2026-01-01' + i * INTERVAL 1 HOUR, i / 8, json_object('i', i), ['x' || i], [{ url: '/' || i }, { url: 'y' }]
  FROM range(${from}, ${to}) AS t(i)`;

describe.skipIf(isWithoutExtensions)('a DuckLake', () => {
  let lake: LakeWriter;
  let gateway: FolderApp;
  const open = (isolate = false) =>
    openFolderApp(files, {
      options: {
        engine: duckdb({ dataDir: lake.dataDir, extensionsDir, isolate, refreshSeconds: 0.05, threads: 2 }),
      },
    });
  /** Undefined after a test that leaves no lake or no gateway for the next one. */
  let isUsable = false;
  beforeEach(async () => {
    if (isUsable) return;
    lake = await openLakeWriter();
    await lake.run(
      `CREATE TABLE w.events (id INTEGER, tenant VARCHAR, "time" TIMESTAMPTZ, price DECIMAL(18, 3), body JSON,
        tags VARCHAR[], metadata STRUCT(url VARCHAR)[])`,
      'CREATE TABLE w.others AS SELECT 5::BIGINT AS n',
      insert(0, 100),
    );
    gateway = await open();
    isUsable = true;
  });
  const end = async () => {
    if (!isUsable) return;
    isUsable = false;
    await gateway.close();
    lake.close();
  };
  afterAll(end);
  const get = async (name: string, parameters = '', from = gateway) => {
    const response = await from.get(`${name}${parameters}`);
    return {
      status: response.status,
      version: response.headers.get('querygate-data-version'),
      cache: response.headers.get('cache-status') ?? '',
      body: await response.json(),
    };
  };
  const logged = () => gateway.logged.map(({ msg }) => msg);
  const count = (n: number, total: number) => ({ result: [{ n, total }] });
  test('a time of another day in a file that was added is refused, and others are read', async () => {
    const path = join(lake.folder, 'files/odd.parquet');
    await lake.run(
      `COPY (SELECT 1 AS n, TIME '12:34:56.789' AS v UNION ALL SELECT 2, TIME '01:00:00') TO '${path}' (COMPRESSION uncompressed)`,
    );
    const bytes = readFileSync(path);
    const [before, after] = [45_296_789_000n, 86_400_000_000n].map((micros) =>
      Buffer.from(new BigInt64Array([micros]).buffer),
    );
    for (let at = bytes.indexOf(before ?? ''); at >= 0; at = bytes.indexOf(before ?? '', at))
      after?.copy(bytes, at);
    writeFileSync(path, bytes);
    await lake.run(
      'CREATE TABLE w.times (n INTEGER, v TIME)',
      `CALL ducklake_add_data_files('w', 'times', '${path}')`,
    );
    const where = 'parameters: { n: { type: integer, bind: INT64, required: true, description: n } }\n';
    const columns = '{ v: { type: string, description: v } }';
    const fields = [
      { name: 'n', type: 'INTEGER' },
      { name: 'v', type: 'TIME' },
    ];
    const app = await openFolderApp(
      {
        'tables/times.json': JSON.stringify(fields),
        'times.sql': query(1, 'SELECT CAST(v AS STRING) AS v FROM times WHERE n = @n', where, columns),
      },
      { options: { engine: duckdb({ dataDir: lake.dataDir, extensionsDir, isolate: false, threads: 2 }) } },
    );
    expect((await get('times', '?n=1', app)).status).toBe(502);
    expect((await get('times', '?n=2', app)).body).toEqual({ result: [{ v: '01:00:00' }] });
    await app.close();
  });

  /** The snapshot that is the newest, and what `counts` and `other` are at it. */
  const state = async () => {
    const [row] =
      await lake.run(`SELECT (SELECT max(snapshot_id) FROM ducklake_snapshots('w'))::INTEGER AS newest,
      (SELECT count(*) FROM w.events)::INTEGER AS n, (SELECT sum(id) FROM w.events)::INTEGER AS total,
      (SELECT sum(n) FROM w.others)::INTEGER AS others`);
    return row as Readonly<Record<'newest' | 'n' | 'total' | 'others', number>>;
  };
  let ids = 100;
  /** Ten rows more. */
  const insertTen = () => {
    ids += 10;
    return insert(ids - 10, ids);
  };

  test.each([
    ['of its own', true],
    ['of the gateway', false],
  ])(
    'answers of a process %s are of a snapshot, which they name; only results of changed tables are computed again',
    async (_, isolate) => {
      const asked = isolate ? await open(true) : gateway;
      const { newest, n, total, others } = await state();
      const first = await get('counts', '', asked);
      expect(first).toMatchObject({ status: 200, body: count(n, total) });
      const other = { body: count(1, others) };
      await eventually(async () => expect(await get('other', '', asked)).toMatchObject(other));
      const both = await get('both', '', asked);
      const versions = [first.version, (await get('other', '', asked)).version].map(Number);
      expect(both).toMatchObject({ version: String(Math.max(...versions)), body: count(n, others) });
      await lake.run(
        `INSERT INTO w.others VALUES (${others + 2})`,
        `DELETE FROM w.others WHERE n = ${others}`,
      );
      const next = { version: String(newest + 2), body: count(1, others + 2) };
      await eventually(async () => expect(await get('other', '', asked)).toMatchObject(next));
      expect(await get('both', '', asked)).toMatchObject({ ...next, body: count(n, others + 2) });
      const again = await get('counts', '', asked);
      expect(again).toMatchObject({ version: first.version, body: first.body });
      expect(again.cache).toContain('hit');
      if (isolate) await asked.close();
    },
  );

  test('GraphQL has the snapshot beside the rows', async () => {
    const { version: dataVersion, body } = await get('counts');
    const answer = await gateway.graphql('{ counts { dataVersion rows { n total } } }');
    expect(answer).toEqual({ data: { counts: { dataVersion, rows: body.result } } });
  });

  test('rows are those of now after the snapshot that brought them has been expired', async () => {
    await lake.run(insertTen());
    const { newest, n, total } = await state();
    await lake.run('INSERT INTO w.others VALUES (1)', 'DELETE FROM w.others WHERE n = 1');
    await eventually(async () => expect((await get('counts')).body).toEqual(count(n, total)));
    const times = await lake.run(
      `SELECT epoch_ms(snapshot_time)::DOUBLE + 1 AS ms FROM ducklake_snapshots('w') WHERE snapshot_id >= ${newest} ORDER BY 1`,
    );
    const [expired, kept] = times.map(({ ms }) => `?at=${new Date(Number(ms)).toISOString()}`);
    await lake.run(`CALL ducklake_expire_snapshots('w', versions => [${newest}])`);
    const after = { status: 200, version: String(newest + 1), body: count(n, total) };
    await eventually(async () => expect(await get('counts')).toMatchObject(after));
    const other = await open();
    expect(await get('counts', '', other)).toMatchObject(after);
    expect(await get('past', kept, other)).toMatchObject({ status: 200, body: count(n, total) });
    expect(await get('past', expired, other)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/the snapshot of that time may have been expired$/) } },
    });
    await other.close();
  });

  test('what is kept warm is refreshed once its tables have changed', async () => {
    // Of the only hot key: a gateway that other tests use has refreshes of other keys.
    const warm = await open();
    await get('counts', '', warm);
    await lake.run(insertTen());
    await eventually(() => expect(warm.app.counters.refreshes).toBe(1));
    const { newest, n, total } = await state();
    expect(await get('counts', '', warm)).toMatchObject({
      version: String(newest),
      cache: expect.stringContaining('hit'),
      body: count(n, total),
    });
    expect(warm.app.counters).toMatchObject({ misses: 1, refreshes: 1 });
    await warm.close();
  });

  test('SQL of callers reads the snapshot, too', async () => {
    const sql = encodeURIComponent('SELECT COUNT(*) AS c FROM t');
    const { n } = await state();
    const before = { body: { result: [{ c: n }] } };
    await eventually(async () => expect(await get('caller', `?sql=${sql}`)).toMatchObject(before));
    await lake.run(insertTen());
    const { newest } = await state();
    await eventually(async () =>
      expect(await get('caller', `?sql=${sql}`)).toMatchObject({
        version: String(newest),
        body: { result: [{ c: n + 10 }] },
      }),
    );
  });

  nightly(
    'while another process has the file of the catalog open, answers are of the snapshot before',
    async () => {
      await lake.run('BEGIN', insertTen(), 'COMMIT');
      const { newest, n, total } = await state();
      const before = { status: 200, version: String(newest), body: count(n, total) };
      await eventually(async () => expect(await get('counts')).toMatchObject(before));
      const locked = await lake.hold();
      await locked.run(insertTen());
      await eventually(() =>
        expect(logged()).toContain(
          'The lake is not up to date: the catalog is locked by a process that writes to it; let that one end, or keep the catalog in Postgres',
        ),
      );
      expect(await get('counts')).toMatchObject(before);
      await expect(open()).rejects.toThrow('dataDir: the catalog is locked by a process that writes to it');
      await locked.end();
      const after = await state();
      await eventually(async () =>
        expect(await get('counts')).toMatchObject({
          version: String(newest + 1),
          body: count(n + 10, after.total),
        }),
      );
    },
  );

  nightly('results that are made of the one before have the snapshot, too', async () => {
    await lake.run(
      `CREATE TABLE w.visits AS SELECT now() - i * INTERVAL 1 HOUR AS ts FROM range(50) AS t(i)`,
    );
    const hours = query(
      6,
      `SELECT TIMESTAMP_TRUNC(ts, HOUR) AS hour, COUNT(*) AS n FROM visits
        WHERE ts >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY) GROUP BY hour ORDER BY hour`,
      'incremental: true\n',
      '{ hour: { type: timestamp, description: h }, n: { type: integer, description: n } }',
    ).replace('caching: 3600s\ncache_warming: 1800s', 'caching: 2s\ncache_warming: 1s');
    const visits = JSON.stringify([{ name: 'ts', type: 'TIMESTAMP', mode: 'REQUIRED' }]);
    const plugin = increments();
    const asked = await openFolderApp(
      { 'tables/visits.json': visits, 'hours.sql': hours },
      {
        options: {
          engine: duckdb({ dataDir: lake.dataDir, extensionsDir, isolate: false, refreshSeconds: 0.05 }),
          plugins: [plugin],
        },
      },
    );
    const hoursOf = () => get('hours', '', asked);
    const { version } = await hoursOf();
    const isMade = () =>
      plugin.metrics?.[0]?.samples().some(({ labels, value }) => labels.run !== 'full' && value > 0);
    const versions = new Set<string | null>();
    await eventually(async () => {
      versions.add((await hoursOf()).version);
      expect(isMade()).toBe(true);
    });
    versions.add((await hoursOf()).version);
    await asked.close();
    expect([...versions]).toEqual([version]);
  });

  test('rows are those of DuckDB by hand, whatever has changed their columns', async () => {
    const byHand = `SELECT concat_ws(' ', id, (price * 8)::BIGINT, body->>'i', epoch_us("time"), tags[1], metadata[1].url) AS row
      FROM w.events WHERE tenant = 'a' ORDER BY id`;
    const isEqual = async () =>
      expect((await get('rows', '?tenant=a')).body).toEqual({ result: JSON.parse(await lake.rows(byHand)) });
    await isEqual();
    await lake.run(
      'DELETE FROM w.events WHERE id % 3 = 0',
      'ALTER TABLE w.events ADD COLUMN more INTEGER DEFAULT 5',
      'ALTER TABLE w.events ALTER COLUMN id TYPE BIGINT',
      "INSERT INTO w.events VALUES (1000, 'a', '2026-05-01', NULL, NULL, NULL, NULL, 1)",
      'UPDATE w.events SET price = 1 WHERE id = 4',
    );
    await eventually(isEqual);
  });

  nightly('files that have been merged and removed are not asked for again', async () => {
    await lake.run(insertTen(), insertTen());
    const slow = duckdb({ dataDir: lake.dataDir, extensionsDir, isolate: false, refreshSeconds: 3600 });
    const asked = await openFolderApp(files, { options: { engine: slow } });
    await lake.run(
      "CALL ducklake_flush_inlined_data('w')",
      "CALL ducklake_merge_adjacent_files('w')",
      "CALL ducklake_cleanup_old_files('w', cleanup_all => true)",
    );
    const { n, total } = await state();
    expect(await get('counts', '', asked)).toMatchObject({ status: 200, body: count(n, total) });
    expect(asked.logged.map(({ msg }) => msg).join()).not.toContain('a file of the lake');
    await asked.close();
  });

  test('JSON is spelled as BigQuery does', async () => {
    await lake.run(
      'CREATE TABLE w.notes AS SELECT \'{"a" : [1, 2]}\'::JSON AS j UNION ALL SELECT \'{"a":[1,2]}\'::JSON',
    );
    const notes = query(
      7,
      'SELECT TO_JSON_STRING(j) AS j, COUNT(*) AS n FROM notes GROUP BY 1',
      '',
      '{ j: { type: string, description: j }, n: { type: integer, description: n } }',
    );
    const asked = await openFolderApp(
      { 'tables/notes.json': JSON.stringify([{ name: 'j', type: 'JSON' }]), 'notes.sql': notes },
      { options: { engine: duckdb({ dataDir: lake.dataDir, extensionsDir, isolate: false }) } },
    );
    expect(await get('notes', '', asked)).toMatchObject({ body: { result: [{ j: '{"a":[1,2]}', n: 2 }] } });
    await asked.close();
  });

  test('a table that is not in the lake, or has other values, gives 502 and says why', async () => {
    await lake.run('ALTER TABLE w.events RENAME TO event');
    let at = 0;
    await eventually(async () => expect((await get('rows', `?tenant=${at++}`)).status).toBe(502));
    await eventually(() =>
      expect(logged()).toContain('events: the lake has no such table; did you mean event?'),
    );
    await lake.run(
      'ALTER TABLE w.event RENAME TO events',
      'ALTER TABLE w.events RENAME COLUMN tenant TO t',
      'ALTER TABLE w.events ADD COLUMN tenant DOUBLE',
    );
    await eventually(() =>
      expect(logged()).toContain(
        'events: in the lake, tenant is DOUBLE, of which not every value may be STRING',
      ),
    );
    await end();
  });

  test('a field that was added to a record may be NULL, whatever the catalog says', async () => {
    await lake.run(
      'CREATE TABLE w.added AS SELECT { a: 1 } AS r',
      'ALTER TABLE w.added ADD COLUMN r.b INTEGER',
      'INSERT INTO w.added VALUES ({ a: 2, b: 3 })',
    );
    const required = {
      name: 'r',
      type: 'RECORD',
      fields: [{ name: 'b', type: 'INTEGER', mode: 'REQUIRED' }],
    };
    const added = await openFolderApp(
      {
        'tables/added.json': JSON.stringify([required]),
        'added.sql': query(8, 'SELECT COUNT(*) AS n, SUM(r.b) AS total FROM added'),
      },
      { options: { engine: duckdb({ dataDir: lake.dataDir, extensionsDir, isolate: false }) } },
    );
    expect(await get('added', '', added)).toMatchObject({ status: 502 });
    expect(added.logged.map(({ msg }) => msg)).toContain('added: in the lake, r.b may be NULL');
    await added.close();
  });

  nightly('a lake in place of another one is not read as its next snapshot', async () => {
    const { body } = await get('counts');
    rmSync(join(lake.folder, 'lake.ducklake'));
    await lake.run(
      'CREATE TABLE w.others AS SELECT 1::BIGINT AS n',
      'CREATE TABLE w.events (id INTEGER)',
      'INSERT INTO w.events VALUES (1)',
      'INSERT INTO w.others VALUES (2)',
    );
    await eventually(() => expect(logged().join()).toContain('it is another lake than at the start'));
    expect(await get('counts')).toMatchObject({ status: 200, body });
    await end();
  });

  test('a file of the lake that is damaged gives 502 DATA_UNREADABLE, and the log names it', async () => {
    const slow = duckdb({ dataDir: lake.dataDir, extensionsDir, isolate: false, refreshSeconds: 3600 });
    const asked = await openFolderApp(files, { options: { engine: slow } });
    const { others } = await state();
    for (const file of globSync(join(lake.folder, 'files/main/events/*.parquet'))) truncateSync(file, 300);
    // Each failure looks at the catalog, which others write to; queries of other tables go on with the one that is served.
    for (let left = 3; left > 0; left -= 1) {
      await lake.run('INSERT INTO w.others VALUES (0)');
      expect(await get('rows', '?tenant=a', asked)).toMatchObject({ status: 502 });
    }
    expect(await get('other', '', asked)).toMatchObject({ status: 200, body: count(1, others) });
    await asked.close();
    const { status, body } = await get('counts');
    expect({ status, body }).toMatchObject({ status: 502, body: { error: { code: 'DATA_UNREADABLE' } } });
    expect(logged().join('\n')).toMatch(
      /main\/events\/.*\.parquet, a file of the lake, cannot be read: .*; restore it, or delete it from the lake/,
    );
    await end();
  });
});

test.skipIf(isWithoutExtensions).each([
  ['password=SECRET option=1', 'invalid connection option …'],
  ['password=SEC RET', 'missing …'],
  ['host=127.0.0.1 port=1 password=SECRET', 'Connection refused'],
  ['postgresql://u:SECRET%RET@127.0.0.1/x', 'invalid percent-encoded token: …'],
])('a catalog in Postgres at "%s" is refused without its password', async (connection, reason) => {
  const engine = duckdb({ dataDir: `ducklake:postgres:${connection}`, extensionsDir, isolate: false });
  const refused = openFolderApp(files, { options: { engine } });
  await expect(refused).rejects.toThrow(`the database of the catalog cannot be reached: ${reason}`);
  await expect(refused).rejects.toThrow(/^(?!.*(?:SEC|RET))/s);
});
