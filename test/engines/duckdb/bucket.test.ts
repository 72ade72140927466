import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { duckdb } from '../../../src/engines/duckdb/duckdb.ts';
import { type Bucket, hasMoto, startBucket } from '../../support/bucket.ts';
import { extensionsDir, isWithoutExtensions, openWithExtensions } from '../../support/duckdb-extensions.ts';
import { eventually } from '../../support/eventually.ts';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { listen } from '../../support/listen.ts';
import { isNightly } from '../../support/nightly.ts';

const queryOf = (id: number, sql: string) => `/*---
id: 11111111-2222-4333-8444-55555555555${id}
description: a query of the tests
max_rows: 100
caching: disabled
columns: { n: { type: integer, description: n }, total: { type: integer, description: t } }
---*/
${sql}
`;

const files = {
  'tables/events.json': JSON.stringify([
    { name: 'id', type: 'INTEGER' },
    { name: 'text', type: 'STRING' },
    { name: 'day', type: 'DATE' },
  ]),
  'tables/others.json': JSON.stringify([{ name: 'n', type: 'INTEGER' }]),
  'sums.sql': queryOf(1, 'SELECT COUNT(*) AS n, SUM(id + LENGTH(text)) AS total FROM events'),
  'counts.sql': queryOf(4, 'SELECT COUNT(*) AS n, CAST(NULL AS INT64) AS total FROM events'),
  'days.sql': queryOf(2, "SELECT COUNT(*) AS n, SUM(id) AS total FROM events WHERE day = '2026-01-02'"),
  'other.sql': queryOf(3, 'SELECT COUNT(*) AS n, SUM(n) AS total FROM others'),
};

