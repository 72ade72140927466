import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { GraphQLSchema } from 'graphql';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { gatewayOptions } from '../../../src/cli/start/gateway-options.ts';
import { readConfig } from '../../../src/config.ts';
import { duckdb } from '../../../src/engines/duckdb/duckdb.ts';
import { createGateway, type Gateway } from '../../../src/gateway/create-gateway.ts';
import type { GatewayOptions } from '../../../src/gateway/options.ts';
import { type MetricsPlugin, metrics as newMetrics } from '../../../src/plugins/metrics/metrics.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';
import { eventually } from '../../support/eventually.ts';
import { writeKeyFile } from '../../support/key-files.ts';
import { nightly } from '../../support/nightly.ts';
import { makeQueryFolder, type QueryFolder, queryText, uuidOf } from '../../support/query-folder.ts';

const apiKey = 'a-key-for-tests-only';

let queries: QueryFolder;
let dataDir: string;
let app: Gateway;
let metrics: MetricsPlugin | undefined;
let log: string[];

afterEach(async () => {
  await app.close();
  queries.close();
  rmSync(dataDir, { recursive: true });
});

interface OpenOptions {
  readonly env?: Record<string, string>;
  readonly options?: Partial<GatewayOptions>;
  /** Of the data folder. */
  readonly data?: Record<string, string>;
}

const open = async (
  files: Record<string, string>,
  { env = {}, data = {}, options: given = {} }: OpenOptions = {},
) => {
  queries = makeQueryFolder(files);
  dataDir = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  for (const [name, text] of Object.entries(data)) writeFileSync(join(dataDir, name), text);
  log = [];
  const config = readConfig({
    QUERIES_DIR: queries.folder,
    DATA_DIR: dataDir,
    STORE_FILE: ':memory:',
    ENGINE_CONCURRENCY: '2',
    ...env,
  });
  const write = (line: string) => void (line.includes('"request"') || log.push(line));
  const logger = pino({ level: 'info' }, { write });
  metrics = newMetrics();
  const options = await gatewayOptions(config, apiKey, { metricsPlugin: metrics });
  app = await createGateway({
    ...options,
    engine: duckdb({ ...config.duckdb, refreshSeconds: 1 }),
    log: logger,
    ...given,
  });
};

const get = async (name: string, key = apiKey) => {
  const response = await app.fetch(
    new Request(`http://gateway.test/api/endpoints/query/${name}`, { headers: { 'x-api-key': key } }),
  );
  const body = (await response.json()) as { result?: Record<string, unknown>[]; error?: { code: string } };
  return {
    status: response.status,
    result: body.result,
    code: body.error?.code,
    cache: response.headers.get('cache-status')?.split(';')[1]?.trim(),
  };
};
const rows = async (name: string) => (await get(name)).result;

const graphql = async (query: string) => {
  const response = await app.fetch(
    new Request('http://gateway.test/graphql', {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    }),
  );
  return (await response.json()) as { data?: Record<string, unknown>; errors?: { message: string }[] };
};

const table = (...fields: [name: string, type: string][]) =>
  JSON.stringify(fields.map(([name, type]) => ({ name, type })));

const reader = (columns: string, { id = uuidOf(1), sql = `SELECT ${columns} FROM t ORDER BY 1` } = {}) => {
  const declared = columns
    .split(', ')
    .map(
      (name) => `  ${name}: { type: ${name === 'count' ? 'integer' : 'string'}, description: a column }\n`,
    );
  return queryText({ id, sql, caching: 'disabled' }).replace(/ {2}n: .*\n/, declared.join(''));
};

