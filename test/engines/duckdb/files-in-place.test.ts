import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SavedQuery } from '../../../src/catalog/model/saved-query.ts';
import { readConfig } from '../../../src/config.ts';
import type { Engine, ImportReport } from '../../../src/engine-contract/engine.ts';
import { withDefaults } from '../../../src/engines/duckdb/duckdb-options.ts';
import { openDuckdb } from '../../../src/engines/duckdb/open-duckdb.ts';
import { analyzed, engineHost } from '../../support/engine-host.ts';
import { isNightly } from '../../support/nightly.ts';
import { draftQuery } from '../../support/queries.ts';

const nullable = { mode: 'NULLABLE' } as const;
const logs: TableSchema = {
  name: 'logs',
  fields: [
    { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
    { name: 'time', type: 'TIMESTAMP', mode: 'REQUIRED' },
    { name: 'tenant', type: 'STRING', ...nullable },
    { name: 'day', type: 'DATE', ...nullable },
    { name: 'price', type: 'NUMERIC', ...nullable },
    { name: 'ratio', type: 'FLOAT', ...nullable },
    { name: 'body', type: 'JSON', ...nullable },
    { name: 'tags', type: 'STRING', mode: 'REPEATED' },
    {
      name: 'metadata',
      type: 'RECORD',
      mode: 'REPEATED',
      fields: [
        { name: 'url', type: 'STRING', ...nullable },
        { name: 'status', type: 'INTEGER', ...nullable },
        {
          name: 'header',
          type: 'RECORD',
          mode: 'REPEATED',
          fields: [{ name: 'name', type: 'STRING', ...nullable }],
        },
      ],
    },
  ],
};

/** Each returns rows as one text. */
const shapes: Readonly<Record<string, string>> = {
  all: `SELECT string_agg(FORMAT('%d %t %t %t %t %t %t', id, time, tenant, day, price, ratio, TO_JSON_STRING(body)), ';' ORDER BY id) AS v
    FROM logs WHERE time >= @since AND time < @until`,
  'of a tenant': `SELECT string_agg(CAST(id AS STRING) ORDER BY id) AS v FROM logs
    WHERE time BETWEEN @since AND @until AND tenant = @tenant`,
  'below a query': `WITH recent AS (SELECT * FROM logs WHERE time >= @since)
    SELECT string_agg(CAST(id AS STRING) ORDER BY id) AS v FROM recent r WHERE @until > r.time AND tenant = @tenant`,
  records: `SELECT string_agg(FORMAT('%d %t %t %t', id, m.url, m.status, h.name), ';' ORDER BY id, h.name) AS v
    FROM logs t, t.metadata m, m.header h WHERE t.time >= @since AND m.status = 200`,
  'whole records': `SELECT string_agg(TO_JSON_STRING(t), ';' ORDER BY id) AS v FROM logs t WHERE tenant = @tenant`,
  lists: `SELECT string_agg(tag, ' ' ORDER BY id, tag) AS v FROM logs, UNNEST(tags) AS tag WHERE time >= @since`,
  'latest first': `SELECT string_agg(CAST(id AS STRING), ',') AS v FROM
    (SELECT id FROM logs WHERE time < @until AND tenant = @tenant ORDER BY time DESC LIMIT 5)`,
  'latest records': `SELECT string_agg(FORMAT('%d %t %t %t %t', id, day, price, ratio, TO_JSON_STRING(metadata)), ',') AS v FROM
    (SELECT id, day, price, ratio, metadata FROM logs WHERE time < @until AND tenant = @tenant ORDER BY time DESC LIMIT 5)`,
  joined: `SELECT string_agg(FORMAT('%d %t', a.id, b.id), ';' ORDER BY a.id, b.id) AS v FROM logs a
    LEFT JOIN logs b ON b.id = a.id + 1 AND b.time >= @since WHERE a.tenant = @tenant AND a.time < @until`,
  'in groups': `SELECT string_agg(FORMAT('%t %d %t', day, n, price), ';' ORDER BY day) AS v FROM
    (SELECT day, count(*) AS n, sum(price) AS price FROM logs WHERE day >= DATE(@since) GROUP BY day)`,
  none: `SELECT CAST(count(*) AS STRING) AS v FROM logs WHERE time > @until AND time < @since`,
};

const moment = '{ type: timestamp, bind: TIMESTAMP, description: A time. }';
const types = { since: moment, until: moment, tenant: 'string' };
const queries: readonly SavedQuery[] = [
  ...Object.entries(shapes).map(([name, sql]) =>
    draftQuery({
      name,
      columns: { v: 'string' },
      parameters: Object.fromEntries(
        Object.entries(types).filter(([parameter]) => sql.includes(`@${parameter}`)),
      ),
      sql,
    }),
  ),
  draftQuery({
    name: 'ids',
    columns: { v: 'string' },
    sql: 'SELECT string_agg(CAST(id AS STRING) ORDER BY id) AS v FROM logs',
  }),
];

const windows = [
  ['2026-03-01T00:00:00.000000Z', '2026-03-11T00:00:00.000000Z', 'b'],
  ['2026-03-03T12:00:00.000000Z', '2026-03-05T00:00:00.000000Z', 'a'],
  ['2026-03-05T00:00:00.000000Z', '2026-03-05T00:00:00.000000Z', 'ü'],
  ['2026-01-01T00:00:00.000000Z', '2026-02-01T00:00:00.000000Z', 'a'],
] as const;

let maker: { readonly instance: DuckDBInstance; readonly connection: DuckDBConnection };
beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  maker = { instance, connection };
});
afterAll(() => {
  maker.connection.closeSync();
  maker.instance.closeSync();
});

