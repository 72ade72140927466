import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadEngine } from '../../../src/author/configured-engine.ts';
import { loadCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import { readConfig } from '../../../src/config.ts';
import type { EngineHost } from '../../../src/engine-contract/engine-factory.ts';
import { limitsOf } from '../../../src/engines/checked-engine.ts';
import { openQuack } from '../../../src/engines/quack/open-quack.ts';
import { quack } from '../../../src/engines/quack/quack.ts';
import { checkQuackOptions } from '../../../src/engines/quack/quack-options.ts';
import { extensionsDir, isWithoutExtensions } from '../../support/duckdb-extensions.ts';
import { analyzed } from '../../support/engine-host.ts';
import { eventually } from '../../support/eventually.ts';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { openForwarder } from '../../support/forwarder.ts';
import { atNight, isNightly, nightly } from '../../support/nightly.ts';
import { type QuackServer, quackServer } from '../../support/quack-server.ts';
import { queryText } from '../../support/queries.ts';
import { makeQueryFolder } from '../../support/query-folder.ts';
import { isWithoutOpenssl, openTlsForwarder } from '../../support/tls-forwarder.ts';

const tables = {
  'tables/visits.json': JSON.stringify([
    { name: 'tenant', type: 'STRING' },
    { name: 'moment', type: 'TIMESTAMP' },
    { name: 'n', type: 'INTEGER' },
  ]),
  'tables/stuck.json': JSON.stringify([{ name: 'x', type: 'INTEGER' }]),
};

/** One row an hour, of ten tenants in turn. */
const visits = `CREATE OR REPLACE TABLE visits AS SELECT 't' || (i % 10) AS tenant,
  make_timestamptz(1767225600000000 + i * 3600000000) AS moment, i AS n FROM range(1000) AS r(i)`;

/** Its row takes a minute, and no processor time. */
const stuck = `CREATE OR REPLACE VIEW stuck AS SELECT CASE WHEN sleep_ms(60000 + i) IS NULL THEN i ELSE 0 END AS x FROM range(1) AS r(i)`;

const made = `${visits}; ${stuck}`;

const tenant = { tenant: '{ type: string, description: Whose., required: true, tenant: true }' };

/** Its days are others in another time zone, and its names need a macro. */
const daily = queryText({
  name: 'daily',
  columns: { day: 'date', visits: 'integer', name: 'string' },
  parameters: tenant,
  caching: ['caching: 60s'],
  sql: `select date(moment) as day, count(*) as visits, lower(upper(any_value(tenant))) as name
    from visits where tenant = @tenant group by day order by day limit 2`,
});

const slow = queryText({
  name: 'slow',
  columns: { x: 'integer' },
  sql: 'select max(x) as x from stuck',
});

/** No row has a value beyond the greatest at first. */
const late = queryText({
  name: 'late',
  columns: { x: 'integer' },
  sql: 'select count(*) as x from visits where n >= 5000',
});

const active = `SELECT count(*) FROM quack_active_connections() WHERE state = 'active'`;

const kills = isNightly ? 20 : 1;

const dailyOf = (name: string) => [
  { day: '2026-01-01', visits: 3, name },
  { day: '2026-01-02', visits: 2, name },
];

describe.skipIf(isWithoutExtensions)('a server of DuckDB', () => {
  let server: QuackServer;
  let app: FolderApp | undefined;
  let now: Date;
  beforeAll(async () => {
    server = await quackServer(made);
  });
  /** A test has the tables as they are at first, in the server of the one before if it is left. */
  beforeEach(async () => {
    now = new Date('2026-03-10T12:00:00Z');
    if (server.isRunning()) await server.ask(made);
    else await server.start();
  });
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });
  afterAll(() => server.kill());
  const env = () => ({ ENGINE: server.url, QUACK_TOKEN: server.token, DUCKDB_EXTENSIONS: extensionsDir });
  /** @param isApart whether the client has a process of its own, as it always has outside of tests */
  const open = async (files: Record<string, string>, more: Record<string, string> = {}, isApart = false) => {
    const { ENGINE: url = server.url, QUACK_TOKEN: token = server.token } = more;
    const options = { url, token, extensionsDir };
    const here = {
      ...quack(options),
      open: (host: EngineHost) => openQuack(host, checkQuackOptions(options)),
    };
    app = await openFolderApp(
      { ...tables, ...files },
      { env: { ...env(), ...more }, now: () => now, ...(!isApart && { options: { engine: here } }) },
    );
    return app;
  };
  const checkOf = async (files: Record<string, string>, more: Record<string, string> = {}) => {
    const queries = makeQueryFolder({ ...tables, ...files });
    const config = readConfig({ QUERIES_DIR: queries.folder, ...env(), ...more });
    const notes: string[] = [];
    const options = { limits: limitsOf(config), onChecked() {}, onNote: (note: string) => notes.push(note) };
    const problems = await (await loadEngine(config)).check?.(analyzed(loadCatalog(queries.folder)), options);
    queries.close();
    return { problems: problems?.map(({ message }) => message), notes };
  };

  test('that is killed and started again gives 503, older results where there are some, and then right ones', async () => {
    const { get } = await open({ 'daily.sql': daily });
    const rowsOf = async (name: string) => (await get(`daily?tenant=${name}`)).json();
    expect(await rowsOf('t0')).toEqual({ result: dailyOf('t0') });
    await server.kill();
    now = new Date('2026-03-10T12:01:10Z');
    const kept = await get('daily?tenant=t0');
    expect([kept.status, kept.headers.get('cache-status')]).toEqual([
      200,
      expect.stringContaining('stale-if-error'),
    ]);
    const failed = await get('daily?tenant=t1');
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await failed.json()).toMatchObject({ error: { code: 'ENGINE_UNAVAILABLE' } });
    await server.start();
    // In a session that has neither the time zone nor the macros of the one before.
    await server.ask(`SET GLOBAL TimeZone = 'Asia/Tokyo'`);
    expect(await rowsOf('t1')).toEqual({ result: dailyOf('t1') });
    await server.ask('RESET GLOBAL TimeZone');
    expect(JSON.stringify(app?.logged)).not.toContain(server.token);
  });

  nightly('that comes back with other tables gives no rows', async () => {
    const { get } = await open({ 'daily.sql': daily });
    expect((await get('daily?tenant=t0')).status).toBe(200);
    await server.kill();
    await server.start(made.replace('i AS n', 'i::VARCHAR AS n'));
    const failed = await get('daily?tenant=t1');
    expect([failed.status, await failed.json()]).toMatchObject([
      502,
      { error: { code: 'ENGINE_MISCONFIGURED' } },
    ]);
    expect(JSON.stringify(app?.logged)).toContain('n is VARCHAR; it must be BIGINT');
  });

  test('has rows that others add in the next answer, also of queries without parameters', async () => {
    const { get } = await open({ 'late.sql': late });
    const rows = async () => (await get('late')).json();
    for (const _ of [1, 2]) expect(await rows()).toEqual({ result: [{ x: 0 }] });
    await server.ask(`INSERT INTO visits VALUES ('t0', now(), 5000)`);
    expect(await rows()).toEqual({ result: [{ x: 1 }] });
  });

  test('has an address that can be decoded', () => {
    const url = 'quack://db.example.com/%zz';
    expect(() => checkQuackOptions({ url, token: 't' })).toThrow(
      /^The options of quack .*\n {2}url: must be the /,
    );
  });

  test('without memory for a query says so', async () => {
    const heavy = queryText({
      name: 'heavy',
      columns: { x: 'integer' },
      sql: "select length(string_agg(repeat('x', 100000 + n), '')) as x from visits",
    });
    const { get } = await open({ 'heavy.sql': heavy });
    await server.ask(`SET memory_limit = '50MB'`);
    const failed = await get('heavy');
    await server.ask(`RESET memory_limit`);
    expect(await failed.json()).toMatchObject({
      error: { code: 'ENGINE_FAILED', message: 'The query needs more memory than the engine may use' },
    });
  });

  test('that refuses the token ends the start, and the message does not have it', async () => {
    const wrong = 'another-token-of-somebody';
    const error = await open({ 'daily.sql': daily }, { QUACK_TOKEN: wrong }).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    expect(error).toContain('quack.token: the server refuses it');
    expect(error).not.toContain(wrong);
  });

  test('check refuses by name what no server can run', async () => {
    const sql = {
      udf: `create temp function f(x int64) returns int64 language js as 'return x'; select f(n) as x from visits`,
      big: 'select cast(cast(n as bignumeric) as int64) as x from visits',
      hash: 'select farm_fingerprint(tenant) as x from visits',
    };
    const files = Object.fromEntries(
      Object.entries(sql).map(([name, text]) => [
        `${name}.sql`,
        queryText({ name, columns: { x: 'integer' }, sql: text }),
      ]),
    );
    const cure = 'cannot run on a server of DuckDB: the gateway computes it, with ENGINE=duckdb';
    expect(await checkOf(files)).toEqual({
      problems: [`BIGNUMERIC ${cure}`, `FARM_FINGERPRINT ${cure}`, `a function in JavaScript ${cure}`],
      notes: [],
    });
  });

  test.skipIf(isWithoutOpenssl)('is reached by TLS only if its certificate is trusted', async () => {
    const forwarder = await openTlsForwarder(Number(new URL(server.url).port));
    const more = { ENGINE: `quack://localhost:${forwarder.port}?tls=on` };
    const problem = 'quack.url: the certificate of the server is not trusted';
    expect(await checkOf({ 'daily.sql': daily }, more)).toEqual({ problems: [problem], notes: [] });
    vi.stubEnv('SSL_CERT_FILE', forwarder.certificate);
    const { get } = await open({ 'daily.sql': daily }, more, true);
    vi.unstubAllEnvs();
    expect(await (await get('daily?tenant=t0')).json()).toEqual({ result: dailyOf('t0') });
    forwarder.close();
  });

  nightly(
    'runs no more queries than the gateway may, also those that are not awaited any longer',
    async () => {
      const { get } = await open(
        { 'slow.sql': slow, 'daily.sql': daily },
        { ENGINE_TIMEOUT_MS: '2000', ENGINE_CONCURRENCY: '1' },
      );
      expect((await get('daily?tenant=t0')).status).toBe(200);
      expect((await get('slow')).status).toBe(504);
      expect((await get('daily?tenant=t1')).status).toBe(504);
      expect(await server.ask(active)).toEqual([['1']]);
      await server.kill();
      await server.start();
      expect(await (await get('daily?tenant=t1')).json()).toEqual({ result: dailyOf('t1') });
    },
  );

  nightly(
    'whose connections are reset gives 503 to a query that it runs, and rows to the next one',
    async () => {
      const forwarder = await openForwarder(Number(new URL(server.url).port));
      const { get } = await open(
        { 'daily.sql': daily, 'slow.sql': slow },
        { ENGINE: `quack://127.0.0.1:${forwarder.port}` },
      );
      expect(await (await get('daily?tenant=t0')).json()).toEqual({ result: dailyOf('t0') });
      forwarder.reset();
      expect(await (await get('daily?tenant=t1')).json()).toEqual({ result: dailyOf('t1') });
      const cut = get('slow');
      await eventually(async () => expect(await server.ask(active)).toEqual([['1']]));
      forwarder.reset();
      expect([(await cut).status, (await cut).headers.get('retry-after')]).toEqual([503, '5']);
      expect(await (await get('daily?tenant=t2')).json()).toEqual({ result: dailyOf('t2') });
      forwarder.close();
    },
  );

  test(`that is killed ${kills} times under load never gives wrong rows, nor those of another tenant`, {
    timeout: 600_000,
  }, async () => {
    const uncached = daily.replace('caching: 60s', 'caching: disabled');
    const { get } = await open({ 'daily.sql': uncached }, {}, isNightly);
    const counts = { right: 0, unavailable: 0 };
    const others: unknown[] = [];
    let isOver = false;
    const ask = async (name: string) => {
      while (!isOver) {
        const response = await get(`daily?tenant=${name}`);
        const text = await response.text();
        await sleep(10);
        if (response.status === 503) counts.unavailable += 1;
        else if (JSON.stringify(JSON.parse(text)) === JSON.stringify({ result: dailyOf(name) }))
          counts.right += 1;
        else others.push([name, response.status, text]);
      }
    };
    const asking = ['t0', 't1', ...atNight('t2', 't3')].map(ask);
    for (let left = kills; left > 0; left -= 1) {
      const { right, unavailable } = counts;
      while (counts.right < right + 20) await sleep(10);
      await server.kill();
      while (counts.unavailable < unavailable + 5) await sleep(10);
      await server.start();
    }
    isOver = true;
    await Promise.all(asking);
    expect(others).toEqual([]);
    // The server is the one that it was: each session that the gateway has is one that it has begun.
    expect(counts.right).toBeGreaterThanOrEqual(20 * kills);
  });

  test('check compares its tables with those that are declared, if it can be reached', async () => {
    await server.ask('ALTER TABLE visits ALTER moment TYPE TIMESTAMP');
    await server.ask('ALTER TABLE visits DROP n');
    expect(await checkOf({ 'daily.sql': daily })).toEqual({
      problems: [
        'table visits of the server: moment is TIMESTAMP; it must be TIMESTAMP WITH TIME ZONE, as a view can cast it',
        'table visits of the server: has no column n; it must be BIGINT',
      ],
      notes: [],
    });
    await server.kill();
    expect(await checkOf({ 'daily.sql': daily })).toEqual({
      problems: [],
      notes: [expect.stringContaining('have not been compared')],
    });
  });
});