describe('tables on DuckDB', () => {
  const data = { 't.ndjson': '{"a":"1","b":"x"}\n{"a":"2","b":"y"}\n', 'u.ndjson': '{"a":"u"}\n' };

  test('a changed schema: the rows are imported again, and later ones too', async () => {
    await open({ 'q.sql': reader('a'), 'tables/t.json': table(['a', 'STRING']) }, { data });
    expect(await rows('q')).toEqual([{ a: '1' }, { a: '2' }]);
    queries.write('tables/t.json', table(['a', 'STRING'], ['b', 'STRING']));
    queries.write('q.sql', reader('a, b'));
    await eventually(async () =>
      expect(await rows('q')).toEqual([
        { a: '1', b: 'x' },
        { a: '2', b: 'y' },
      ]),
    );
    appendFileSync(join(dataDir, 't.ndjson'), '{"a":"3","b":"z"}\n');
    await eventually(async () => expect((await rows('q'))?.at(-1)).toEqual({ a: '3', b: 'z' }));
    expect(await rows('q')).toHaveLength(3);
  });

  test('the old table answers until the new one is there, without a gap', async () => {
    const many = Array.from({ length: 200_000 }, (_, at) => `{"a":"${at}","b":"x"}\n`).join('');
    const count = reader('count', { sql: 'SELECT COUNT(*) AS count FROM t' });
    await open({ 'q.sql': count, 'tables/t.json': table(['a', 'STRING']) }, { data: { 't.ndjson': many } });
    expect(await rows('q')).toEqual([{ count: 200_000 }]);
    queries.write('tables/t.json', table(['a', 'STRING'], ['b', 'STRING']));
    queries.write(
      'b.sql',
      reader('count', { id: uuidOf(2), sql: 'SELECT COUNTIF(b = "x") AS count FROM t' }),
    );
    await eventually(async () => {
      expect(await rows('q')).toEqual([{ count: 200_000 }]);
      const { status, result } = await get('b');
      if (status === 200) expect(result).toEqual([{ count: 200_000 }]);
      expect(status).toBe(200);
    });
  });

  test('new and removed tables, and a table that comes back', async () => {
    await open({ 'q.sql': reader('a'), 'tables/t.json': table(['a', 'STRING']) }, { data });
    const ofU = reader('a', { id: uuidOf(2), sql: 'SELECT a FROM u' });
    for (let round = 0; round < 2; round += 1) {
      queries.write('tables/u.json', table(['a', 'STRING']));
      queries.write('u.sql', ofU);
      await eventually(async () => expect(await rows('u')).toEqual([{ a: 'u' }]));
      queries.remove('u.sql');
      queries.remove('tables/u.json');
      await eventually(async () => expect((await get('u')).status).toBe(404));
      await eventually(() => expect(app.catalog.tables).toHaveLength(1));
    }
    expect(await rows('q')).toEqual([{ a: '1' }, { a: '2' }]);
  });

  test('a record that has several elements in the new table: it is rebuilt before it is served', async () => {
    const records = { 't.ndjson': '{"a":"1","r":[{"x":"p"},{"x":"q"}]}\n' };
    await open({ 'q.sql': reader('a'), 'tables/t.json': table(['a', 'STRING']) }, { data: records });
    const field = { name: 'r', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'x', type: 'STRING' }] };
    queries.write('tables/t.json', JSON.stringify([{ name: 'a', type: 'STRING' }, field]));
    queries.write('q.sql', reader('a', { sql: 'SELECT r.x AS a FROM t, UNNEST(r) AS r ORDER BY 1' }));
    await eventually(async () => expect(await rows('q')).toEqual([{ a: 'p' }, { a: 'q' }]));
  });

  test('tables that are read by a pattern of their names', async () => {
    const all = reader('a', { sql: 'SELECT a FROM `t_*` ORDER BY 1' });
    await open(
      { 'q.sql': all, 'tables/t_1.json': table(['a', 'STRING']) },
      { data: { 't_1.ndjson': '{"a":"1"}\n', 't_2.ndjson': '{"a":"2"}\n' } },
    );
    queries.write('tables/t_2.json', table(['a', 'STRING']));
    await eventually(async () => expect(await rows('q')).toEqual([{ a: '1' }, { a: '2' }]));
  });

  test('INFORMATION_SCHEMA follows the tables, their types, and the rows that are imported', async () => {
    const described = reader('a', {
      sql: `SELECT CONCAT(table_name, '.', column_name, ' ', data_type, ' ', CAST(total_rows AS STRING)) AS a
        FROM INFORMATION_SCHEMA.COLUMNS JOIN INFORMATION_SCHEMA.PARTITIONS USING (table_name) ORDER BY 1`,
    });
    await open(
      { 'q.sql': described, 'tables/t.json': table(['a', 'NUMERIC']) },
      { data: { 't.ndjson': '{"a":1}\n' } },
    );
    expect(await rows('q')).toEqual([{ a: 't.a NUMERIC 1' }]);
    queries.write(
      'tables/t.json',
      JSON.stringify([{ name: 'a', type: 'NUMERIC', precision: '10', scale: 2 }]),
    );
    await eventually(async () => expect(await rows('q')).toEqual([{ a: 't.a NUMERIC(10, 2) 1' }]));
    queries.write('tables/v.json', table(['a', 'STRING']));
    await eventually(async () => expect(await rows('q')).toHaveLength(2));
    queries.write('tables/v.json', table(['a', 'STRING'], ['b', 'DATE']));
    writeFileSync(join(dataDir, 't.ndjson'), '{"a":1}\n{"a":2}\n');
    const expected = [{ a: 't.a NUMERIC(10, 2) 2' }, { a: 'v.a STRING 0' }, { a: 'v.b DATE 0' }];
    await eventually(async () => expect(await rows('q')).toEqual(expected));
  });
});