describe.skipIf(!isNightly || isWithoutExtensions || !hasMoto)('a bucket', () => {
  let bucket: Bucket;
  let gateway: FolderApp | undefined;
  let maker: Awaited<ReturnType<typeof openWithExtensions>>;
  beforeAll(async () => {
    bucket = await startBucket();
  });
  afterAll(() => bucket?.close());
  beforeEach(async () => {
    await bucket.reset();
    vi.stubEnv('AWS_ENDPOINT_URL', bucket.url);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'a');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b');
    vi.stubEnv('AWS_REGION', 'us-east-1');
    maker = await openWithExtensions('httpfs');
    await maker.connection.run(`CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b', REGION 'us-east-1',
      ENDPOINT '${new URL(bucket.url).host}', URL_STYLE 'path', USE_SSL false)`);
    for (const day of ['2026-01-01', '2026-01-02']) await write(`events/day=${day}/a.parquet`, 0, 1000);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await gateway?.close();
    gateway = undefined;
    maker.connection.closeSync();
    maker.instance.closeSync();
  });
  const write = (name: string, from: number, to: number) =>
    maker.connection.run(
      `COPY (SELECT i AS id, repeat('x', 100) AS text FROM range(${from}, ${to}) AS t(i)) TO 's3://bucket/logs/${name}'`,
    );
  const remove = (name: string) =>
    fetch(`${bucket.url}/bucket/logs/${name}`, { method: 'DELETE', headers: { authorization: 'AWS a:b' } });
  const open = async (isolate = false, env: Readonly<Record<string, string>> = {}, scheme = 's3') => {
    gateway = await openFolderApp(files, {
      env,
      options: {
        engine: duckdb({
          ...{ dataDir: `${scheme}://bucket/logs`, extensionsDir, isolate, refreshSeconds: 0.1, threads: 2 },
          storeFile: ':memory:',
        }),
      },
    });
    return gateway;
  };
  const get = async (name: string) => {
    const response = await gateway?.get(name);
    return { status: response?.status, body: await response?.json() };
  };
  const sum = (n: number, total: number) => ({ status: 200, body: { result: [{ n, total }] } });
  const all = sum(2000, 2 * 499_500 + 2000 * 100);
  const logged = () => gateway?.logged.map(({ msg }) => msg).join('\n') ?? '';

  test.each([true, false])(
    'files are read where they are, and followed; in a process of its own: %s',
    async (isolate) => {
      await open(isolate);
      expect(await get('sums')).toEqual(all);
      expect(await get('days')).toEqual(sum(1000, 499_500));
      await write('events/day=2026-01-03/b c%+.parquet', 0, 10);
      await eventually(async () =>
        expect(await get('sums')).toEqual(sum(2010, 2 * 499_500 + 45 + 2010 * 100)),
      );
      await remove('events/day=2026-01-01/a.parquet');
      await eventually(async () => expect(await get('sums')).toEqual(sum(1010, 499_500 + 45 + 1010 * 100)));
    },
  );

  test.each(['busy', 'slow', 'cut'] as const)(
    'while requests for rows fail (%s), queries give 503 or 504, and never a part of the rows',
    async (fault) => {
      await write('events/day=2026-01-03/b.parquet', 0, 100_000);
      await open(false, { ENGINE_TIMEOUT_MS: '3000' });
      // Rows that have been read are in DuckDB's cache, and this reads none.
      expect((await get('counts')).body).toEqual({ result: [{ n: 102_000 }] });
      bucket.fail(fault, true);
      for (let at = 0; at < 3; at += 1) expect((await get('sums')).status).toBeOneOf([503, 504]);
      bucket.fail(undefined);
      await eventually(async () =>
        expect((await get('sums')).body).toMatchObject({ result: [{ n: 102_000 }] }),
      );
    },
  );

  test.each([true, false])(
    'one of Google is read with the tokens of the account of the machine, each until it expires; in a process of its own: %s',
    async (isolate) => {
      let tokens = 0;
      let isAnswering = true;
      const metadata = createServer(({ url }, response) => {
        response.setHeader('metadata-flavor', 'Google');
        if (!url?.endsWith('/token') && !url?.includes('/token?')) return void response.end('default/');
        if (!isAnswering) return void response.writeHead(403).end('no scope');
        tokens += 1;
        response.setHeader('content-type', 'application/json');
        response.end(
          JSON.stringify({ access_token: `token-${tokens}`, token_type: 'Bearer', expires_in: 1 }),
        );
      });
      vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
      vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:9');
      vi.stubEnv('STORAGE_EMULATOR_HOST', bucket.url);
      vi.stubEnv('GCE_METADATA_HOST', `127.0.0.1:${await listen(metadata)}`);
      await open(isolate, {}, 'gs');
      expect(await get('sums')).toEqual(all);
      const ofGoogle = () => [...bucket.authorizations].filter((one) => one?.startsWith('Bearer token-'));
      await eventually(() => expect(ofGoogle().length).toBeGreaterThan(3));
      isAnswering = false;
      await eventually(() => expect(logged()).toContain('The token for the bucket cannot be renewed'));
      expect(logged()).not.toMatch(/token-\d/);
      expect(await get('sums')).toEqual(all);
      await gateway?.close();
      await expect(open(isolate, {}, 'gs')).rejects.toThrow(/dataDir: Google's credentials give no token: /);
      gateway = undefined;
      metadata.close();
    },
  );

  test('while the bucket cannot be listed, a start is refused, and a gateway keeps the files that it knows', async () => {
    await open();
    bucket.fail('busy');
    await eventually(() => expect(logged()).toContain('the data folder cannot be read'));
    bucket.fail(undefined);
    expect(await get('sums')).toEqual(all);
    await gateway?.close();
    bucket.fail('busy');
    await expect(open()).rejects.toThrow(/dataDir: the bucket cannot be listed: .*503/);
    gateway = undefined;
  });

  test.each([
    ['_delta_log/00000000000000000000.json', 'a table of Delta Lake'],
    ['.hoodie/00000000000000000000.json', 'a table of Hudi'],
    ['metadata/v1.metadata.json', 'an Iceberg table'],
  ])('a folder with %s is refused', async (name, kind) => {
    await maker.connection.run(`COPY (SELECT 1 AS n) TO 's3://bucket/logs/others/${name}'`);
    await maker.connection.run("COPY (SELECT 1 AS n) TO 's3://bucket/logs/others/data/1.parquet'");
    await open();
    expect(await get('other')).toMatchObject({ status: 502, body: { error: { code: 'DATA_UNREADABLE' } } });
    expect(logged()).toContain(`others: is ${kind}, which is not read`);
    expect(await get('sums')).toEqual(all);
  });

  test('a name with ? is left out, and the other files are read', async () => {
    const url = `${bucket.url}/bucket/logs/events/day=2026-01-01/b%3Fc.parquet`;
    await fetch(url, { method: 'PUT', body: 'x', headers: { authorization: 'AWS a:b' } });
    await open();
    expect(await get('sums')).toEqual(all);
    expect(logged()).toContain('events/day=2026-01-01/b?c.parquet');
  });

  test('what is not Parquet, or would have to be imported, is named', async () => {
    await maker.connection.run("COPY (SELECT 1 AS n) TO 's3://bucket/logs/others.csv'");
    await open();
    expect(await get('other')).toMatchObject({ status: 502, body: { error: { code: 'DATA_UNREADABLE' } } });
    expect(logged()).toContain('others.csv: only Parquet is read from a bucket');
    expect(await get('sums')).toEqual(all);
  });
});
