import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { skipsEmulator, startEmulator } from '../../support/bigquery-emulator.ts';
import { eventually } from '../../support/eventually.ts';
import { completeBody, reply, startFakeBigquery } from '../../support/fake-bigquery.ts';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { uuidOf } from '../../support/query-folder.ts';

let gateway: FolderApp;
afterEach(() => gateway.close());

interface VersionOptions {
  readonly header?: string;
  readonly caching?: string;
  readonly columns?: string;
  readonly select?: string;
  readonly rows?: number;
  readonly maxRows?: number;
}

/** A hundred rows of a query with a parameter. */
function version(
  number: number,
  {
    header = '',
    caching = '3600s',
    columns = '',
    select = 'x AS n',
    rows = 100,
    maxRows = 1_000,
  }: VersionOptions = {},
): string {
  return `/*---
id: ${uuidOf(number)}
description: a query of the tests
max_rows: ${maxRows}
caching: ${caching}
${header}parameters:
  add: { type: integer, default: '0', description: what is added }
columns:
  n: { type: integer, description: a number }
${columns}---*/
SELECT ${select} FROM UNNEST(GENERATE_ARRAY(1, ${rows})) AS x WHERE x + CAST(@add AS INT64) IS NOT NULL ORDER BY x
`;
}

const shadow = 'shadow: { version: q@2, share: 1 }\n';
const runs = (outcome: string) => `querygate_shadow_runs_total{endpoint="q",outcome="${outcome}"}`;
const linesOf = (msg: string) => gateway.logged.filter((line) => line.msg === msg);