test('a request in flight finishes on the version that it began with', async () => {
  // Half a second of work, which depends on the table.
  const slow = (name: string) =>
    reader('count', {
      sql: `SELECT COUNT(*) AS count FROM UNNEST(GENERATE_ARRAY(1, 3000)) AS x, UNNEST(GENERATE_ARRAY(1, 20000)) AS y
        WHERE MOD(x * y, 7) = 0 AND EXISTS (SELECT 1 FROM ${name})`,
    });
  await open(
    {
      'slow.sql': slow('t'),
      'other.sql': queryText({ id: uuidOf(2) }),
      'tables/t.json': table(['a', 'STRING']),
    },
    { data: { 't.ndjson': '{"a":"1"}\n' } },
  );
  const [expected] = (await rows('slow')) ?? [];
  const answers: Promise<Awaited<ReturnType<typeof get>>>[] = [];
  let inFlight = 0;
  const sender = setInterval(() => {
    // A busy machine gets no more to do than a quick one.
    if (inFlight === 3) return;
    inFlight += 1;
    const answer = get('slow').finally(() => {
      inFlight -= 1;
    });
    answers.push(answer);
  }, 100);
  await sleep(300);
  queries.remove('slow.sql');
  queries.remove('tables/t.json');
  await eventually(async () => expect((await get('slow')).status).toBe(404));
  clearInterval(sender);
  answers.push(get('slow'));
  const statuses = (await Promise.all(answers)).map(({ status, result }) => {
    if (status === 200) expect(result).toEqual([expected]);
    return status;
  });
  expect(new Set(statuses)).toEqual(new Set([200, 404]));
  expect(log.join('')).not.toContain('a bug');
});

test('cached answers: of other queries they stay, of a changed one they are not used, and come back with it', async () => {
  await open({ 'a.sql': queryText(), 'b.sql': queryText({ id: uuidOf(2), sql: 'SELECT 5 AS n' }) });
  await get('a');
  await get('b');
  queries.write('a.sql', queryText({ sql: 'SELECT 2 AS n' }));
  await eventually(async () => expect((await get('a')).result).toEqual([{ n: 2 }]));
  expect((await get('b')).cache).toBe('hit');
  queries.write('a.sql', queryText());
  await eventually(async () => expect((await get('a')).result).toEqual([{ n: 1 }]));
  expect((await get('a')).cache).toBe('hit');
  // Another time of caching is no other result.
  queries.write('a.sql', queryText({ caching: '60s' }));
  await eventually(() => expect(app.catalog.queries[0]?.caching).toMatchObject({ ttlSeconds: 60 }));
  expect((await get('a')).cache).toBe('hit');
});