/** Rows of eight days and three tenants. */
const rows = (
  from = 0,
  to = 480,
) => `SELECT i AS id, TIMESTAMPTZ '2026-03-01' + i * INTERVAL 25 MINUTE AS time,
    CASE i % 4 WHEN 0 THEN 'a' WHEN 1 THEN 'b' WHEN 2 THEN 'ü' END AS tenant,
    CAST(TIMESTAMP '2026-03-01' + i * INTERVAL 25 MINUTE AS DATE) AS day,
    CASE WHEN i % 5 > 0 THEN CAST(i AS DECIMAL(18, 3)) / 8 END::DECIMAL(18, 3) AS price,
    CASE i % 6 WHEN 0 THEN NULL ELSE i / 4 END::DOUBLE AS ratio,
    CASE WHEN i % 3 = 0 THEN CAST(json_object('i', i) AS JSON) END AS body,
    CASE WHEN i % 7 = 0 THEN ['x', 'y' || i] ELSE [] END AS tags,
    CASE WHEN i % 9 = 4 THEN [] ELSE [{ url: '/p' || i, status: CASE WHEN i % 2 = 0 THEN 200 ELSE 404 END, header: [{ name: 'h' || i }] }] END AS metadata
  FROM range(${from}, ${to}) AS t(i)`;

let folder: string;
/** The file appears in its place when it is whole: a scan may come at any moment. */
const write = async (select: string, file: string, format = 'FORMAT parquet, ROW_GROUP_SIZE 2048') => {
  const written = join(folder, 'written');
  await maker.connection.run(`COPY (${select}) TO '${written}' (${format})`);
  mkdirSync(dirname(file), { recursive: true });
  renameSync(written, file);
};

let engine: Engine | undefined;
/** As they are analyzed. */
let served: readonly SavedQuery[];
let problems: string[];
let reports: ImportReport[];
const file = (name: string) => join(folder, 'data', name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  mkdirSync(join(folder, 'data'));
  [problems, reports] = [[], []];
});
afterEach(async () => {
  await engine?.close();
  engine = undefined;
  rmSync(folder, { recursive: true });
});