describe('a shadow', () => {
  test('that differs in one row of a hundred is in the log and in the metrics', async () => {
    gateway = await openFolderApp({
      'q.sql': version(1, { header: 'shadow: q@2\n' }),
      'q@2.sql': version(2, { select: 'IF(x = 42, -424242424, x) AS n' }),
    });
    expect((await gateway.get('q?add=471147114')).status).toBe(200);
    await eventually(() => expect(linesOf('shadow differs')).toHaveLength(1));
    expect(linesOf('shadow differs')[0]).toMatchObject({
      level: 40,
      endpoint: 'q',
      shadow: 'q@2',
      rows: 100,
      shadowRows: 100,
      onlyOld: 1,
      onlyNew: 1,
      columns: ['n'],
      unstable: 0,
      parameters: ['add'],
    });
    expect(await gateway.metric(runs('differs'))).toBe(1);
    expect(await gateway.metric('querygate_shadow_differing_rows_total{endpoint="q"}')).toBe(2);
    expect(JSON.stringify(gateway.logged)).not.toMatch(/424242424|471147114/);
    // The other version's runs are counted under its own name.
    expect(await gateway.metric('querygate_engine_runs_total{endpoint="q@2",outcome="ok"}')).toBe(1);
  });

  test('has its own default for a list that the request leaves out', async () => {
    const counted = (number: number, more: string, header = '') => `/*---
id: ${uuidOf(number)}
description: a query of the tests
max_rows: 10
caching: disabled
${header}parameters:
  list: { type: integer, repeated: true, description: numbers${more} }
columns:
  n: { type: integer, description: how many }
---*/
SELECT ARRAY_LENGTH(@list) AS n
`;
    gateway = await openFolderApp({
      'q.sql': counted(1, '', shadow),
      'q@2.sql': counted(2, ', default: [1, 2]'),
    });
    await gateway.get('q');
    await eventually(async () => expect(await gateway.metric(runs('differs'))).toBe(1));
    await gateway.get('q?list=7');
    await eventually(async () => expect(await gateway.metric(runs('equal'))).toBe(1));
  });

  test('is compared too while all answers come from the cache', async () => {
    let seconds = 0;
    gateway = await openFolderApp(
      { 'q.sql': version(1, { header: shadow }), 'q@2.sql': version(2) },
      { now: () => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000) },
    );
    await gateway.get('q');
    await eventually(async () => expect(await gateway.metric(runs('equal'))).toBe(1));
    seconds = 10;
    for (let at = 0; at < 20; at += 1) await gateway.get('q');
    seconds = 29;
    await gateway.get('q');
    await sleep(300);
    expect(await gateway.metric(runs('equal'))).toBe(1);
    seconds = 31;
    const reply = await gateway.get('q');
    expect(reply.headers.get('cache-status')).toMatch(/^querygate; hit/);
    await eventually(async () => expect(await gateway.metric(runs('equal'))).toBe(2));
    // One for the caller, one for the cached request; the other version twice.
    expect(await gateway.metric('querygate_engine_runs_total{endpoint="q",outcome="ok"}')).toBe(2);
    expect(await gateway.metric('querygate_engine_runs_total{endpoint="q@2",outcome="ok"}')).toBe(2);
  });

  test('changes no answer: bytes and headers are those without it, under load', async () => {
    const other = version(2, { select: 'x + 1 AS n', caching: 'disabled' });
    const answers = async (files: Record<string, string>) => {
      gateway = await openFolderApp(files, { now: () => new Date(Date.UTC(2026, 0, 1)) });
      const addresses = Array.from(
        { length: 300 },
        (_, at) => `q${at % 3 === 0 ? '.csv' : ''}?add=${at % 30}`,
      );
      const replies = await Promise.all(addresses.map((address) => gateway.get(address)));
      const found = await Promise.all(
        replies.map(async (reply) => {
          const { date, 'x-request-id': _, ...headers } = Object.fromEntries(reply.headers);
          return { status: reply.status, headers, body: await reply.text(), date };
        }),
      );
      const graphql = await gateway.graphql('{ q(add: 3) { rows { n } rowCount truncated } }');
      if ('q@2.sql' in files) {
        await eventually(async () =>
          expect(
            await gateway.metric('querygate_engine_runs_total{endpoint="q@2",outcome="ok"}'),
          ).toBeGreaterThan(0),
        );
      }
      return { found, graphql };
    };
    const plain = await answers({ 'q.sql': version(1, { caching: 'disabled' }) });
    await gateway.close();
    const shadowed = await answers({
      'q.sql': version(1, { caching: 'disabled', header: shadow }),
      'q@2.sql': other,
    });
    expect(plain.found.every(({ status }) => status === 200)).toBe(true);
    expect(shadowed).toEqual(plain);
  });

  test('that fails is counted and logged without values, and callers are not affected', async () => {
    gateway = await openFolderApp({
      'q.sql': version(1, { header: shadow }),
      'q@2.sql': version(2, { select: "IF(x < 50, x, ERROR('secret 471147114')) AS n" }),
    });
    expect((await gateway.get('q')).status).toBe(200);
    await eventually(() => expect(linesOf('shadow failed; callers are not affected')).toHaveLength(1));
    expect(linesOf('shadow failed; callers are not affected')[0]).toMatchObject({
      endpoint: 'q',
      shadow: 'q@2',
      code: 'ENGINE_FAILED',
    });
    expect(JSON.stringify(gateway.logged)).not.toContain('471147114');
    expect(await gateway.metric(runs('failed'))).toBe(1);
    expect((await gateway.get('q?add=1')).status).toBe(200);
  });

  test('columns that only one version has are named once, and not compared', async () => {
    const more = '  m: { type: string, description: more }\n';
    gateway = await openFolderApp({
      'q.sql': version(1, { header: shadow, caching: 'disabled' }),
      'q@2.sql': version(2, { columns: more, select: "x AS n, 'a' AS m" }),
    });
    for (let at = 1; at <= 2; at += 1) {
      await gateway.get('q');
      await eventually(async () => expect(await gateway.metric(runs('equal'))).toBe(at));
    }
    const lines = gateway.logged.filter(({ msg }) => msg.includes('not compared'));
    expect(lines).toMatchObject([{ endpoint: 'q', shadow: 'q@2', columns: ['m'] }]);
  });

  test('rows that change between two runs of the same version are no difference', async () => {
    gateway = await openFolderApp({
      'q.sql': version(1, { header: shadow, select: 'CAST(FLOOR(RAND() * 1e12) AS INT64) AS n' }),
      'q@2.sql': version(2, { select: 'CAST(FLOOR(RAND() * 1e12) AS INT64) AS n' }),
    });
    await gateway.get('q');
    await eventually(async () => expect(await gateway.metric(runs('unstable'))).toBe(1));
    expect(linesOf('shadow differs')).toEqual([]);
  });

  test('is not run for values that the other version does not accept', async () => {
    gateway = await openFolderApp({
      'q.sql': version(1, { header: shadow }),
      'q@2.sql': version(2)
        .replace("default: '0'", 'required: true')
        .replace('type: integer, ', 'type: boolean, '),
    });
    await gateway.get('q?add=7');
    await eventually(async () => expect(await gateway.metric(runs('incomparable'))).toBe(1));
  });

  test('a changed, a broken and a removed version under load', async () => {
    gateway = await openFolderApp({
      'q.sql': version(1, { header: shadow, caching: 'disabled' }),
      'q@2.sql': version(2),
    });
    let isDone = false;
    const failures: unknown[] = [];
    const load = async () => {
      while (!isDone) {
        const reply = await gateway.get('q');
        if (reply.status !== 200 || !(await reply.text()).includes('{"n":42}')) failures.push(reply.status);
      }
    };
    const loads = [load(), load()];
    await eventually(async () => expect(await gateway.metric(runs('equal'))).toBeGreaterThan(0));
    gateway.queries.write('q@2.sql', version(2, { select: 'IF(x = 7, 0, x) AS n' }));
    await eventually(async () => expect(await gateway.metric(runs('differs'))).toBeGreaterThan(0));
    gateway.queries.write('q@2.sql', 'broken');
    await eventually(() =>
      expect(linesOf('a file is broken: its last good version is served')).toHaveLength(1),
    );
    gateway.queries.remove('q@2.sql');
    await eventually(async () => expect((await gateway.get('q@2')).status).toBe(404));
    isDone = true;
    await Promise.all(loads);
    expect(failures).toEqual([]);
    expect(linesOf('shadow failed; callers are not affected')).toEqual([]);
    expect(linesOf('a bug in the gateway')).toEqual([]);
  });
});