test('a removed query is not refreshed any more, and a new one that lists parameters is', async () => {
  const warm = 'cache_warming: 1s\nwarm: [{}]\n';
  const warmed = (n: number, id: string) =>
    queryText({ id, sql: `SELECT ${n} AS n`, caching: '10s', header: warm });
  await open({ 'a.sql': warmed(1, uuidOf(1)), 'b.sql': queryText({ id: uuidOf(2) }) });
  await eventually(() => expect(app.counters.refreshes).toBeGreaterThanOrEqual(2));
  queries.remove('a.sql');
  await eventually(() => expect(app.catalog.queries).toHaveLength(1));
  const { refreshes } = app.counters;
  await sleep(2_500);
  expect(app.counters.refreshes).toBeLessThanOrEqual(refreshes + 1);
  queries.write('c.sql', warmed(3, uuidOf(3)));
  await eventually(() => expect(app.counters.refreshes).toBeGreaterThan(refreshes + 1));
  expect((await get('c')).cache).toBe('hit');
});

test('GraphQL: schema, introspection, prepared operations and catalog change together', async () => {
  await open({ 'a.sql': queryText() });
  const operation = '{ a { rows { n } } }';
  for (let times = 0; times < 3; times += 1) {
    expect(await graphql(operation)).toEqual({ data: { a: { rows: [{ n: 1 }] } } });
  }
  queries.write('a.sql', queryText({ sql: 'SELECT "text" AS n' }).replace('type: integer', 'type: string'));
  await eventually(async () =>
    expect(await graphql(operation)).toEqual({ data: { a: { rows: [{ n: 'text' }] } } }),
  );
  const { data } = await graphql('{ __type(name: "ARow") { fields { type { name } } } endpoints { name } }');
  expect(data).toEqual({
    __type: { fields: [{ type: { name: 'String' } }] },
    endpoints: [{ name: 'a' }],
  });
  queries.write('b.sql', queryText({ id: uuidOf(2) }));
  await eventually(() => expect(app.catalog.queries).toHaveLength(2));
  queries.remove('a.sql');
  await eventually(async () =>
    expect((await graphql(operation)).errors?.[0]?.message).toContain('Cannot query'),
  );
  expect((await graphql('{ endpoints { name } b { rows { n } } }')).data).toEqual({
    endpoints: [{ name: 'b' }],
    b: { rows: [{ n: 1 }] },
  });
});

test('a key that is bound to an endpoint by its name may query it when it is there', async () => {
  const keys = writeKeyFile({
    bound: { endpoints: ['b'], tenants: 'all' },
    idOnly: { endpoints: [uuidOf(2)], tenants: 'all' },
  });
  try {
    const b = queryText({ id: uuidOf(2) });
    await open({ 'a.sql': queryText(), 'b.sql': b }, { env: { API_KEYS_FILE: keys.path } });
    const statuses = async (name: string) => {
      const answers = [await get(name, keys.keyOf('bound')), await get(name, keys.keyOf('idOnly'))];
      return answers.map(({ status }) => status);
    };
    expect(await statuses('b')).toEqual([200, 200]);
    expect(await statuses('a')).toEqual([403, 403]);
    queries.remove('b.sql');
    await eventually(async () => expect(await statuses('b')).toEqual([404, 404]));
    expect(log.join('')).toContain('a key names an endpoint that is no longer there');
    queries.write('b.sql', b);
    await eventually(async () => expect(await statuses('b')).toEqual([200, 200]));
    // The name is that of another query now.
    queries.remove('b.sql');
    queries.write('c.sql', b);
    queries.write('b.sql', queryText({ id: uuidOf(3) }));
    await eventually(async () => expect(await statuses('c')).toEqual([403, 200]));
    expect(await statuses('b')).toEqual([200, 403]);
  } finally {
    keys.remove();
  }
});