const open = async (
  table: TableSchema = logs,
  env: Record<string, string> = {},
  refreshSeconds = 3600,
  more: readonly SavedQuery[] = [],
) => {
  await engine?.close();
  const config = readConfig({
    DATA_DIR: join(folder, 'data'),
    STORE_FILE: join(folder, 'store.duckdb'),
    ...env,
  });
  const events = {
    problem: (message: string) => void problems.push(message),
    imported: (report: ImportReport) => void reports.push(report),
  };
  const now = () => new Date('2026-03-10T12:00:00Z');
  const catalog = { queries: [...queries, ...more], tables: [table] };
  const host = engineHost({ catalog, config, now, events });
  served = host.catalog.queries;
  engine = await openDuckdb(host, withDefaults({ ...config.duckdb, refreshSeconds }));
};

const run = async (name: string, values: readonly string[] = []): Promise<unknown> => {
  const query = served.find((one) => one.name === name);
  if (query === undefined || engine === undefined) throw new Error(`no ${name}`);
  const [since = '', until = '', tenant = ''] = values;
  const parameters = values.length === 0 ? {} : { since, until, tenant };
  const { rows: found } = await engine.run({ query, parameters }, { signal: new AbortController().signal });
  return JSON.parse(String([...found][0])).v;
};
const ids = () => run('ids');
const answers = async () => {
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(shapes))
    for (const [at, values] of windows.entries()) found[`${name} ${at}`] = await run(name, values);
  return found;
};
/** The number of rows in the store. */
const imported = async () => {
  await engine?.close();
  engine = undefined;
  const store = await DuckDBInstance.create(join(folder, 'store.duckdb'));
  const connection = await store.connect();
  const tables = await connection.runAndReadAll(
    "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'stored'",
  );
  expect(tables.getRows()).toHaveLength(1);
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM stored."${tables.getRows()[0]?.[0]}"`);
  connection.closeSync();
  store.closeSync();
  return Number(counted.getRows()[0]?.[0]);
};

const asStruct = rows()
  .replace('[] ELSE [{ url:', 'NULL ELSE { url:')
  .replace('}] END AS metadata', '} END AS metadata');
const forms: Readonly<Record<string, () => Promise<unknown>>> = {
  'a file': () => write(rows(), file('logs.parquet')),
  'files of rows': async () => {
    for (let at = 0; at < 480; at += 60) await write(rows(at, at + 60), file(`logs/${at}.parquet`));
  },
  'folders of days': () =>
    maker.connection.run(`COPY (SELECT *, year(time) AS year, month(time) AS month, day(time) AS d FROM (${rows()}))
      TO '${file('logs')}' (FORMAT parquet, PARTITION_BY (year, month, d))`),
  'a folder that gives a column': () =>
    maker.connection.run(`COPY (${rows()}) TO '${file('logs')}' (FORMAT parquet, PARTITION_BY (day))`),
  'records as structs': () => write(asStruct, file('logs.parquet')),
  'both kinds of records, in a folder named as a file': async () => {
    await write(rows(0, 200), file('logs.parquet/1.parquet'));
    await write(`SELECT * FROM (${asStruct}) WHERE id >= 200`, file('logs.parquet/2.parquet'));
  },
  'narrow and wide types': async () => {
    const narrow = `* REPLACE (id::SMALLINT AS id, time::TIMESTAMP_NS AS time, price::DECIMAL(10, 3) AS price, ratio::FLOAT AS ratio)`;
    await write(`SELECT ${narrow} FROM (${rows(0, 100)})`, file('logs/1.parquet'));
    await write(
      `SELECT * REPLACE (id::UBIGINT AS id, time::TIMESTAMP AS time) FROM (${rows(100, 300)})`,
      file('logs/2.parquet'),
    );
    await write(rows(300, 480), file('logs/3.parquet'));
  },
};

describe('Parquet files', () => {
  /** Those of imported rows: the first test computes them for all. */
  let expected: Awaited<ReturnType<typeof answers>> | undefined;
  const ofImportedRows = async () => {
    mkdirSync(file('logs'));
    await write(rows(), file('logs/a.ndjson'), 'FORMAT json');
    await open();
    const found = await answers();
    expect(await imported()).toBe(480);
    rmSync(file('logs'), { recursive: true });
    rmSync(join(folder, 'store.duckdb'));
    return found;
  };

  // By day the two that differ most.
  test.each(Object.entries(forms).filter(([name]) => isNightly || /^folders|^both/.test(name)))(
    '%s: are read where they are, and answer as imported rows do',
    async (_, make) => {
      expected ??= await ofImportedRows();
      mkdirSync(file('logs'));
      await make();
      await open();
      expect(await answers()).toEqual(expected);
      expect(problems).toEqual([]);
      expect(await imported()).toBe(0);
      // What is known of them is in the store.
      await open();
      expect(await answers()).toEqual(expected);
    },
    120_000,
  );
});

describe('a change of the files', () => {
  const between = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
  const listed = (numbers: readonly number[]) =>
    numbers
      .map(String)
      .toSorted((a, b) => Number(a) - Number(b))
      .join(',');

  test('is noticed by the next query: a file that is new in its place, or gone', async () => {
    await write(rows(0, 10), file('logs/1.parquet'));
    await write(rows(10, 20), file('logs/2.parquet'));
    await open();
    expect(await ids()).toBe(listed(between(0, 20)));
    await write(rows(30, 45), file('other.parquet'));
    renameSync(file('other.parquet'), file('logs/1.parquet'));
    expect(await ids()).toBe(listed([...between(10, 20), ...between(30, 45)]));
    renameSync(file('logs/2.parquet'), file('logs/3.parquet'));
    expect(await ids()).toBe(listed([...between(10, 20), ...between(30, 45)]));
    rmSync(file('logs/1.parquet'));
    expect(await ids()).toBe(listed(between(10, 20)));
    rmSync(file('logs/3.parquet'));
    expect(await ids()).toBeUndefined();
  });

  test('is noticed by the next scan: a new file, also of another format, and one with other columns', async () => {
    await open(logs, {}, 0.05);
    expect(await ids()).toBeUndefined();
    await write(rows(0, 10), file('logs/1.parquet'));
    await expect.poll(ids, { timeout: 10_000 }).toBe(listed(between(0, 10)));
    await write(rows(10, 20), file('logs/2.ndjson'), 'FORMAT json');
    await expect.poll(ids, { timeout: 10_000 }).toBe(listed(between(0, 20)));
    await write('SELECT 20 AS ID, now() AS "Time", 5 AS more', file('logs/3.parquet'));
    await expect.poll(ids, { timeout: 10_000 }).toBe(listed(between(0, 21)));
    await write(`SELECT id, time FROM (${rows(20, 25)})`, file('logs/3.csv'), 'FORMAT csv');
    rmSync(file('logs/2.ndjson'));
    rmSync(file('logs/3.parquet'));
    await expect.poll(ids, { timeout: 10_000 }).toBe(listed([...between(0, 10), ...between(20, 25)]));
    expect(problems).toEqual([]);
  });

  test('while queries run never gives rows of both', async () => {
    await write(rows(0, 2000), file('v0'));
    await write(rows(5000, 9000), file('v1'));
    const versions = [readFileSync(file('v0')), readFileSync(file('v1'))];
    const put = (version: number) => {
      writeFileSync(file('.next'), versions[version] ?? '');
      renameSync(file('.next'), file('logs.parquet'));
    };
    put(0);
    await open();
    const sums = [await run('none', windows[0]).then(ids), listed(between(5000, 9000))];
    const seen = new Set<unknown>();
    for (let turn = 1; turn <= 12; turn += 1) {
      const running = [ids(), ids()];
      put(turn % 2);
      for (const found of await Promise.all([...running, ids()])) seen.add(sums.indexOf(String(found)));
      expect(await ids()).toBe(sums[turn % 2]);
    }
    expect([...seen].toSorted()).toEqual([0, 1]);
  });

  test('is noticed by a query also when another table has its first file', async () => {
    const events: TableSchema = { name: 'events', fields: [{ name: 'id', type: 'INTEGER', ...nullable }] };
    await write(rows(0, 5), file('logs.parquet'));
    await open();
    const next = analyzed({ queries, tables: [logs, events] });
    await engine?.updates?.check(next);
    await engine?.updates?.replace(next);
    await write('SELECT 1 AS id', file('events.parquet'));
    await write(rows(5, 9), file('logs.parquet'));
    expect(await ids()).toBe('5,6,7,8');
  });

  test('outside of the time of a query has no part in it', async () => {
    await write(rows(0, 100), file('logs/1.parquet'));
    await write(rows(100, 480), file('logs/2.parquet'));
    await open();
    const recent = ['2026-03-07T00:00:00.000000Z', '2026-03-08T00:00:00.000000Z', 'a'];
    const expected = await run('of a tenant', recent);
    rmSync(file('logs/1.parquet'));
    writeFileSync(file('logs/0.parquet'), 'it would be a problem for the next scan');
    expect(await run('of a tenant', recent)).toBe(expected);
    await expect(ids()).rejects.toMatchObject({ code: 'DATA_UNREADABLE' });
  });

  test('is found after a restart, also of files that can no longer be read', async () => {
    await write(rows(0, 10), file('logs/1.parquet'));
    await write(rows(10, 20), file('logs/2.parquet'));
    await open();
    await engine?.close();
    rmSync(file('logs/1.parquet'));
    await write(rows(20, 30), file('logs/2.parquet'));
    await open();
    expect(await ids()).toBe(listed(between(20, 30)));
    await engine?.close();
    writeFileSync(file('logs/2.parquet'), 'broken');
    await open();
    await expect(ids()).rejects.toMatchObject({ code: 'DATA_UNREADABLE' });
    await engine?.close();
    rmSync(file('logs/2.parquet'));
    await open({ ...logs, fields: [...logs.fields, { name: 'more', type: 'INTEGER', ...nullable }] });
    expect(await ids()).toBeUndefined();
  });
});

describe('a Parquet file that cannot be read', () => {
  const whole = async () => {
    await write(rows(0, 480), file('whole'));
    return readFileSync(file('whole'));
  };
  const broken: Readonly<Record<string, () => Promise<Buffer | string>>> = {
    'without bytes': async () => '',
    'of another format': async () => 'id,time\n1,2026-03-01\n',
    'with the first bytes only': async () => 'PAR1',
    'that is cut': async () => (await whole()).subarray(0, 5000),
    'without its last byte': async () => (await whole()).subarray(0, -1),
    'with a damaged footer': async () =>
      await whole().then((bytes) => bytes.fill(0xff, bytes.length - 600, bytes.length - 8)),
    'with damaged pages': async () => (await whole()).fill(0xff, 4, 4000),
    encrypted: async () => {
      await maker.connection.run(`PRAGMA add_parquet_key('k', '0123456789112345')`);
      await write(rows(0, 10), file('whole'), `FORMAT parquet, ENCRYPTION_CONFIG {footer_key: 'k'}`);
      return readFileSync(file('whole'));
    },
  };

  test.each(Object.entries(broken))('%s: gives DATA_UNREADABLE until it is replaced', async (_, make) => {
    await write(rows(0, 10), file('logs/1.parquet'));
    writeFileSync(file('logs/2.parquet'), await make());
    await open();
    const failed = await answersOrCode();
    expect(failed).toBe('DATA_UNREADABLE');
    expect(problems.join('\n')).toMatch(/^logs[\\/]2\.parquet: /m);
    expect(problems.join('\n')).not.toContain(folder);
    await write(rows(10, 20), file('logs/.2'));
    renameSync(file('logs/.2'), file('logs/2.parquet'));
    await open();
    expect(String(await ids()).split(',')).toHaveLength(20);
  });

  test('with text that is not UTF-8: queries that read its column give DATA_UNREADABLE, and others go on', async () => {
    await write(rows(0, 10), file('logs/1.parquet'), 'FORMAT parquet, COMPRESSION uncompressed');
    const bytes = readFileSync(file('logs/1.parquet'));
    for (let at = bytes.indexOf('ü'); at >= 0; at = bytes.indexOf('ü', at)) bytes.fill(0xff, at, at + 2);
    writeFileSync(file('logs/1.parquet'), bytes);
    await open(logs, {}, 0.05);
    const all = await ids();
    expect([await answersOrCode(), await answersOrCode()]).toEqual(['DATA_UNREADABLE', 'DATA_UNREADABLE']);
    expect(await ids()).toBe(all);
    const problem = expect.stringMatching(/^logs\/1\.parquet: .* not UTF-8/);
    expect(problems).toEqual([problem]);
    await write(rows(0, 10), file('logs/1.parquet'));
    await vi.waitFor(async () => expect(await answersOrCode()).toBe('an answer'));
    writeFileSync(file('logs/1.parquet'), bytes);
    await vi.waitFor(async () => expect(await answersOrCode()).toBe('DATA_UNREADABLE'));
    expect(problems).toEqual([problem, problem]);
  });

  const answersOrCode = () =>
    run('whole records', ['', '', 'a']).then(
      () => 'an answer',
      ({ code }: { code?: string }) => code,
    );
});

describe('a Parquet file with columns of which not every value may be one of the declared type', () => {
  test('is imported, and the others are read where they are', async () => {
    const doubtful: Readonly<Record<string, readonly [value: string, rows: number, message?: string]>> = {
      id: ["CASE WHEN id = 3 THEN 'x' ELSE id::VARCHAR END AS id", 9, 'row 4: id: "x" is not an integer'],
      time: ['CASE WHEN id = 3 THEN NULL ELSE time END AS time', 9, 'row 4: time: is missing'],
      price: ['0.1::DOUBLE + id // 3 / 3 AS price', 4, '6 rows cannot be read, the first: row 4: price: 0.4'],
      ratio: ['id::DECIMAL(18, 2) AS ratio', 10],
      body: ["'{}' AS body", 10],
      day: ["strftime(time, '%Y-%m-%d') AS day", 10],
    };
    for (const [name, [value]] of Object.entries(doubtful))
      await write(`SELECT * REPLACE (${value}) FROM (${rows(0, 10)})`, file(`logs/${name}.parquet`));
    await write(rows(0, 10), file('logs/good.parquet'));
    await open();
    const expected = Object.values(doubtful).reduce((sum, [, count]) => sum + count, 0);
    expect(String(await ids()).split(',')).toHaveLength(expected + 10);
    const messages = Object.entries(doubtful).flatMap(([name, [, , message]]) =>
      message === undefined ? [] : [expect.stringContaining(`logs/${name}.parquet: ${message}`)],
    );
    expect(problems).toEqual(expect.arrayContaining(messages));
    expect(problems).toHaveLength(messages.length);
    expect(reports.at(-1)?.warnings).toEqual([
      'logs/body.parquet is imported and not read where it is, because body is VARCHAR, of which not every value may be JSON, and so are 5 more',
    ]);
    expect(await imported()).toBe(expected);
  });

  test('is read where it is once all of its values are', async () => {
    await write(`SELECT * REPLACE ('{}' AS body) FROM (${rows(0, 10)})`, file('logs.parquet'));
    await open();
    await engine?.close();
    await write(rows(5, 15), file('logs.parquet'));
    await open();
    expect(await ids()).toBe('5,6,7,8,9,10,11,12,13,14');
    expect(await imported()).toBe(0);
    await write(`SELECT * REPLACE ('{}' AS body) FROM (${rows(0, 3)})`, file('logs.parquet'));
    await open();
    expect(await ids()).toBe('0,1,2');
    expect(await imported()).toBe(3);
  });
});

test('rows of files are left out when they are older than the retention', async () => {
  await write(rows(0, 200), file('logs/1.parquet'));
  await write(rows(200, 400), file('logs/2.ndjson'), 'FORMAT json');
  await write(rows(400, 480), file('logs/3.parquet'));
  await open(logs, { DATA_RETENTION_DAYS: '8' });
  const kept = Array.from({ length: 480 }, (_, id) => id).filter((id) => id * 25 >= 36 * 60);
  expect(
    String(await ids())
      .split(',')
      .map(Number)
      .toSorted((a, b) => a - b),
  ).toEqual(kept);
});

test('a record with several elements is read from lists, beside files whose records have one', async () => {
  await write(asStruct, file('logs/1.parquet'));
  await open();
  expect(await run('records', windows[0])).toContain('478 /p478 200 h478');
  const several = rows(500, 502).replace(
    '}] END AS metadata',
    '}, { url: NULL, status: 200, header: [] }] END AS metadata',
  );
  await write(several, file('logs/2.parquet'));
  copyFileSync(file('logs/2.parquet'), file('logs/3.parquet'));
  await open();
  expect(await run('records', windows[0])).toContain('500 /p500 200 h500;500 /p500 200 h500');
  expect(await imported()).toBe(0);
});

test('SQL of callers reads the rows of its tenant in files as they are', async () => {
  const own = draftQuery({
    name: 'own',
    columns: { v: 'string' },
    parameters: { tenant: '{ type: string, required: true, tenant: true, description: T. }' },
    caching: ['caching: disabled', 'query_sandboxing: enabled'],
    sql: 'WITH own AS (SELECT * FROM logs WHERE tenant = @tenant) SELECT CAST(id AS STRING) AS v FROM own',
  });
  const sql = 'SELECT STRING_AGG(CAST(id AS STRING), ",") AS v FROM (SELECT id FROM own ORDER BY id LIMIT 3)';
  const answer = async () => {
    const query = served.find(({ name }) => name === 'own') ?? own;
    const values = { query, parameters: { tenant: 'b' }, sql };
    const found = await engine?.run(values, { signal: new AbortController().signal });
    return String(JSON.parse(String([...(found?.rows ?? [])][0])).v)
      .split(',')
      .toSorted();
  };
  await write(rows(0, 100), file('logs/1.parquet'));
  await write(rows(100, 110), file('logs/2.parquet'));
  await open(logs, {}, 3600, [own]);
  expect(await answer()).toEqual(['1', '5', '9']);
  await write(rows(200, 300), file('logs/.1'));
  renameSync(file('logs/.1'), file('logs/1.parquet'));
  expect(await answer()).toEqual(['101', '105', '109']);
});

test('a table that is declared anew reads its files with the new columns, and requests in flight with the old ones', async () => {
  const twice = draftQuery({
    name: 'twice',
    columns: { v: 'string' },
    sql: 'SELECT CAST(sum(twice) AS STRING) AS v FROM logs',
  });
  await write(`SELECT *, id * 2 AS twice FROM (${rows(0, 5)})`, file('logs.parquet'));
  await open();
  const fields = [...logs.fields, { name: 'twice', type: 'INTEGER', ...nullable } as const];
  const next = analyzed({ queries: [twice], tables: [{ ...logs, fields }] });
  expect(await engine?.updates?.check(next)).toEqual(new Map());
  const release = await engine?.updates?.replace(next);
  const [query = twice] = next.queries;
  const found = await engine?.run({ query, parameters: {} }, { signal: new AbortController().signal });
  expect(found?.rows).toEqual(['{"v":"20"}']);
  expect(await ids()).toBe('0,1,2,3,4');
  await release?.();
  expect(await imported()).toBe(0);
});

test('a table is declared in another form while a file of another table waits for memory', async () => {
  const events: TableSchema = { name: 'events', fields: [{ name: 'id', type: 'INTEGER', ...nullable }] };
  const declare = async (...tables: readonly TableSchema[]) => {
    const next = analyzed({ queries: [], tables });
    await engine?.updates?.check(next);
    return engine?.updates?.replace(next);
  };
  await write(rows(0, 5), file('logs.parquet'));
  await open();
  await declare(logs, events);
  const { runAndReadAll } = DuckDBConnection.prototype;
  const spy = vi.spyOn(DuckDBConnection.prototype, 'runAndReadAll').mockImplementation(function (
    this: DuckDBConnection,
    sql,
    ...more
  ) {
    if (sql.includes('events.parquet')) return Promise.reject(new Error('Out of Memory Error: 1.0 MiB used'));
    return runAndReadAll.call(this, sql, ...more);
  });
  await write('SELECT 1 AS id', file('events.parquet'));
  const changed = { ...logs, fields: logs.fields.slice(0, 2) };
  const release = await declare(changed, events).finally(() => spy.mockRestore());
  expect(release).toBeDefined();
  expect(problems).toContainEqual(expect.stringContaining('events.parquet: waits'));
});