test('the use of a deprecated endpoint is counted, and logged once an hour for each key', async () => {
  gateway = await openFolderApp({
    'q.sql': version(1, { header: 'deprecated: { since: 2026-01-01, sunset: 2026-06-01 }\n' }),
  });
  for (let at = 0; at < 3; at += 1) await gateway.get('q');
  await gateway.graphql('{ q { rowCount } }');
  expect(await gateway.metric('querygate_deprecated_results_total{endpoint="q"}')).toBe(4);
  expect(linesOf('a deprecated endpoint is used')).toMatchObject([
    { endpoint: 'q', key: 'API_KEY', results: 1, sunset: '2026-06-01' },
  ]);
});

describe('a shadow on BigQuery', () => {
  const bigquery = (endpoint: string, project: string) => ({
    ENGINE: 'bigquery',
    BIGQUERY_PROJECT: project,
    BIGQUERY_DATASET: 'logs',
    BIGQUERY_API_ENDPOINT: endpoint,
    BIGQUERY_START_CHECK: 'off',
    BIGQUERY_MAXIMUM_BYTES_BILLED: '5000000',
  });

  test('is billed at most the maximum, each run under the name of its version, and its cost is in log and metrics', async () => {
    const fake = await startFakeBigquery();
    const rows = (numbers: readonly number[]) => ({
      ...completeBody(numbers),
      schema: { fields: [{ name: 'n', type: 'INTEGER', mode: 'NULLABLE' }] },
    });
    fake.respondWith((response, received, at) => {
      const isShadow = String(received.body.query).includes('42');
      reply(rows(isShadow ? [1, 2, 4] : [1, 2, 3]))(response, received, at);
    });
    gateway = await openFolderApp(
      { 'q.sql': version(1, { header: shadow }), 'q@2.sql': version(2, { select: 'IF(x = 42, 0, x) AS n' }) },
      { env: bigquery(fake.endpoint, 'our-project') },
    );
    expect(await (await gateway.get('q')).json()).toEqual({ result: [{ n: 1 }, { n: 2 }, { n: 3 }] });
    await eventually(() => expect(linesOf('shadow differs')).toHaveLength(1));
    expect(fake.received.map(({ body }) => [body.maximumBytesBilled, body.labels])).toEqual([
      ['5000000', expect.objectContaining({ endpoint: 'q' })],
      ['5000000', expect.objectContaining({ endpoint: 'q_2' })],
      ['5000000', expect.objectContaining({ endpoint: 'q' })],
    ]);
    expect(linesOf('query ran').map(({ endpoint }) => endpoint)).toEqual(['q', 'q@2', 'q']);
    expect(await gateway.metric('querygate_engine_billed_bytes_total{endpoint="q@2"}')).toBe(2000);
    await fake.close();
  });

  test.skipIf(skipsEmulator)(
    'that differs in one row of a hundred is in the log, on an emulator',
    async () => {
      const emulator = await startEmulator();
      gateway = await openFolderApp(
        {
          'q.sql': version(1, { header: shadow }),
          'q@2.sql': version(2, { select: 'IF(x = 42, -424242424, x) AS n' }),
        },
        { env: bigquery(emulator.endpoint, emulator.project) },
      );
      expect((await gateway.get('q')).status).toBe(200);
      await eventually(() => expect(linesOf('shadow differs')).toHaveLength(1));
      expect(linesOf('shadow differs')[0]).toMatchObject({
        rows: 100,
        onlyOld: 1,
        onlyNew: 1,
        columns: ['n'],
      });
      await emulator.close();
    },
  );
});