test('without the option reload nothing is followed', async () => {
  await open({ 'a.sql': queryText() }, { options: { reload: false } });
  queries.write('a.sql', queryText({ sql: 'SELECT 2 AS n' }));
  app.reload();
  await sleep(1_000);
  expect(await rows('a')).toEqual([{ n: 1 }]);
});

test('a tenant filter that is missing keeps the last good version', async () => {
  const header =
    'parameters:\n  project: { type: string, required: true, tenant: true, description: the tenant }\n';
  const sql = (condition: string) => `SELECT COUNT(*) AS n FROM t WHERE ${condition}`;
  const text = (condition: string) => queryText({ header, sql: sql(condition), caching: 'disabled' });
  await open(
    { 'a.sql': text('a = @project'), 'tables/t.json': table(['a', 'STRING']) },
    { data: { 't.ndjson': '{"a":"1"}\n{"a":"2"}\n' } },
  );
  expect(await rows('a?project=1')).toEqual([{ n: 1 }]);
  queries.write('a.sql', text("@project != ''"));
  await eventually(() => expect(log.join('')).toContain('rows of other tenants could be returned'));
  expect(await rows('a?project=1')).toEqual([{ n: 1 }]);
});

test('metrics: of removed endpoints the last hundred keep their series', async () => {
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
  const seriesOf = async () => {
    const text = metrics?.render() ?? '';
    return Map.groupBy(text.matchAll(/^(querygate_\w+)\{.*endpoint="(\w+)"/gm), ([, , name = '']) => name);
  };
  const serve = async (at: number) => {
    queries.write(`q${at}.sql`, queryText({ id: uuidOf(at) }));
    await eventually(async () => expect((await get(`q${at}`)).status).toBe(200));
  };
  await open({ 'kept.sql': queryText({ id: uuidOf(1000) }) });
  await get('kept');
  const before = await seriesOf();
  for (const at of numbers(0, 60)) queries.write(`q${at}.sql`, queryText({ id: uuidOf(at) }));
  await serve(60);
  for (const at of numbers(0, 60)) await get(`q${at}`);
  for (const at of numbers(0, 61)) queries.remove(`q${at}.sql`);
  for (const at of numbers(100, 160)) queries.write(`q${at}.sql`, queryText({ id: uuidOf(at) }));
  await serve(160);
  for (const at of numbers(100, 160)) await get(`q${at}`);
  // 122 endpoints with results, and two more versions of the catalog.
  expect((await seriesOf()).size).toBe(123);
  for (const at of numbers(100, 161)) queries.remove(`q${at}.sql`);
  await serve(200);
  await serve(201);

  const after = await seriesOf();
  expect(after.get('kept')?.map(([, name]) => name)).toEqual(before.get('kept')?.map(([, name]) => name));
  expect([...after.keys()].filter((name) => /^q(\d|\d\d|1\d\d)$/.test(name))).toHaveLength(100);
  expect(after.has('q160')).toBe(true);
  expect((await get('kept')).cache).toBe('hit');
});

nightly(
  'hundreds of versions leave nothing in memory',
  async () => {
    const used = async () => {
      for (let times = 0; times < 3; times += 1) {
        await new Promise(setImmediate);
        collectGarbage();
      }
      return process.memoryUsage().heapUsed;
    };
    await open({ 'a.sql': queryText() });
    const versions = async (from: number, to: number) => {
      for (let n = from; n < to; n += 1) {
        queries.write('a.sql', queryText({ sql: `SELECT ${n} AS n`, caching: 'disabled' }));
        await eventually(async () => expect(await rows('a')).toEqual([{ n }]));
        await graphql('{ a { rows { n } } endpoints { name columns { name } } }');
      }
    };
    await versions(100, 130);
    const before = await used();
    await versions(130, 190);
    const grown = (await used()) - before;
    expect(queryObjects(GraphQLSchema, { format: 'count' })).toBeLessThan(5);
    // A version of this small catalog, with its schema, takes some hundred kilobytes.
    expect(grown / 60).toBeLessThan(30_000);
  },
  120_000,
);
